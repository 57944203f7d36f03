// A picture in memory, read from and written to files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace example {

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

class Image {
 public:
  Image(std::size_t width, std::size_t height) : width_(width), height_(height), pixels_(width * height) {}

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t height() const { return height_; }
  [[nodiscard]] std::span<Rgb> row(std::size_t y) { return std::span(pixels_).subspan(y * width_, width_); }
  [[nodiscard]] std::span<const Rgb> row(std::size_t y) const { return pixels().subspan(y * width_, width_); }
  [[nodiscard]] std::span<Rgb> pixels() { return pixels_; }
  [[nodiscard]] std::span<const Rgb> pixels() const { return pixels_; }

  friend bool operator==(const Image&, const Image&) = default;

 private:
  std::size_t width_;
  std::size_t height_;
  std::vector<Rgb> pixels_;
};

/// "png" if this was built with libpng, otherwise "ppm".
[[nodiscard]] std::string preferred_image_format();

/// Whether `write_image` can write a file of this name: `.ppm` always, `.png` with libpng.
[[nodiscard]] bool can_write_image(const std::string& path);

/// Reads a PPM of 8 bits ("P6"). Throws std::runtime_error if the file is not one.
[[nodiscard]] Image read_ppm(const std::string& path);

/// Writes the picture in the format given by the path's extension. Throws std::runtime_error on failure.
void write_image(const std::string& path, const Image& image);

}  // namespace example
