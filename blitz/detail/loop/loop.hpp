/// @file
/// A loop or a reduction in the form that the engine runs: a number of positions, and functions that run a block of them. A
/// plain loop is a reduction without values.
///
/// The engine (loop.cpp) is compiled once, in the library. For each loop of a program only its block is compiled.
#pragma once

#include <cstdint>
#include <stop_token>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

/// The distribution of the positions.
enum class LoopCut : unsigned char {
  kAdaptive,  ///< Halved on demand.
  kFixed,     ///< A block for each worker, cut in advance. Without values, a worker begins with the block of its index.
  /// A balanced tree that depends only on the number of positions and the grain. Each leaf begins with a new value, and each
  /// node combines its two halves: the result does not depend on the workers that ran the leaves.
  kTree,
};

struct Loop;

/// Runs a loop of at least one position on the calling thread's worker; see Loop::run.
BLITZ_API void run_loop_on(WorkerBase& worker, const Loop& loop, void* value);

/// One loop. A derived class adds the data of its functions. Several workers call these concurrently.
struct Loop {
  /// Runs the positions [first, last), at least one. Returns true to end the loop. May throw, which ends it too.
  using RunBlock = bool (*)(const Loop& self, void* value, LoopIndex first, LoopIndex last);
  /// Combines the value of the right part into the value of the left part. May throw.
  using Combine = void (*)(const Loop& self, void* left, void* right);
  /// Calls `call(argument, value)` with the value of a part that has not begun. May throw.
  using WithValue = void (*)(void (*call)(void* argument, void* value) noexcept, void* argument);

  /// `stop_token` is used until run() has returned. A grain of 0 means 1.
  Loop(RunBlock block, LoopIndex positions, LoopCut how, LoopIndex least_block,
       const std::stop_token& stop_token) noexcept
      : run_block(block),
        name(reinterpret_cast<std::uintptr_t>(block)),
        count(positions),
        grain(least_block > 0 ? least_block : 1),
        stop(stop_token.stop_possible() ? &stop_token : nullptr),
        cut(how) {}

  /// Runs the loop in `pool`. If that is null, it runs in the pool that the calling thread works for, otherwise in the global
  /// pool. `value` is the value of the whole; null without values. Throws the errors of using that pool, the first exception of
  /// a block, and std::bad_alloc if a queue cannot grow.
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
  std::uintptr_t name;             // items of loops of one name take about the same time; see WorkerBase::history
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
