// Draws the Mandelbrot set, its rows in parallel. The rows have very different costs: one through the middle of the set takes
// many times as long as one at the edge. The loop balances them by splitting on demand.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numbers>
#include <span>
#include <string>

#include <blitz/blitz.hpp>

#include "support/image.hpp"
#include "support/options.hpp"
#include "support/pool.hpp"

namespace {

using example::Image;
using example::Rgb;

constexpr double kCentreX = -0.75;
constexpr double kSpanY = 2.5;
constexpr Rgb kInside{0, 0, 0};

// Three cosine waves out of phase: the colours change gradually, and none is as dark as the inside of the set.
Rgb colour_of(double escape_time) {
  const double angle = 2 * std::numbers::pi * std::sqrt(escape_time) / 6;
  const auto wave = [angle](double phase) {
    return static_cast<std::uint8_t>(std::lround(140 - 100 * std::cos(angle - phase)));
  };
  return {wave(1.8), wave(0.9), wave(0.0)};
}

Rgb pixel(double cx, double cy, std::size_t iterations) {
  // Far beyond the escape radius of 2, so that the fraction of an iteration below is accurate.
  constexpr double kEscapeSquared = 65536;
  double x = 0;
  double y = 0;
  for (std::size_t n = 0; n < iterations; ++n) {
    const double xx = x * x;
    const double yy = y * y;
    if (xx + yy > kEscapeSquared) {
      // Beyond the radius each step squares |z|, so the logarithm of its logarithm grows evenly, by one per step.
      const double beyond = std::log2(std::log2(xx + yy) / std::log2(kEscapeSquared));
      return colour_of(std::max(0.0, static_cast<double>(n) - beyond));
    }
    y = 2 * x * y + cy;
    x = xx - yy + cx;
  }
  return kInside;
}

void draw_row(Image& image, std::size_t row, std::size_t iterations) {
  const double step = kSpanY / static_cast<double>(image.height());
  const double cy = step * (static_cast<double>(image.height()) / 2 - static_cast<double>(row) - 0.5);
  const std::span<Rgb> pixels = image.row(row);
  for (std::size_t column = 0; column < pixels.size(); ++column) {
    const double offset = static_cast<double>(column) + 0.5 - static_cast<double>(image.width()) / 2;
    pixels[column] = pixel(kCentreX + step * offset, cy, iterations);
  }
}

int run(std::size_t width, std::size_t height, std::size_t iterations, const std::string& output, bool compare,
        std::size_t threads) {
  threads = example::start_pool(threads);

  Image image(width, height);
  const double parallel_ms = example::time_ms(
      [&] { blitz::parallel_for(std::size_t{0}, height, [&](std::size_t row) { draw_row(image, row, iterations); }); });
  example::write_image(output, image);
  std::printf("%s: %zu x %zu pixels, at most %zu iterations\n", output.c_str(), width, height, iterations);

  if (!compare) {
    std::printf("drawn in %.2f ms on %zu threads\n", parallel_ms, threads);
    return 0;
  }
  Image serial(width, height);
  const double serial_ms = example::time_ms([&] {
    for (std::size_t row = 0; row < height; ++row) draw_row(serial, row, iterations);
  });
  std::printf("time to draw, without writing the file:\n");
  example::print_comparison("serial", serial_ms, threads, parallel_ms);
  if (serial != image) {
    std::fprintf(stderr, "mandelbrot: the serial and the parallel picture differ\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::size_t width = 1400;
  std::size_t height = 1000;
  std::size_t iterations = 1000;
  std::string output = "mandelbrot." + example::preferred_image_format();
  bool compare = false;
  std::size_t threads = 0;
  example::Options options("mandelbrot", "Draws the Mandelbrot set into a picture file.");
  options.number("--width", "pixels in a row", width, 1, 32768);
  options.number("--height", "rows", height, 1, 32768);
  options.number("--iterations", "steps after which a point counts as inside", iterations, 1, 1'000'000'000);
  options.text("--output", "FILE", "picture to write, .ppm, or .png where built with libpng", output);
  options.flag("--compare", "draw it serially too, compare the pictures and print both times", compare);
  example::add_threads_option(options, threads);
  if (const auto status = options.parse(argc, argv)) return *status;
  if (!example::can_write_image(output)) {
    std::fprintf(stderr, "mandelbrot: --output: cannot write '%s' in any format of this build; try a name in .%s\n",
                 output.c_str(), example::preferred_image_format().c_str());
    return 2;
  }
  return run(width, height, iterations, output, compare, threads);
} catch (const std::exception& error) {
  std::fprintf(stderr, "mandelbrot: %s\n", error.what());
  return 1;
}
