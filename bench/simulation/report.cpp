#include "bench/simulation/report.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string>

namespace simulation {
namespace {

std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

/// Right-aligned columns, as Markdown.
class Table {
 public:
  /// Begins a row. The first row names the columns.
  void row() { rows_.emplace_back(); }
  void cell(std::string text) { rows_.back().push_back(std::move(text)); }
  void cell(double value, int decimals) { cell(number(value, decimals)); }

  void print(std::ostream& out) const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()), 1);
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::size_t i = 0; i < rows_[r].size(); ++i) {
        out << "| " << std::string(widths[i] - rows_[r][i].size(), ' ') << rows_[r][i] << ' ';
      }
      out << "|\n";
      if (r > 0) continue;
      for (const std::size_t width : widths) out << '|' << std::string(width + 1, '-') << ':';
      out << "|\n";
    }
    out << '\n';
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

/// The idle word of either backend.
LineCounts idle_word(const Counts& counts) {
  LineCounts sum = counts.line("idle word");
  sum += counts.line("idle_word.hpp");
  return sum;
}
LineCounts push_end(const Counts& counts) {
  LineCounts sum = counts.line("push end");
  sum += counts.line("LIFO slot");
  return sum;
}

}  // namespace

void print_scenario(std::ostream& out, const Scenario& scenario, Time alone, const std::vector<Row>& rows) {
  out << scenario.name << ": " << scenario.what << "\n\n";
  Table table;
  table.row();
  for (const char* const name : {"threads",  "us",       "speed-up", "eff. %",   "stolen",    "tried",     "looks",
                                 "fences",   "fence %",  "calls",    "intr.",    "idle word", "idle w. %", "steal end",
                                 "st. e. %", "push end", "pu. e. %", "loop end", "lo. e. %",  "wakes",     "CPUs"}) {
    table.cell(name);
  }
  for (const auto& figure : rows.front().outcome.more) table.cell(figure.name);
  for (const Row& row : rows) {
    const Outcome& o = row.outcome;
    const double time = in_nanoseconds(o.time);
    const double busy = in_nanoseconds(o.counts.busy_in_all());
    const auto line = [&](const LineCounts& counts) {
      table.cell(static_cast<double>(counts.transfers), 0);
      table.cell(100 * ratio(in_nanoseconds(counts.waited), busy), 1);
    };
    table.row();
    table.cell(std::to_string(row.threads) + (o.correct ? "" : " WRONG"));
    table.cell(time / 1000, 1);
    table.cell(ratio(in_nanoseconds(alone), time), 2);
    table.cell(100 * ratio(in_nanoseconds(o.work), time * o.speed), 1);
    table.cell(static_cast<double>(o.stats.jobs_stolen), 0);
    table.cell(static_cast<double>(o.stats.steals_tried), 0);
    table.cell(static_cast<double>(push_end(o.counts).foreign_loads), 0);
    table.cell(static_cast<double>(o.counts.heavy_fences_in_all()), 0);
    table.cell(100 * ratio(in_nanoseconds(o.counts.heavy_fence_time), busy), 1);
    table.cell(static_cast<double>(o.counts.membarriers), 0);
    table.cell(static_cast<double>(o.counts.interrupts), 0);
    line(idle_word(o.counts));
    line(o.counts.line("steal end"));
    line(push_end(o.counts));
    line(o.counts.line("flat_end.hpp"));
    table.cell(static_cast<double>(o.counts.wakes), 0);
    table.cell(ratio(busy, in_nanoseconds(o.counts.time)), 1);
    for (const auto& figure : o.more) table.cell(figure.value, figure.decimals);
  }
  table.print(out);
}

void print_details(std::ostream& out, const Scenario& scenario, const std::vector<Row>& rows) {
  Table table;
  table.row();
  for (const char* const name : {"threads", "line, or fence of", "count", "transfers", "us waited"}) table.cell(name);
  for (const Row& row : rows) {
    for (const auto& [name, counts] : row.outcome.counts.lines) {
      if (counts.transfers == 0) continue;
      table.row();
      table.cell(std::to_string(row.threads));
      table.cell(name);
      table.cell(static_cast<double>(counts.accesses), 0);
      table.cell(static_cast<double>(counts.transfers), 0);
      table.cell(in_nanoseconds(counts.waited) / 1000, 1);
    }
    for (const auto& [name, count] : row.outcome.counts.heavy_fences) {
      if (count == 0) continue;
      table.row();
      table.cell(std::to_string(row.threads));
      table.cell(name);
      table.cell(static_cast<double>(count), 0);
      table.cell("-");
      table.cell("-");
    }
  }
  out << scenario.name << ", in detail\n\n";
  table.print(out);
}

}  // namespace simulation
