#include "bench/compare/break_even.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bench {
namespace {

constexpr std::string_view kPrefix = "grain_";

/// The logarithms of the length of the body, and of how many times slower than the serial loop the parallel one is.
struct Point {
  double length;
  double ratio;
};

/// By length: the names of the workloads sort so, and the rows are sorted by them.
std::vector<Point> curve_of(const Results& results, const std::string& peer, unsigned threads) {
  std::vector<Point> curve;
  for (const auto& row : results.rows) {
    if (!row.spec->name.starts_with(kPrefix) || row.peer != peer || row.threads != threads) continue;
    const Row* serial = results.find(row.spec->name, "serial", threads);
    const double ratio = times_slower(&row, serial);
    if (std::isfinite(ratio)) curve.push_back({std::log(serial->median), std::log(ratio)});
  }
  return curve;
}

/// Where the curve falls below zero for the last time, on the straight line between two lengths.
double last_crossing(const std::vector<Point>& curve) {
  const auto last_slower = std::find_if(curve.rbegin(), curve.rend(), [](const Point& p) { return p.ratio > 0; });
  if (last_slower == curve.rend()) return 0;
  if (last_slower == curve.rbegin()) return std::numeric_limits<double>::infinity();
  const Point& above = *last_slower;
  const Point& below = *std::prev(last_slower);
  return std::exp(std::lerp(above.length, below.length, above.ratio / (above.ratio - below.ratio)));
}

}  // namespace

std::vector<BreakEven> break_evens(const Results& results) {
  std::vector<BreakEven> found;
  for (const auto& row : results.rows) {
    if (!row.spec->name.starts_with(kPrefix) || !row.threaded || row.threads == 1) continue;
    const bool known = std::any_of(found.begin(), found.end(), [&row](const BreakEven& b) {
      return b.peer == row.peer && b.threads == row.threads;
    });
    if (known) continue;
    const auto curve = curve_of(results, row.peer, row.threads);
    if (curve.size() > 1) found.push_back({row.peer, row.threads, last_crossing(curve)});
  }
  return found;
}

}  // namespace bench
