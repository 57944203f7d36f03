#include <algorithm>
#include <ostream>

#include "bench/compare/line_chart.hpp"
#include "bench/compare/report.hpp"

namespace bench {
namespace {

/// One workload's lines: those that have two points at least.
std::vector<Line> lines(const Results& results, const Spec& spec) {
  std::vector<Line> found;
  for (const auto& row : results.rows) {
    if (row.spec != &spec || !row.threaded) continue;
    const double speed_up = times_slower(results.find(spec.name, "serial", row.threads), &row);
    if (!std::isfinite(speed_up)) continue;
    auto line = std::find_if(found.begin(), found.end(), [&row](const Line& l) { return l.peer == row.peer; });
    if (line == found.end()) line = found.insert(line, {row.peer, {}});
    line->points.push_back({static_cast<double>(row.threads), speed_up});
  }
  std::erase_if(found, [](const Line& line) { return line.points.size() < 2; });
  return found;
}

Panel panel(const Results& results, const Spec& spec) {
  Panel panel{std::string(spec.name), "threads", {}, lines(results, spec), {}};
  for (const unsigned n : results.threads) panel.x_ticks.push_back({static_cast<double>(n), std::to_string(n)});
  const double fewest = panel.x_ticks.front().at;
  const double most = panel.x_ticks.back().at;
  panel.guides = {{"serial", {{fewest, 1}, {most, 1}}}, {"ideal", {{fewest, fewest}, {most, most}}}};
  return panel;
}

}  // namespace

bool write_speed_up_chart(std::ostream& out, const Results& results) {
  LineChart chart{
      "Speed-up over the serial form. Dashed: the serial form itself, and a speed-up by the number of threads.",
      "times as fast as the serial form",
      {}};
  const Spec* last = nullptr;
  for (const auto& row : results.rows) {
    if (row.spec == last) continue;
    last = row.spec;
    // Neither an excess over the ideal nor a CPU time has a speed-up.
    if (last->timing == Timing::wake || is_cpu_time(*last)) continue;
    auto next = panel(results, *last);
    if (!next.lines.empty()) chart.panels.push_back(std::move(next));
  }
  if (chart.panels.empty()) return false;
  write_line_chart(out, chart);
  return true;
}

}  // namespace bench
