// The three forms in which results are given: a table to read, JSON to compute with, a chart to look at.
#pragma once

#include <iosfwd>
#include <vector>

#include "bench/compare/results.hpp"
#include "bench/compare/targets.hpp"

namespace bench {

void write_table(std::ostream& out, const Results& results, const std::vector<Target>& targets);
void write_json(std::ostream& out, const Results& results, const std::vector<Target>& targets);
void write_svg(std::ostream& out, const Results& results);

}  // namespace bench
