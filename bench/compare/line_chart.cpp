#include "bench/compare/line_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <set>
#include <string_view>

#include "bench/compare/svg.hpp"
#include "bench/compare/text.hpp"

namespace bench {
namespace {

constexpr int kWidth = 1080;
constexpr int kHeadingHeight = 34;
constexpr int kPlotTop = 46;     // the title and the label of the y axis
constexpr int kPlotBottom = 50;  // the ticks and the label of the x axis
constexpr int kPlotLeft = 52;
constexpr int kLegendWidth = 148;
constexpr int kLegendLine = 16;
constexpr std::size_t kMostColumns = 3;
constexpr std::size_t kMostTicks = 8;

/// A logarithmic scale from values to pixels.
struct Axis {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  int first = 0;
  int last = 0;

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] int operator()(double value) const {
    const double share = high > low ? std::log(value / low) / std::log(high / low) : 0.5;
    return first + static_cast<int>(std::lround(share * (last - first)));
  }
};

/// 1, 2 and 5 times each power of ten between the two, or fewer where those are too many.
std::vector<double> round_values(double low, double high) {
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  std::vector<double> values;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double digit : {1.0, 2.0, 5.0}) values.push_back(digit * std::pow(10.0, exponent));
  }
  std::erase_if(values, [&](double v) { return v < low * 0.999 || v > high * 1.001; });
  if (values.size() <= kMostTicks) return values;
  const int step = (last - first) / static_cast<int>(kMostTicks) + 1;
  values.clear();
  for (int exponent = first; exponent <= last; exponent += step) values.push_back(std::pow(10.0, exponent));
  std::erase_if(values, [&](double v) { return v < low * 0.999 || v > high * 1.001; });
  return values;
}

/// The next of 1, 2 and 5 times a power of ten, downwards or upwards.
double round_down(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  return (value >= 5 * power ? 5 : value >= 2 * power ? 2 : 1) * power;
}
double round_up(double value) { return 1 / round_down(1 / value); }

/// Implementations of one library, over all panels, in the shades of one colour.
std::map<std::string, std::string_view> colours(const LineChart& chart) {
  std::set<std::string> peers;
  for (const auto& panel : chart.panels) {
    for (const auto& line : panel.lines) peers.insert(line.peer);
  }
  std::map<std::string, std::string_view> found;
  std::map<std::string, std::size_t> shades;
  for (const auto& peer : peers) found[peer] = svg::colour(peer, shades[peer.substr(0, peer.find('_'))]++);
  return found;
}

class PanelWriter {
 public:
  PanelWriter(std::ostream& out, const Panel& panel, int left, int top, int width, int height)
      : out_(out), panel_(panel), left_(left), top_(top) {
    for (const auto* lines : {&panel.lines, &panel.guides}) {
      for (const auto& line : *lines) {
        for (const auto& point : line.points) {
          x_.include(point.x);
          y_.include(point.y);
        }
      }
    }
    for (const auto& tick : panel.x_ticks) x_.include(tick.at);
    y_.low = round_down(y_.low);
    y_.high = round_up(y_.high);
    x_.first = left + kPlotLeft;
    x_.last = left + width - kLegendWidth;
    y_.first = top + height - kPlotBottom;
    y_.last = top + kPlotTop;
  }

  void write(std::string_view y_label, const std::map<std::string, std::string_view>& colour) {
    svg::text(out_, left_ + 16, top_ + 16, "font-weight=\"bold\" font-size=\"14\"", panel_.title);
    svg::text(out_, left_ + 16, top_ + 34, "font-size=\"11\" fill=\"#495057\"", y_label);
    write_axes();
    for (const auto& guide : panel_.guides) write_line(guide, "#868e96", "stroke-width=\"1\" stroke-dasharray=\"4 3\"");
    for (const auto& line : panel_.lines) {
      write_line(line, colour.at(line.peer), "stroke-width=\"2\"");
      write_points(line, colour.at(line.peer));
    }
    write_legend(colour);
  }

 private:
  void segment(int x1, int y1, int x2, int y2, std::string_view stroke) {
    out_ << "<path d=\"M" << x1 << ' ' << y1 << 'L' << x2 << ' ' << y2 << "\" stroke=\"" << stroke << "\"/>\n";
  }

  void write_axes() {
    for (const double value : round_values(y_.low, y_.high)) {
      segment(x_.first, y_(value), x_.last, y_(value), "#e9ecef");
      svg::text(out_, x_.first - 6, y_(value) + 4, "text-anchor=\"end\" font-size=\"11\"", short_text(value));
    }
    for (const auto& tick : panel_.x_ticks) {
      segment(x_(tick.at), y_.first, x_(tick.at), y_.first + 4, "#212529");
      svg::text(out_, x_(tick.at), y_.first + 18, "text-anchor=\"middle\" font-size=\"11\"", tick.label);
    }
    segment(x_.first, y_.first, x_.last, y_.first, "#212529");
    svg::text(out_, (x_.first + x_.last) / 2, y_.first + 34, "text-anchor=\"middle\" font-size=\"11\" fill=\"#495057\"",
              panel_.x_label);
  }

  void write_line(const Line& line, std::string_view stroke, std::string_view attributes) {
    out_ << "<polyline fill=\"none\" stroke=\"" << stroke << "\" " << attributes << " points=\"";
    for (const auto& point : line.points) out_ << x_(point.x) << ',' << y_(point.y) << ' ';
    out_ << "\"/>\n";
  }

  void write_points(const Line& line, std::string_view fill) {
    for (const auto& point : line.points) {
      out_ << "<circle cx=\"" << x_(point.x) << "\" cy=\"" << y_(point.y) << "\" r=\"3\" fill=\"" << fill << "\"/>\n";
    }
  }

  /// In the order in which the lines end, from above.
  void write_legend(const std::map<std::string, std::string_view>& colour) {
    std::vector<const Line*> order;
    for (const auto& line : panel_.lines) order.push_back(&line);
    std::stable_sort(order.begin(), order.end(),
                     [](const Line* a, const Line* b) { return a->points.back().y > b->points.back().y; });
    const int x = x_.last + 12;
    int y = y_.last + 4;
    for (const Line* line : order) {
      out_ << "<path d=\"M" << x << ' ' << y << "h14\" stroke-width=\"3\" stroke=\"" << colour.at(line->peer)
           << "\"/>\n";
      svg::text(out_, x + 18, y + 4, "font-size=\"11\"", line->peer);
      y += kLegendLine;
    }
  }

  std::ostream& out_;
  const Panel& panel_;
  int left_;
  int top_;
  Axis x_;
  Axis y_;
};

}  // namespace

void write_line_chart(std::ostream& out, const LineChart& chart) {
  std::size_t most_lines = 0;
  for (const auto& panel : chart.panels) most_lines = std::max(most_lines, panel.lines.size());
  const std::size_t columns = std::min(chart.panels.size(), kMostColumns);
  const int width = kWidth / static_cast<int>(columns);
  const int plot_height = std::max(columns == 1 ? 320 : 150, kLegendLine * static_cast<int>(most_lines));
  const int height = kPlotTop + plot_height + kPlotBottom;
  const int rows = static_cast<int>((chart.panels.size() + columns - 1) / columns);

  svg::begin(out, kWidth, kHeadingHeight + rows * height);
  svg::text(out, 16, 22, "", chart.heading);
  const auto colour = colours(chart);
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    const int left = static_cast<int>(i % columns) * width;
    const int top = kHeadingHeight + static_cast<int>(i / columns) * height;
    PanelWriter(out, chart.panels[i], left, top, width, height).write(chart.y_label, colour);
  }
  svg::end(out);
}

}  // namespace bench
