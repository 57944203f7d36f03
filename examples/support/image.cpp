#include "image.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

#ifdef EXAMPLE_HAVE_LIBPNG
#include <png.h>
#endif

namespace example {
namespace {

static_assert(sizeof(Rgb) == 3, "both writers hand rows of Rgb over as bytes");

void write_ppm(const std::string& path, const Image& image) {
  std::ofstream out(path, std::ios::binary);
  out << "P6\n" << image.width() << ' ' << image.height() << "\n255\n";
  const auto bytes = std::as_bytes(image.pixels());
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path);
}

#ifdef EXAMPLE_HAVE_LIBPNG
constexpr bool kHavePng = true;

void write_png(const std::string& path, const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width());
  png.height = static_cast<png_uint_32>(image.height());
  png.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&png, path.c_str(), 0, image.pixels().data(), 0, nullptr) == 0) {
    throw std::runtime_error("cannot write " + path + ": " + png.message);
  }
}
#else
constexpr bool kHavePng = false;

void write_png(const std::string& path, const Image&) {
  throw std::runtime_error("cannot write " + path + ": built without libpng");
}
#endif

}  // namespace

std::string preferred_image_format() { return kHavePng ? "png" : "ppm"; }

bool can_write_image(const std::string& path) { return path.ends_with(".ppm") || (kHavePng && path.ends_with(".png")); }

Image read_ppm(const std::string& path) {
  constexpr std::size_t kMostPixels = std::size_t{1} << 30;
  std::ifstream in(path, std::ios::binary);
  std::string magic;
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t greatest = 0;
  in >> magic >> width >> height >> greatest;
  in.get();  // the single blank before the pixels
  if (!in || magic != "P6" || greatest != 255 || width == 0 || height == 0 || width > kMostPixels / height) {
    throw std::runtime_error(path + " is no PPM of 8 bits");
  }
  Image image(width, height);
  const auto bytes = std::as_writable_bytes(image.pixels());
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) {
    throw std::runtime_error(path + " ends before its last pixel");
  }
  return image;
}

void write_image(const std::string& path, const Image& image) {
  path.ends_with(".png") ? write_png(path, image) : write_ppm(path, image);
}

}  // namespace example
