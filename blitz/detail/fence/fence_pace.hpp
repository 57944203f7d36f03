/// How long a process-wide fence takes at present, and so how long it is worth waiting for another thread's fence
/// (coalesced_fence.hpp). Any thread.
#pragma once

#include <algorithm>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/ticks.hpp"

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
    const Ticks took = std::clamp(ticks_between(begin, now()), least, most);
    // Relaxed, here and in usual(): an estimate. Not stored if unchanged: waiting callers read this line.
    if (took != known) usual_.store(took, std::memory_order_relaxed);
  }

  /// Pauses a caller that waits for fences of other threads since `begin`, 0 at first. Returns whether another look is
  /// worth it: until two fences, the current and the next, should have ended.
  [[nodiscard]] bool worth_waiting(Ticks& begin) const noexcept {
    if (begin == 0) begin = now();
    cpu_relax();
    return now() - begin < 2 * usual();
  }

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
