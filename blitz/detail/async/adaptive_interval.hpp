/// Decides when a busy worker takes a batch from the injector: when it has run own jobs for a millisecond since the last batch,
/// but not before 8 jobs, and not after 255. README.md compares this with an estimate.
///
/// Each object belongs to one worker; nothing is shared or synchronised.
#pragma once

#include <algorithm>

#include "blitz/detail/base/ticks.hpp"

namespace blitz::detail {

class AdaptiveInterval {
 public:
  static constexpr Ticks kMicroseconds = 1000;
  static constexpr unsigned kLeast = 8;
  static constexpr unsigned kMost = 255;

  /// The worker has taken a batch from the injector.
  constexpr void restart() noexcept { until_look_ = jobs_at_look_ = 0; }

  /// Whether look() must be called before the next own job of the worker.
  [[nodiscard]] constexpr bool look_is_due() const noexcept { return until_look_ == 0; }

  /// The worker runs an own job. Requires that no look is due.
  constexpr void own_job() noexcept { --until_look_; }

  /// Makes a look that is due. `waiting`: the injector has a job. `clock()` returns the time, and is called only if it is
  /// needed. Returns whether the worker must take a batch now.
  template <class Clock>
  [[nodiscard]] bool look(bool waiting, Clock&& clock) noexcept {
    const unsigned jobs = jobs_at_look_;
    if (jobs == 0) began_ = clock();
    until_look_ = jobs < kMost ? std::min(kLeast, kMost - jobs) : kLeast;
    jobs_at_look_ = std::min(jobs + until_look_, kMost);
    return jobs != 0 && waiting && (jobs == kMost || clock() - began_ >= kMicroseconds * ticks_per_microsecond());
  }

 private:
  unsigned until_look_ = 0;    // own jobs until the next look
  unsigned jobs_at_look_ = 0;  // own jobs since the last batch, by that look; at most kMost
  Ticks began_ = 0;            // the time before the first of them
};

}  // namespace blitz::detail
