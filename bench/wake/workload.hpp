// Two equal pieces of busy work, called by the main thread after an idle gap, when all workers sleep: how long the
// second piece waits for a processor. On two processors nobody can be faster than one piece takes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "bench/harness/clock.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

/// `steps` steps of a chain in which each needs the one before: a fixed amount of work, whatever else runs. A piece
/// timed by the clock instead would count the time during which it is preempted as done.
BENCH_NOINLINE inline std::uint64_t busy_work(std::uint64_t state, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    keep(state);
  }
  return state;
}

struct Wake : Workload {
  static constexpr Spec spec{.name = "wake",
                             .title = "2 x 200 us of work from main after 20 ms idle: time over that of one piece",
                             .unit_of_work = "call",
                             .metric = Metric::microseconds,
                             .timing = Timing::wake};

  explicit Wake(Scale scale) {
    constexpr std::uint64_t kTrial = 200'000;
    const double step = fastest_seconds(kTrial) / static_cast<double>(kTrial);
    steps_ = static_cast<std::uint64_t>(pick(scale, 200e-6, 200e-6, 5e-6) / step);
    ideal_ = fastest_seconds(steps_);
    for (std::size_t i = 0; i < kPieces; ++i) expected_[i] = busy_work(i + 1, steps_);
  }

  void reset() override {
    for (auto& p : done_) p.value.store(0, std::memory_order_relaxed);
  }
  bool check(std::size_t runs) const override {
    return std::all_of(done_.begin(), done_.end(),
                       [runs](const Done& d) { return d.value.load(std::memory_order_relaxed) == runs; });
  }
  double ideal_seconds() const override { return ideal_; }

  /// Does piece `i`, once in every run.
  void piece(std::size_t i) {
    if (busy_work(i + 1, steps_) == expected_[i]) done_[i].value.fetch_add(1, std::memory_order_relaxed);
  }

  static constexpr std::size_t kPieces = 2;

 private:
  struct alignas(128) Done {
    std::atomic<std::size_t> value{0};
  };

  /// The fastest of many trials, in seconds.
  static double fastest_seconds(std::uint64_t steps) {
    double fastest = 1;
    for (int trial = 0; trial < 50; ++trial) {
      const auto start = Clock::now();
      auto state = busy_work(1, steps);
      fastest = std::min(fastest, seconds(Clock::now() - start));
      keep(state);
    }
    return fastest;
  }

  std::uint64_t steps_;
  double ideal_;
  std::array<std::uint64_t, kPieces> expected_;
  std::array<Done, kPieces> done_;
};

}  // namespace bench
