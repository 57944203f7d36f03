// Work of a known duration that uses no memory, makes no call and cannot be optimised away.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bench/harness/clock.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

/// `steps` dependent steps: a fixed amount of work, whatever other threads do. A loop until a point in time would count its
/// preemption as work.
BENCH_NOINLINE inline std::uint64_t busy_work(std::uint64_t state, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    keep(state);
  }
  return state;
}

/// The undisturbed duration of `steps` steps: the fastest of many trials.
inline double busy_seconds(std::uint64_t steps) {
  double fastest = 1;
  for (int trial = 0; trial < 50; ++trial) {
    const auto start = Clock::now();
    auto state = busy_work(1, steps);
    fastest = std::min(fastest, seconds(Clock::now() - start));
    keep(state);
  }
  return fastest;
}

/// The number of steps, at least one, that take `duration` seconds.
inline std::uint64_t busy_steps(double duration) {
  constexpr std::uint64_t kTrial = 200'000;
  static const double step = busy_seconds(kTrial) / static_cast<double>(kTrial);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(duration / step));
}

}  // namespace bench
