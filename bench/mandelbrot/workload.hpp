// The Mandelbrot set, a parallel loop over its rows: heavy iterations whose cost differs by a factor of a hundred.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/harness/workload.hpp"

namespace bench {

struct Mandelbrot : Workload {
  static constexpr Spec spec{.name = "mandelbrot",
                             .title = "the Mandelbrot set by rows",
                             .unit_of_work = "image",
                             .metric = Metric::milliseconds,
                             .timing = Timing::runs};

  explicit Mandelbrot(Scale scale)
      : side(pick<std::size_t>(scale, 1000, 200, 24)), image(side * side), expected_(side * side) {
    for (std::size_t y = 0; y < side; ++y) add_row(y);
    expected_.swap(image);
  }

  void reset() override { std::fill(image.begin(), image.end(), 0u); }
  bool check(std::size_t runs) const override {
    return std::equal(image.begin(), image.end(), expected_.begin(),
                      [runs](std::uint32_t found, std::uint32_t once) { return found == runs * once; });
  }

  /// Adds the escape times of row `y` to the image. One copy of the code serves all implementations.
  BENCH_NOINLINE void add_row(std::size_t y) {
    const double scale = 2.6 / static_cast<double>(side);
    const double im = static_cast<double>(y) * scale - 1.3;
    std::uint32_t* const row = image.data() + y * side;
    for (std::size_t x = 0; x < side; ++x) row[x] += escape_time(static_cast<double>(x) * scale - 2.0, im);
  }

  const std::size_t side;
  std::vector<std::uint32_t> image;

 private:
  static std::uint32_t escape_time(double re, double im) {
    constexpr std::uint32_t kLimit = 300;
    double a = 0;
    double b = 0;
    std::uint32_t n = 0;
    for (; n < kLimit && a * a + b * b <= 4; ++n) {
      const double next = a * a - b * b + re;
      b = 2 * a * b + im;
      a = next;
    }
    return n;
  }

  std::vector<std::uint32_t> expected_;
};

}  // namespace bench
