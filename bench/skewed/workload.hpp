// A loop and a reduction over items whose costs follow a Pareto distribution: most are cheap, a few take a thousand times
// as long, and nobody knows which. A block of them can cost anything.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bench/harness/busy_work.hpp"
#include "bench/harness/hash.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

struct Skewed : Workload {
  explicit Skewed(Scale scale) : steps_(pick<std::size_t>(scale, 20'000, 10'000, 200)) {
    constexpr double kLeast = 50;
    constexpr double kMost = 50'000;
    constexpr double kShape = 1.1;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const double uniform = static_cast<double>(random_at(3, i) >> 11) * 0x1p-53;
      steps_[i] = static_cast<std::uint64_t>(std::min(kMost, kLeast * std::pow(1 - uniform, -1 / kShape)));
    }
  }

  [[nodiscard]] std::size_t size() const { return steps_.size(); }

  /// A few hundred nanoseconds to a hundred microseconds of work.
  [[nodiscard]] std::uint64_t item(std::size_t i) const { return busy_work(i + 1, steps_[i]); }

 private:
  std::vector<std::uint64_t> steps_;
};

struct SkewedLoop : Skewed {
  static constexpr Spec spec{.name = "skewed_loop",
                             .title = "a loop whose items' costs follow a Pareto distribution, called from main",
                             .unit_of_work = "call",
                             .metric = Metric::milliseconds,
                             .timing = Timing::runs};

  explicit SkewedLoop(Scale scale) : Skewed(scale), results(size()), expected_(size()) {
    for (std::size_t i = 0; i < size(); ++i) expected_[i] = item(i);
  }

  void reset() override { std::fill(results.begin(), results.end(), 0u); }
  bool check(std::size_t runs) const override {
    return std::equal(results.begin(), results.end(), expected_.begin(),
                      [runs](std::uint64_t found, std::uint64_t once) { return found == runs * once; });
  }

  void add(std::size_t i) { results[i] += item(i); }

  std::vector<std::uint64_t> results;

 private:
  std::vector<std::uint64_t> expected_;
};

struct SkewedReduce : Skewed {
  static constexpr Spec spec{.name = "skewed_reduce",
                             .title = "a sum over items whose costs follow a Pareto distribution, called from main",
                             .unit_of_work = "call",
                             .metric = Metric::milliseconds,
                             .timing = Timing::runs};

  explicit SkewedReduce(Scale scale) : Skewed(scale) {
    for (std::size_t i = 0; i < size(); ++i) expected_ += item(i);
  }

  void reset() override { sum = 0; }
  bool check(std::size_t runs) const override { return sum == runs * expected_; }

  std::uint64_t sum = 0;

 private:
  std::uint64_t expected_ = 0;
};

}  // namespace bench
