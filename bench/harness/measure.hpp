// One repetition of one entry. All timing is here.
#pragma once

#include <chrono>
#include <cstddef>

#include "bench/harness/setup.hpp"

namespace bench {

/// The extent of a repetition.
struct Effort {
  double shortest_seconds;  ///< Timing::runs, Timing::cadence: runs are repeated for at least this long
  std::size_t calls;        ///< Timing::single_calls: at most this many, and no more than fit in `longest_seconds`
  double longest_seconds;   ///< see `calls`; a fiftieth of the calls is always made
  std::size_t wakes;        ///< Timing::wake
  std::chrono::milliseconds idle;
  std::chrono::milliseconds bursts;  ///< Timing::bursts: the bursts due in this time, but at least `fewest_bursts`
  std::size_t fewest_bursts;

  static constexpr Effort of(Scale scale) {
    return {.shortest_seconds = pick(scale, 0.05, 0.008, 0.0),
            .calls = pick<std::size_t>(scale, 20'000, 5'000, 50),
            .longest_seconds = pick(scale, 0.4, 0.02, 0.02),
            .wakes = pick<std::size_t>(scale, 25, 3, 2),
            .idle = std::chrono::milliseconds(pick(scale, 20, 20, 2)),
            .bursts = std::chrono::milliseconds(pick(scale, 100, 20, 0)),
            .fewest_bursts = 3};
  }
};

struct Repetition {
  double figure;             ///< in the workload's metric
  double p99;                ///< of single calls, in that metric; NaN for Timing::runs
  double wall_seconds;       ///< per unit of work, idle gaps included except in cadence; in bursts the median call
  double cpu_seconds;        ///< of the whole process, over the same time and per the same unit
  double cpu_after_seconds;  ///< used by the peer's threads after the last run, until they were quiet
  bool quiet;                ///< false: they never were
  bool correct;
};

/// Measures `bound` once, checks its result, and waits until its threads are quiet.
Repetition measure(const Bound& bound, const Effort& effort);

/// A time per unit of work as a figure of `metric`.
double to_figure(Metric metric, double seconds_per_unit);

}  // namespace bench
