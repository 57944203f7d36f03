#include "bench/harness/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace bench {

double quantile(std::vector<double> sample, double q) {
  if (sample.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(sample.begin(), sample.end());
  const double position = q * static_cast<double>(sample.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, sample.size() - 1);
  return std::lerp(sample[below], sample[above], position - static_cast<double>(below));
}

double middle_mean(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  const std::size_t outside = sample.size() / 4;
  const double sum = std::accumulate(sample.begin() + static_cast<std::ptrdiff_t>(outside),
                                     sample.end() - static_cast<std::ptrdiff_t>(outside), 0.0);
  return sum / static_cast<double>(sample.size() - 2 * outside);
}

}  // namespace bench
