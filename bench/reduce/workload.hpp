// The sum of an array of doubles larger than the caches: bandwidth, if the additions do not wait for each other.
#pragma once

#include <vector>

#include "bench/harness/workload.hpp"

namespace bench {

/// All values are small whole numbers, so that the sum is exact in any order.
struct Reduce : Workload {
  static constexpr Spec spec{.name = "reduce",
                             .title = "the sum of ten million doubles",
                             .unit_of_work = "call",
                             .metric = Metric::milliseconds,
                             .timing = Timing::runs};

  explicit Reduce(Scale scale) : values(pick<std::size_t>(scale, 10'000'000, 4'000'000, 5'000)) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 16);
    for (const double x : values) expected_ += x;
  }

  void reset() override { sum = 0; }
  bool check(std::size_t runs) const override { return sum == static_cast<double>(runs) * expected_; }

  std::vector<double> values;
  double sum = 0;

 private:
  double expected_ = 0;
};

}  // namespace bench
