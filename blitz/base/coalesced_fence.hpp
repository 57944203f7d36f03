/// Expensive process-wide fences, of which those that are asked for at the same time share one.
///
/// The system runs such fences one after the other, and each serves the whole process: whoever learns that one has ended
/// that began after it asked need not make its own. So one fence under way and one that follows it serve any number of
/// callers.
///
/// The fences are numbered in the order of their beginnings. A caller notes the latest number, `latest`, and is done as
/// soon as a later one has ended. If none is under way it begins number latest + 1 itself, unless another caller does so
/// first. That other may be preempted, or may have been left behind by fork(): who has waited for as long as two fences
/// take makes one of its own, which also ends the wait of those who asked before it began. So nobody is held up by
/// another, a forked child needs no repair, and the rest is a matter of speed alone.
///
/// Any thread. Two words, on cache lines of their own: callers that wait read `ended_`, and `begun_` only where a fence may
/// be begun.
///
/// Numbers of grace periods in the Linux kernel's RCU are shared in this way (kernel/rcu/rcu.h, rcu_seq_snap).
#pragma once

#include <cstdint>

#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"
#include "blitz/base/fence_pace.hpp"
#include "blitz/base/ticks.hpp"

namespace blitz::detail {

// In one page, so that what fork() copies is of one instant: no number has ended in the child that has not begun there.
class alignas(2 * kCacheLine) CoalescedFence {
 public:
  constexpr CoalescedFence() = default;
  CoalescedFence(const CoalescedFence&) = delete;
  CoalescedFence& operator=(const CoalescedFence&) = delete;

  // Pairs:
  //   [request]  execute: seq_cst_fence, then begun_.load  <->  begun_ read-modify-write, then fence()
  //   [end]      end: ended_ compare-exchange (release), after fence()  ->  execute: ended_.load(acquire)

  /// Returns when a fence has ended that began after this call: another caller's, or `fence()`, which must begin with a
  /// full fence of the calling thread.
  template <class Fence>
  void execute(Fence&& fence) noexcept {
    // [request] Who begins a later fence than `latest` does so after this one, for all that the caller has stored.
    seq_cst_fence();
    const Number latest = begun_.load(std::memory_order_relaxed);
    FencePace::Wait wait;
    do {
      const Number ended = ended_.load(std::memory_order_acquire);  // [end]
      if (ended > latest) return;
      if (ended == latest && try_begin(latest)) return make(latest + 1, fence);
    } while (wait.goes_on(pace_));
    make(begun_.fetch_add(1, std::memory_order_relaxed) + 1, fence);  // [request]
  }

 private:
  using Number = std::uint64_t;

  /// Whether the caller is to make fence number latest + 1.
  [[nodiscard]] bool try_begin(Number latest) noexcept {
    // Asked before the exchange: of those who waited for `latest` to end, one succeeds, and the line is all the others'.
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

  /// Fence number `number` has ended. A later one may have done so before.
  void end(Number number) noexcept {
    Number ended = ended_.load(std::memory_order_relaxed);
    // [end]
    while (ended < number &&
           !ended_.compare_exchange_weak(ended, number, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  Atomic<Number> begun_{0};                      // the latest number: written by who begins a fence
  alignas(kCacheLine) Atomic<Number> ended_{0};  // the highest number that has ended: written by who ends one
  FencePace pace_;                               // likewise
};

static_assert(sizeof(CoalescedFence) == 2 * kCacheLine);

}  // namespace blitz::detail
