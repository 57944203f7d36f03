#include "bench/compare/break_even.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bench {

double GrainCurve::break_even() const {
  const auto last_slower = std::find_if(points.rbegin(), points.rend(), [](const Point& p) { return p.speed_up < 1; });
  if (last_slower == points.rend()) return 0;
  if (last_slower == points.rbegin()) return std::numeric_limits<double>::infinity();
  const Point& slower = *last_slower;
  const Point& faster = *std::prev(last_slower);
  const double share = -std::log(slower.speed_up) / std::log(faster.speed_up / slower.speed_up);
  return std::exp(std::lerp(std::log(slower.nanoseconds), std::log(faster.nanoseconds), share));
}

std::vector<GrainCurve> grain_curves(const Results& results) {
  std::vector<GrainCurve> curves;
  // By length, because the names of the workloads sort by length, and the rows are sorted by name.
  for (const auto& row : results.rows) {
    if (!row.spec->name.starts_with("grain_") || !row.threaded || row.threads == 1) continue;
    const double speed_up = results.speed_up(row);
    if (!std::isfinite(speed_up)) continue;
    auto curve = std::find_if(curves.begin(), curves.end(),
                              [&row](const GrainCurve& c) { return c.peer == row.peer && c.threads == row.threads; });
    if (curve == curves.end()) curve = curves.insert(curve, {row.peer, row.threads, {}});
    curve->points.push_back({results.find(row.spec->name, "serial", row.threads)->median, speed_up});
  }
  std::erase_if(curves, [](const GrainCurve& c) { return c.points.size() < 2; });
  return curves;
}

}  // namespace bench
