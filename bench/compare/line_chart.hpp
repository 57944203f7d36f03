// Lines in small multiples, on logarithmic axes both ways: there a ratio has the same height everywhere, and an ideal
// speed-up is a straight line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace bench {

struct Point {
  double x;  ///< both positive and finite
  double y;
};

/// One implementation's line; its name decides the colour, the same in all panels.
struct Line {
  std::string peer;
  std::vector<Point> points;
};

struct Tick {
  double at;
  std::string label;
};

struct Panel {
  std::string title;
  std::string x_label;
  std::vector<Tick> x_ticks;
  std::vector<Line> lines;
  std::vector<Line> guides;  ///< thin and dashed, what the lines are to be compared with
};

/// `y_label` stands above each panel's axis, `heading` above them all.
struct LineChart {
  std::string heading;
  std::string y_label;
  std::vector<Panel> panels;
};

void write_line_chart(std::ostream& out, const LineChart& chart);

}  // namespace bench
