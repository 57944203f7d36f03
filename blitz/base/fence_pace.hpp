/// How long a process-wide fence takes at present, and so how long it is worth waiting for another thread's fence
/// (coalesced_fence.hpp). Any thread.
#pragma once

#include <algorithm>

#include "blitz/base/atomic.hpp"
#include "blitz/base/ticks.hpp"

namespace blitz::detail {

class FencePace {
 public:
  [[nodiscard]] static Ticks now() noexcept { return ticks_now(); }

  /// A fence that began at `begin` has just ended. Counts as twice the known time at most: its thread may have been
  /// preempted.
  void note(Ticks begin) noexcept {
    const Ticks known = usual();
    const Ticks least = kLeast * ticks_per_microsecond();
    const Ticks most = std::min(2 * known, kMost * ticks_per_microsecond());
    const Ticks took = std::clamp(now() - begin, least, most);
    // Relaxed, here and in usual(): an estimate. Not stored if unchanged: waiting callers read this line.
    if (took != known) usual_.store(took, std::memory_order_relaxed);
  }

  /// One caller's wait for fences of other threads.
  class Wait {
   public:
    /// Pauses. Returns whether another look is worth it: until two fences, the current and the next, should have ended.
    [[nodiscard]] bool goes_on(const FencePace& pace) noexcept {
      if (begin_ == 0) begin_ = now();
      cpu_relax();
      return now() - begin_ < 2 * pace.usual();
    }

   private:
    Ticks begin_ = 0;
  };

 private:
  // Microseconds. With many virtual processors a fence takes hundreds; a preempted thread takes thousands.
  static constexpr Ticks kLeast = 16;
  static constexpr Ticks kMost = 256;

  [[nodiscard]] Ticks usual() const noexcept {
    const Ticks usual = usual_.load(std::memory_order_relaxed);
    return usual != 0 ? usual : kLeast * ticks_per_microsecond();
  }

  Atomic<Ticks> usual_{0};  // 0: no fence has ended yet
};

}  // namespace blitz::detail
