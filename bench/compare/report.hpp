// The two forms of the results: a table to read, and JSON for other programs (charts.py, baseline.py).
#pragma once

#include <iosfwd>
#include <vector>

#include "bench/compare/results.hpp"
#include "bench/compare/targets.hpp"

namespace bench {

void write_table(std::ostream& out, const Results& results);
void write_targets(std::ostream& out, const std::vector<Target>& targets);
void write_json(std::ostream& out, const Results& results, const std::vector<Target>& targets);

}  // namespace bench
