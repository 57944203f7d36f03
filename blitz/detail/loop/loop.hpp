/// @file
/// A loop or a reduction, as the engine sees it: a number of positions, and functions that run a block of them. A loop is
/// a reduction whose parts have no value.
///
/// The engine (loop.cpp) is compiled once, in the library. For each loop of a program only its block is compiled.
#pragma once

#include <cstdint>
#include <stop_token>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

/// How the positions are shared out.
enum class LoopCut : unsigned char {
  kAdaptive,  ///< Halved on demand.
  kFixed,  ///< A block for each worker, cut at once. Without values, a worker begins with the block of its own index.
  /// A balanced tree that follows from the number of positions and the grain alone. Each leaf begins with a new value,
  /// and each node combines its two halves: the result does not depend on which worker ran what.
  kTree,
};

struct Loop;

/// Runs a loop of at least one position on the calling thread's worker; see Loop::run.
BLITZ_API void run_loop_on(WorkerBase& worker, const Loop& loop, void* value);

/// One loop. What is derived from it adds what its functions need. Several workers call these at once.
struct Loop {
  /// Runs the positions [first, last), at least one. Returns true to end the loop. May throw, which ends it too.
  using RunBlock = bool (*)(const Loop& self, void* value, LoopIndex first, LoopIndex last);
  /// Takes the value of the part to the right into that of the part to the left. May throw.
  using Combine = void (*)(const Loop& self, void* left, void* right);
  /// Calls `call(argument, value)` with the value of a part that has not begun. May throw.
  using WithValue = void (*)(void (*call)(void* argument, void* value) noexcept, void* argument);

  /// `stop` is used until run() has returned. A grain of 0 is taken for 1.
  Loop(RunBlock block, LoopIndex positions, LoopCut how, LoopIndex least_block,
       const std::stop_token& stop_token) noexcept
      : run_block(block),
        name(reinterpret_cast<std::uintptr_t>(block)),
        count(positions),
        grain(least_block > 0 ? least_block : 1),
        stop(stop_token.stop_possible() ? &stop_token : nullptr),
        cut(how) {}

  /// Runs the loop in `pool`, or, if that is null, in the pool that the caller works for, or else in the global pool.
  /// `value` is that of the whole; null without values. Throws what that pool's use throws, the first exception of a
  /// block, and std::bad_alloc if a queue cannot grow.
  void run(PoolBase* pool, void* value = nullptr) const {
    if (WorkerBase* const worker = worker_for(pool)) {
      run_loop_on(*worker, *this, value);
    } else {
      run_from_outside(pool, value);
    }
  }

  RunBlock run_block;
  Combine combine = nullptr;
  WithValue with_value = nullptr;  // null: the parts have no value
  std::uintptr_t name;             // loops of one name have items that take about as long; see WorkerBase::history
  LoopIndex count;                 // of positions
  LoopIndex grain;                 // no block has fewer positions, unless the loop has
  const std::stop_token* stop;     // null: no stop can be requested
  LoopCut cut;

 private:
  struct OutsideCall {
    const Loop& loop;
    void* value;
  };
  BLITZ_COLD void run_from_outside(PoolBase* pool, void* value) const {
    OutsideCall call{*this, value};
    enter_pool(pool, &run_entered, &call);
  }
  static void run_entered(void* argument, WorkerBase& worker) {
    const OutsideCall& call = *static_cast<OutsideCall*>(argument);
    run_loop_on(worker, call.loop, call.value);
  }
};

}  // namespace blitz::detail
