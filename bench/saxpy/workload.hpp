// y += a * x over arrays larger than the caches: the threads share one memory, and a good loop leaves it busy.
#pragma once

#include <algorithm>
#include <vector>

#include "bench/harness/workload.hpp"

namespace bench {

/// All values are small whole numbers, so that the result is exact with and without fused multiply-add, in any order.
struct Saxpy : Workload {
  static constexpr Spec spec{.name = "saxpy",
                             .title = "y += a * x on floats, two arrays read, one written",
                             .unit_of_work = "byte",
                             .metric = Metric::gigabytes_per_second,
                             .timing = Timing::runs};

  explicit Saxpy(Scale scale) : x(pick<std::size_t>(scale, 16'000'000, 4'000'000, 5'000)), y(x.size()) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 8);
  }

  void reset() override { std::fill(y.begin(), y.end(), 0.0f); }
  bool check(std::size_t runs) const override {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] != static_cast<float>(runs) * kA * x[i]) return false;
    }
    return true;
  }
  double units() const override { return 3.0 * sizeof(float) * static_cast<double>(x.size()); }

  static constexpr float kA = 2;
  std::vector<float> x;
  std::vector<float> y;
};

}  // namespace bench
