// oneTBB: one arena per thread count. A whole repetition runs inside the arena, so no call pays for entering it: the main
// thread has a slot, as in oneTBB's default arena. For jobs from outside, while the main thread only waits, the arena has no
// slot for it.
#pragma once

#include <algorithm>
#include <cstddef>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include "bench/harness/registry.hpp"

namespace bench {

class TbbPeer final : public Peer {
 public:
  static constexpr bool kThreaded = true;
  explicit TbbPeer(unsigned threads) : threads_(threads), arena_(static_cast<int>(threads)) {
    session([] {});  // initializes the arena
  }

  // The limit is set only for the session, because the strictest of all live limits applies.
  void session(const std::function<void()>& measurement) override {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads_);
    arena_.execute([&] { measurement(); });
  }

  /// Calls `f` in the arena, as a thread outside it must.
  template <class F>
  void execute(const F& f) {
    arena_.execute(f);
  }

  /// Calls `body` with every index below `count`. simple_partitioner always divides down to the grain, so the grain is at least
  /// a quarter of a thread's share. The others choose the size of their blocks, at least `grain`.
  template <class Partitioner, class Body>
  void for_each_index(std::size_t count, std::size_t grain, const Body& body) const {
    if constexpr (std::is_same_v<Partitioner, tbb::simple_partitioner>) {
      grain = std::max(grain, count / (4 * std::size_t{threads_}));
    }
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, grain),
        [&body](const tbb::blocked_range<std::size_t>& block) {
          for (std::size_t i = block.begin(); i != block.end(); ++i) body(i);
        },
        Partitioner());
  }

 private:
  unsigned threads_;
  tbb::task_arena arena_;
};

/// An arena with only worker threads, for enqueue() by threads outside it.
class TbbEnqueuePeer final : public Peer {
 public:
  static constexpr bool kThreaded = true;
  explicit TbbEnqueuePeer(unsigned threads) : arena(static_cast<int>(threads), 0), threads_(threads) {
    session([this] { arena.initialize(); });
  }

  // The limit counts the main thread, which has no slot here.
  void session(const std::function<void()>& measurement) override {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads_ + 1);
    measurement();
  }

  tbb::task_arena arena;

 private:
  unsigned threads_;
};

}  // namespace bench
