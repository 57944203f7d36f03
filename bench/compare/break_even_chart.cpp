#include <algorithm>
#include <cmath>
#include <ostream>

#include "bench/compare/break_even.hpp"
#include "bench/compare/line_chart.hpp"
#include "bench/compare/report.hpp"
#include "bench/compare/text.hpp"

namespace bench {
namespace {

/// The powers of ten of nanoseconds from about the shortest body to about the longest.
std::vector<Tick> length_ticks(const std::vector<Line>& lines) {
  double shortest = lines.front().points.front().x;
  double longest = shortest;
  for (const auto& line : lines) {
    for (const auto& point : line.points) {
      shortest = std::min(shortest, point.x);
      longest = std::max(longest, point.x);
    }
  }
  std::vector<Tick> ticks;
  for (auto power = std::lround(std::log10(shortest)); power <= std::lround(std::log10(longest)); ++power) {
    const double at = std::pow(10.0, static_cast<double>(power));
    ticks.push_back({at, time_text(at * 1.0001e-9, 1)});  // not a rounding error below the unit
  }
  return ticks;
}

Panel panel(const std::vector<GrainCurve>& curves, unsigned threads) {
  Panel panel{std::to_string(threads) + " threads", "length of the body in the serial loop", {}, {}, {}};
  for (const auto& curve : curves) {
    if (curve.threads != threads) continue;
    Line line{curve.peer, {}};
    for (const auto& point : curve.points) line.points.push_back({point.nanoseconds, point.speed_up});
    panel.lines.push_back(std::move(line));
  }
  panel.x_ticks = length_ticks(panel.lines);
  double first = panel.x_ticks.front().at;
  double last = panel.x_ticks.back().at;
  for (const auto& line : panel.lines) {
    first = std::min(first, line.points.front().x);
    last = std::max(last, line.points.back().x);
  }
  const auto ideal = static_cast<double>(threads);
  panel.guides = {{"serial", {{first, 1}, {last, 1}}}, {"ideal", {{first, ideal}, {last, ideal}}}};
  return panel;
}

}  // namespace

bool write_break_even_chart(std::ostream& out, const Results& results) {
  LineChart chart{
      "A loop of 32 items against the length of its body: it gains above the lower dashed line, the serial "
      "loop; the upper one is the number of threads.",
      "times as fast as the serial loop",
      {}};
  const auto curves = grain_curves(results);
  for (const unsigned threads : results.threads) {
    const bool measured =
        std::any_of(curves.begin(), curves.end(), [=](const auto& c) { return c.threads == threads; });
    if (measured) chart.panels.push_back(panel(curves, threads));
  }
  if (chart.panels.empty()) return false;
  write_line_chart(out, chart);
  return true;
}

}  // namespace bench
