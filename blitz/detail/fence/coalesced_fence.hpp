/// Expensive process-wide fences: concurrent requests share one.
///
/// Fences are numbered in the order of their beginnings. A caller reads the latest number, `latest`, and waits until a later
/// fence has ended. It makes that fence if none is in progress and no other caller begins number latest + 1 first. It also
/// makes one after waiting for twice the usual time. So a caller that is preempted, or missing after fork(), cannot block
/// others. Any thread. ../fork_join/README.md has more.
///
/// The Linux kernel's RCU shares grace periods in the same way (kernel/rcu/rcu.h, rcu_seq_snap).
#pragma once

#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/fence/fence_pace.hpp"

namespace blitz::detail {

// Within one page, so that fork() copies a single instant: in the child, every number that has ended has begun.
class alignas(2 * kCacheLine) CoalescedFence {
 public:
  // Pairs:
  //   [request]  execute: seq_cst_fence, then begun_.load  <->  begun_ read-modify-write, then fence()
  //   [end]      end: ended_ compare-exchange (release), after fence()  ->  execute: ended_.load(acquire)

  /// Returns when a fence that began after this call has ended: another caller's, or `fence()`. `fence` must begin with a full
  /// fence of the calling thread.
  template <class Fence>
  void execute(Fence&& fence) noexcept {
    // [request] A fence numbered above `latest` begins after this fence, so it covers all earlier stores of the caller.
    seq_cst_fence();
    const Number latest = begun_.load(std::memory_order_relaxed);
    Ticks begin = 0;
    int looks = kMostLooks;
    do {
      const Number ended = ended_.load(std::memory_order_acquire);  // [end]
      if (ended > latest) return;
      if (ended == latest && try_begin(latest)) return make(latest + 1, fence);
    } while (--looks > 0 && pace_.worth_waiting(begin));
    make(begun_.fetch_add(1, std::memory_order_relaxed) + 1, fence);  // [request]
  }

 private:
  using Number = std::uint64_t;

  static constexpr int kMostLooks = 1 << 18;  // a millisecond and more: the clock may not advance

  /// Returns whether the caller must make fence number latest + 1.
  [[nodiscard]] bool try_begin(Number latest) noexcept {
    // Read before the exchange: only one of the callers that wait for `latest` to end can succeed, and the others leave the
    // cache line shared.
    if (begun_.load(std::memory_order_relaxed) != latest) return false;
    // [request]
    return begun_.compare_exchange_strong(latest, latest + 1, std::memory_order_relaxed, std::memory_order_relaxed);
  }

  template <class Fence>
  void make(Number number, Fence& fence) noexcept {
    const Ticks begin = FencePace::now();
    fence();
    pace_.note(begin);
    end(number);
  }

  /// Fence number `number` has ended; a later one may have ended before it.
  void end(Number number) noexcept {
    Number ended = ended_.load(std::memory_order_relaxed);
    // [end]
    while (ended < number &&
           !ended_.compare_exchange_weak(ended, number, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  // Waiting callers read ended_. They read begun_ only when a fence may begin.
  Atomic<Number> begun_{0};                      // the latest number; written when a fence begins
  alignas(kCacheLine) Atomic<Number> ended_{0};  // the highest number that has ended; written when a fence ends
  FencePace pace_;                               // written when a fence ends
};

static_assert(sizeof(CoalescedFence) == 2 * kCacheLine);

}  // namespace blitz::detail
