#include "bench/compare/svg.hpp"

#include <array>
#include <ostream>

namespace bench::svg {
namespace {

using Shades = std::array<std::string_view, 4>;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void begin(std::ostream& out, int width, int height) {
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
      << "\" viewBox=\"0 0 " << width << ' ' << height
      << "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#212529\">\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
}

void end(std::ostream& out) { out << "</svg>\n"; }

void text(std::ostream& out, int x, int y, std::string_view attributes, std::string_view content) {
  out << "<text x=\"" << x << "\" y=\"" << y << "\" " << attributes << ">" << escaped(content) << "</text>\n";
}

std::string_view colour(std::string_view peer, std::size_t shade) {
  constexpr Shades kBlitz{"#d9480f", "#f08c00", "#862e0a", "#e8590c"};
  constexpr Shades kTbb{"#1971c2", "#0b7285", "#4dabf7", "#364fc7"};
  constexpr Shades kOpenMp{"#2f9e44", "#74b816", "#0b5a22", "#20c997"};
  constexpr Shades kClang{"#fab005", "#a68a00", "#ffe066", "#7f6000"};
  constexpr Shades kRayon{"#9c36b5", "#e64980", "#5f3dc4", "#e599f7"};
  constexpr Shades kOther{"#868e96", "#495057", "#adb5bd", "#212529"};
  const Shades& shades = peer.starts_with("blitz")    ? kBlitz
                         : peer.starts_with("tbb")    ? kTbb
                         : peer.starts_with("openmp") ? kOpenMp
                         : peer.starts_with("clang")  ? kClang
                         : peer.starts_with("rayon")  ? kRayon
                                                      : kOther;
  return shades[shade % shades.size()];
}

}  // namespace bench::svg
