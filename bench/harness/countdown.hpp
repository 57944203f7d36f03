// Lets an outside thread wait for the end of detached jobs.
#pragma once

#include <atomic>
#include <cstddef>

namespace bench {

/// One thread starts it and waits; any thread finishes. The object outlives its counts, since the last finisher may
/// still be inside finish_one() when the next count starts.
///
/// Pairs:
///   [finish]  finish_one: left_.fetch_sub(acq_rel)   ->  finish_one: left_.fetch_sub(acq_rel), the last one
///   [done]    finish_one: done_.store(release)       ->  wait: done_.wait(acquire)
class alignas(128) Countdown {
 public:
  /// Must happen before the first finish_one() of this count.
  void start(std::size_t count) {
    left_.store(count, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
  }

  void finish_one() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;  // [finish]
    done_.store(1, std::memory_order_release);                       // [done]
    done_.notify_one();
  }

  /// Blocks until `count` jobs have finished. Only the last one wakes the waiter and touches the word that it reads.
  void wait() const { done_.wait(0, std::memory_order_acquire); }  // [done]

 private:
  std::atomic<std::size_t> left_{0};
  std::atomic<int> done_{0};
};

}  // namespace bench
