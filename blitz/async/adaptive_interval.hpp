/// How many jobs of its own a busy worker runs between two looks at the injector: as many as take about a millisecond.
///
/// Jobs of a microsecond leave the injector alone for long, jobs of a millisecond hardly at all; so a job from outside
/// waits about as long in either case. The time of a job is an exponentially weighted moving average over batches, for
/// which the clock is read once a batch.
///
/// One object belongs to one worker; nothing here is shared or synchronised.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace blitz::detail {

class AdaptiveInterval {
 public:
  using Nanoseconds = std::chrono::duration<double, std::nano>;

  static constexpr std::chrono::nanoseconds kTarget{1'000'000};
  static constexpr std::chrono::nanoseconds kFirstGuess{50'000};
  static constexpr double kAlpha = 0.1;  // the weight of the newest batch
  static constexpr unsigned kLeast = 8;
  static constexpr unsigned kMost = 255;

  /// The interval for jobs that take `job_time`.
  [[nodiscard]] static constexpr unsigned interval_for(Nanoseconds job_time) noexcept {
    const double jobs = kTarget / std::max(job_time, Nanoseconds(1));
    return static_cast<unsigned>(std::clamp(jobs, double{kLeast}, double{kMost}));
  }

  /// A batch of `jobs` jobs, at least one, took `time`.
  constexpr void batch_ran(std::uint64_t jobs, std::chrono::nanoseconds time) noexcept {
    const Nanoseconds sample = Nanoseconds(std::max(time, std::chrono::nanoseconds(0))) / static_cast<double>(jobs);
    job_time_ = kAlpha * sample + (1 - kAlpha) * job_time_;
    interval_ = interval_for(job_time_);
  }

  /// In jobs.
  [[nodiscard]] constexpr unsigned interval() const noexcept { return interval_; }
  [[nodiscard]] constexpr Nanoseconds job_time() const noexcept { return job_time_; }

 private:
  Nanoseconds job_time_ = kFirstGuess;
  unsigned interval_ = interval_for(kFirstGuess);
};

}  // namespace blitz::detail
