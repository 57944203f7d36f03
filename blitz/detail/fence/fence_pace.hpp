/// The usual duration of a process-wide fence, and so the time that a caller waits for another thread's fence
/// (coalesced_fence.hpp). Any thread.
#pragma once

#include <algorithm>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/robust_average.hpp"
#include "blitz/detail/base/ticks.hpp"

namespace blitz::detail {

class FencePace {
 public:
  [[nodiscard]] static Ticks now() noexcept { return ticks_now(); }

  /// A fence that began at `begin` has just ended.
  void note(Ticks begin) noexcept {
    usual_.learn(ticks_between(begin, now()), kLeast * ticks_per_microsecond(), kMost * ticks_per_microsecond());
  }

  /// Pauses a caller that has waited for fences of other threads since `begin`; sets `begin` in the first call, when it is 0.
  /// Returns false when two fences, the current and the next, should have ended.
  [[nodiscard]] bool worth_waiting(Ticks& begin) const noexcept {
    if (begin == 0) begin = now();
    cpu_relax();
    return now() - begin < 2 * std::max(usual_.value(), kLeast * ticks_per_microsecond());
  }

 private:
  // Microseconds. With many virtual processors a fence takes hundreds; a preempted thread takes thousands.
  static constexpr Ticks kLeast = 16;
  static constexpr Ticks kMost = 256;

  RobustAverage usual_{0};  // 0: no fence has ended yet
};

}  // namespace blitz::detail
