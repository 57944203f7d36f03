#include "bench/compare/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench {
namespace {

std::string fixed(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

}  // namespace

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  const int whole = value == 0 ? 1 : std::max(1, static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1);
  return fixed(value, std::max(0, digits - whole));
}

std::string time_text(double seconds, int digits) {
  if (!std::isfinite(seconds)) return "-";
  struct Unit {
    double scale;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1, " s"}, {1e3, " ms"}, {1e6, " us"}, {1e9, " ns"}, {1e12, " ps"}};
  for (const auto& unit : kUnits) {
    if (seconds * unit.scale >= 1) return number_text(seconds * unit.scale, digits) + unit.name;
  }
  return "0";
}

std::string percent_text(double share) { return std::isfinite(share) ? fixed(share * 100, 0) + "%" : "-"; }

}  // namespace bench
