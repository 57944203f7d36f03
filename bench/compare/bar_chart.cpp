#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/compare/report.hpp"
#include "bench/compare/svg.hpp"
#include "bench/compare/text.hpp"

namespace bench {
namespace {

constexpr int kWidth = 900;
constexpr int kBarsLeft = 190;
constexpr int kBarsWidth = 540;
constexpr int kBarHeight = 16;
constexpr int kRowHeight = 22;
constexpr int kTitleHeight = 34;
constexpr int kGap = 18;

void bar(std::ostream& out, const Row& row, double longest, double ratio, int y) {
  const auto length = [&](double value) {
    return static_cast<int>(longest > 0 ? std::clamp(value / longest, 0.0, 1.0) * kBarsWidth : 0.0);
  };
  const auto label = row.threaded ? row.peer + ", " + std::to_string(row.threads) + " thr." : row.peer;
  const int middle = y + kBarHeight / 2;
  svg::text(out, kBarsLeft - 8, y + 12, "text-anchor=\"end\"", label);
  out << "<rect x=\"" << kBarsLeft << "\" y=\"" << y << "\" width=\"" << std::max(1, length(row.median))
      << "\" height=\"" << kBarHeight << "\" fill=\"" << svg::colour(row.peer) << "\"/>\n"
      << "<line x1=\"" << kBarsLeft + length(row.low) << "\" x2=\"" << kBarsLeft + length(row.high) << "\" y1=\""
      << middle << "\" y2=\"" << middle << "\" stroke=\"#212529\" stroke-width=\"2\"/>\n";
  svg::text(
      out, kBarsLeft + std::max(length(row.median), length(row.high)) + 8, y + 12, "",
      number_text(row.median) + " " + std::string(unit_name(row.spec->metric)) + "  (" + number_text(ratio) + "x)");
}

void panel(std::ostream& out, const Results& results, const std::vector<const Row*>& rows, int y) {
  double longest = 0;
  for (const Row* row : rows) longest = std::max({longest, row->median, row->high});
  const Spec& spec = *rows.front()->spec;
  svg::text(out, 16, y + 20, "font-weight=\"bold\" font-size=\"14\"",
            std::string(spec.name) + " [" + figure_name(spec) + "]: " + std::string(spec.title));
  y += kTitleHeight;
  for (const Row* row : rows) {
    bar(out, *row, longest, results.times_slower_than_blitz(*row), y);
    y += kRowHeight;
  }
}

}  // namespace

void write_bar_chart(std::ostream& out, const Results& results) {
  std::vector<std::vector<const Row*>> panels;
  for (const auto& row : results.rows) {
    if (panels.empty() || panels.back().front()->spec != row.spec) panels.emplace_back();
    panels.back().push_back(&row);
  }
  const auto height = [](const std::vector<const Row*>& rows) {
    return kTitleHeight + kRowHeight * static_cast<int>(rows.size()) + kGap;
  };
  int y = kTitleHeight;
  for (const auto& rows : panels) y += height(rows);

  svg::begin(out, kWidth, y);
  svg::text(out, 16, 22, "", "Medians with their quartiles; in brackets, how many times slower than blitz.");
  y = kTitleHeight;
  for (const auto& rows : panels) {
    panel(out, results, rows, y);
    y += height(rows);
  }
  svg::end(out);
}

}  // namespace bench
