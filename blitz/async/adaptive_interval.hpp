/// When it is the injector's turn, for a worker that does not run dry: as soon as a millisecond has passed since the last
/// batch from there, but not before 8 jobs of the worker's own, and not after 255.
///
/// Jobs of a microsecond leave the injector alone for long, jobs of a millisecond hardly at all; so a job from outside
/// waits about as long in either case. For jobs that take a time t each this is `clamp(1 ms / t, 8, 255)`, rounded up to a
/// multiple of 8: the worker looks once in 8 jobs. The clock is read once a batch, and at those looks that find something
/// waiting. The time is measured and not estimated, so the first jobs, and jobs whose length changes, are no exception.
///
/// One object belongs to one worker; nothing here is shared or synchronised.
#pragma once

#include <algorithm>

#include "blitz/base/ticks.hpp"

namespace blitz::detail {

class AdaptiveInterval {
 public:
  static constexpr Ticks kMicroseconds = 1000;
  static constexpr unsigned kLeast = 8;
  static constexpr unsigned kMost = 255;

  /// The worker has taken a batch from the injector.
  constexpr void restart() noexcept { until_look_ = jobs_at_look_ = 0; }

  /// Before a job of the worker's own: whether to look() first.
  [[nodiscard]] constexpr bool look_is_due() const noexcept { return until_look_ == 0; }

  /// The worker runs a job of its own. No look is due.
  constexpr void own_job() noexcept { --until_look_; }

  /// A look that is due. `waiting`: whether there is something in the injector. Returns whether it is its turn. `clock()`
  /// gives the time, if it is needed.
  template <class Clock>
  [[nodiscard]] bool look(bool waiting, Clock&& clock) noexcept {
    const unsigned jobs = jobs_at_look_;
    if (jobs == 0) began_ = clock();
    until_look_ = jobs < kMost ? std::min(kLeast, kMost - jobs) : kLeast;
    jobs_at_look_ = std::min(jobs + until_look_, kMost);
    return jobs != 0 && waiting && (jobs == kMost || clock() - began_ >= kMicroseconds * ticks_per_microsecond());
  }

 private:
  unsigned until_look_ = 0;    // jobs of its own before the next look
  unsigned jobs_at_look_ = 0;  // since the last batch, when that look is due; kMost, if there are more
  Ticks began_ = 0;            // when the first of them was about to run
};

}  // namespace blitz::detail
