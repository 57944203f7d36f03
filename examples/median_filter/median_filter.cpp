// Removes noise from a picture: each pixel becomes the median of those around it, colour by colour.
//
// A pixel needs its neighbours, so the loop goes by tiles: the input of one tile fits in a cache.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include <blitz/blitz.hpp>

#include "support/image.hpp"
#include "support/options.hpp"
#include "support/pool.hpp"

namespace {

using example::Image;
using example::Rgb;

// Rings, and noise: every eighth pixel is black or white.
Image draw_noisy(std::size_t width, std::size_t height) {
  Image image(width, height);
  std::uint32_t random = 1;
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const double far = std::hypot(static_cast<double>(x) - static_cast<double>(width) / 2,
                                    static_cast<double>(y) - static_cast<double>(height) / 3);
      const auto wave = [far](double length) { return static_cast<std::uint8_t>(128 + 100 * std::sin(far / length)); };
      random = random * 1664525 + 1013904223;
      const auto noise = static_cast<std::uint8_t>(random >> 31 == 0 ? 0 : 255);
      image.row(y)[x] =
          random >> 28 < 14 && random >> 28 > 1 ? Rgb{wave(31), wave(23), wave(17)} : Rgb{noise, noise, noise};
    }
  }
  return image;
}

// Counts how often each value occurs; adding, removing and finding the median take a few steps each.
class Window {
 public:
  void add(std::uint8_t value) {
    ++fine_[value];
    ++coarse_[value / 16];
  }
  void remove(std::uint8_t value) {
    --fine_[value];
    --coarse_[value / 16];
  }
  [[nodiscard]] std::uint8_t value_at(std::size_t rank) const {
    std::size_t block = 0;
    for (; rank >= coarse_[block]; ++block) rank -= coarse_[block];
    std::size_t value = block * 16;
    for (; rank >= fine_[value]; ++value) rank -= fine_[value];
    return static_cast<std::uint8_t>(value);
  }

 private:
  std::array<std::uint32_t, 256> fine_{};
  std::array<std::uint32_t, 16> coarse_{};
};

// The medians of the pixels in [left, right) of a row, over squares with `radius` pixels to each side, cut off at the edges.
// The window moves along the row (Huang, Yang, Tang: A fast two-dimensional median filtering algorithm, 1979).
void filter_row(const Image& in, Image& out, std::size_t y, std::size_t left, std::size_t right, std::size_t radius) {
  const std::size_t top = y - std::min(y, radius);
  const std::size_t bottom = std::min(y + radius + 1, in.height());
  std::array<Window, 3> windows;
  const auto for_column = [&](std::size_t x, auto change) {
    for (std::size_t row = top; row < bottom; ++row) {
      const Rgb pixel = in.row(row)[x];
      change(windows[0], pixel.red);
      change(windows[1], pixel.green);
      change(windows[2], pixel.blue);
    }
  };
  const auto add = [](Window& window, std::uint8_t value) { window.add(value); };
  const auto remove = [](Window& window, std::uint8_t value) { window.remove(value); };

  std::size_t first = left - std::min(left, radius);
  std::size_t last = first;
  for (std::size_t x = left; x < right; ++x) {
    for (; last < std::min(x + radius + 1, in.width()); ++last) for_column(last, add);
    for (; first + radius < x; ++first) for_column(first, remove);
    const std::size_t middle = (last - first) * (bottom - top) / 2;
    out.row(y)[x] = {windows[0].value_at(middle), windows[1].value_at(middle), windows[2].value_at(middle)};
  }
}

Image filter(const Image& in, std::size_t radius) {
  Image out(in.width(), in.height());
  blitz::parallel_for_tiles({in.height(), in.width()}, [&](const blitz::Tile<2>& tile) {
    const auto columns = tile.cols();
    for (const std::size_t y : tile.rows()) filter_row(in, out, y, columns.front(), columns.back() + 1, radius);
  });
  return out;
}

Image filter_serially(const Image& in, std::size_t radius) {
  Image out(in.width(), in.height());
  for (std::size_t y = 0; y < in.height(); ++y) filter_row(in, out, y, 0, in.width(), radius);
  return out;
}

int run(const Image& noisy, std::size_t radius, const std::string& output, std::size_t threads) {
  threads = example::start_pool(threads);
  Image serial(1, 1);
  Image parallel(1, 1);
  const double serial_ms = example::time_ms([&] { serial = filter_serially(noisy, radius); });
  const double parallel_ms = example::time_ms([&] { parallel = filter(noisy, radius); });
  example::write_image(output, parallel);
  std::printf("%s: %zu x %zu pixels, squares of %zu\n", output.c_str(), noisy.width(), noisy.height(), 2 * radius + 1);
  example::print_comparison("serial", serial_ms, threads, parallel_ms);
  if (serial != parallel) {
    std::fprintf(stderr, "median_filter: the serial and the parallel picture differ\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string input;
  std::string before;
  std::string output = "median." + example::preferred_image_format();
  std::size_t width = 1200;
  std::size_t height = 800;
  std::size_t radius = 2;
  std::size_t threads = 0;
  example::Options options("median_filter", "Removes noise from a picture.");
  options.positional("FILE", "the picture, a PPM of 8 bits; none: rings with noise", input);
  options.number("--width", "pixels in a row, where there is no FILE", width, 1, 32768);
  options.number("--height", "rows, where there is no FILE", height, 1, 32768);
  options.number("--radius", "how far around a pixel the filter looks", radius, 0, 1000);
  options.text("--before", "NAME", "write the picture as it was, too", before);
  options.text("--output", "NAME", "picture to write, .ppm, or .png where built with libpng", output);
  example::add_threads_option(options, threads);
  if (const auto status = options.parse(argc, argv)) return *status;
  for (const std::string& path : {before, output}) {
    if (!path.empty() && !example::can_write_image(path)) {
      std::fprintf(stderr, "median_filter: cannot write '%s' in any format of this build; try a name in .%s\n",
                   path.c_str(), example::preferred_image_format().c_str());
      return 2;
    }
  }
  const Image noisy = input.empty() ? draw_noisy(width, height) : example::read_ppm(input);
  if (!before.empty()) example::write_image(before, noisy);
  return run(noisy, radius, output, threads);
} catch (const std::exception& error) {
  std::fprintf(stderr, "median_filter: %s\n", error.what());
  return 1;
}
