// a = b + s * c over arrays larger than most caches, as in McCalpin's STREAM: unlike saxpy it reads nothing of what it
// writes, so that the hardware may fetch the lines it is about to overwrite for nothing.
#pragma once

#include <algorithm>
#include <vector>

#include "bench/harness/workload.hpp"

namespace bench {

/// All values are small whole numbers, so that the result is exact with and without fused multiply-add. A run overwrites
/// what the one before it left: `s` is the number of the run, and no result of an earlier one passes for the last.
struct Triad : Workload {
  static constexpr Spec spec{.name = "triad",
                             .title = "a = b + s * c on doubles, two arrays read, one written, called from main",
                             .unit_of_work = "byte",
                             .metric = Metric::gigabytes_per_second,
                             .timing = Timing::runs,
                             .quick = Quick::no};

  explicit Triad(Scale scale) : a(pick<std::size_t>(scale, 8'000'000, 4'000'000, 5'000)), b(a.size()), c(a.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      b[i] = static_cast<double>(i % 16);
      c[i] = static_cast<double>(i % 8 + 1);
    }
  }

  void reset() override {
    std::fill(a.begin(), a.end(), 0.0);
    runs_ = 0;
  }
  bool check(std::size_t runs) const override {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i] + static_cast<double>(runs) * c[i]) return false;
    }
    return true;
  }
  double units() const override { return 3.0 * sizeof(double) * static_cast<double>(a.size()); }

  /// The `s` of the run that begins.
  double next_scalar() { return static_cast<double>(++runs_); }

  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;

 private:
  std::size_t runs_ = 0;
};

}  // namespace bench
