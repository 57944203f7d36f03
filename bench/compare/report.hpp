// The forms in which results are given: a table to read, JSON to compute with, charts to look at.
#pragma once

#include <iosfwd>
#include <vector>

#include "bench/compare/results.hpp"
#include "bench/compare/targets.hpp"

namespace bench {

void write_table(std::ostream& out, const Results& results, const std::vector<Target>& targets);
void write_json(std::ostream& out, const Results& results, const std::vector<Target>& targets);

/// The medians of all rows, with their quartiles.
void write_bar_chart(std::ostream& out, const Results& results);

/// The speed-up over the serial form against the number of threads, or against the length of a loop's body. Nothing is
/// written, and false returned, where there is nothing to draw a line through.
bool write_speed_up_chart(std::ostream& out, const Results& results);
bool write_break_even_chart(std::ostream& out, const Results& results);

}  // namespace bench
