// Adaptive quadrature: an interval is halved until its trapezoid is as large as those of its halves together. A few
// multiplications a node, and a tree that is deeper where the curve bends more.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "bench/harness/workload.hpp"

namespace bench {

/// A piece under the curve, and its area by the trapezoidal rule.
struct Interval {
  double left;
  double right;
  double left_height;
  double right_height;
  double area;
};

inline double curve(double x) { return (x * x + 1.0) * x; }

/// The halves of `whole`. One copy of the code, so that the arithmetic is the same for all implementations.
BENCH_NOINLINE inline std::array<Interval, 2> halves(const Interval& whole) {
  const double width = (whole.right - whole.left) * 0.5;
  const double middle = whole.left + width;
  const double height = curve(middle);
  return {{{whole.left, middle, whole.left_height, height, (whole.left_height + height) * width * 0.5},
           {middle, whole.right, height, whole.right_height, (height + whole.right_height) * width * 0.5}}};
}

/// Whether halving has changed the area of `whole` so little that it may end.
inline bool fine_enough(const Interval& whole, const std::array<Interval, 2>& half, double tolerance) {
  return std::abs(half[0].area + half[1].area - whole.area) <= tolerance;
}

BENCH_NOINLINE inline double serial_integral(const Interval& whole, double tolerance) {
  const auto half = halves(whole);
  if (fine_enough(whole, half, tolerance)) return half[0].area + half[1].area;
  const double a = serial_integral(half[0], tolerance);
  return a + serial_integral(half[1], tolerance);
}

struct Integrate : Workload {
  static constexpr Spec spec{.name = "integrate",
                             .title = "adaptive quadrature without a cut-off, every halving a join",
                             .unit_of_work = "node",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs,
                             .in_quick = false};

  explicit Integrate(Scale scale)
      : tolerance(pick(scale, 1e-8, 1e-5, 1e2)), expected_(serial_integral(whole, tolerance)), nodes_(count(whole)) {}

  void reset() override { right_ = 0; }
  bool check(std::size_t runs) const override { return right_ == runs; }
  double units() const override { return static_cast<double>(nodes_); }

  /// The outcome of a run. The sums are made in the same order by all, so that it has to be exact.
  void add(double integral) { right_ += integral == expected_ ? 1 : 0; }

  static constexpr double kWidth = 1000;
  static constexpr Interval whole{0, kWidth, 0, (kWidth * kWidth + 1) * kWidth,
                                  (kWidth * kWidth + 1) * kWidth* kWidth * 0.5};
  const double tolerance;

 private:
  [[nodiscard]] std::uint64_t count(const Interval& interval) const {
    const auto half = halves(interval);
    return fine_enough(interval, half, tolerance) ? 1 : 1 + count(half[0]) + count(half[1]);
  }

  double expected_;
  std::uint64_t nodes_;
  std::size_t right_ = 0;
};

}  // namespace bench
