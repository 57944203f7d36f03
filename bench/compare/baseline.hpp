// Reports changes of speed since an earlier run. Calls bench/baseline.py, which can also compare two files.
#pragma once

#include <string>

#include "bench/compare/results.hpp"

namespace bench {

/// Throws BadOptions, after the script has printed the reason, unless `file` is the JSON of a run at `scale`. Called before all
/// measurements.
void check_baseline(const std::string& file, const std::string& scale);

/// Prints the entries of `json`, the results of a run, that differ from `file` beyond the noise. Throws like check_baseline.
void write_changes(const std::string& file, const std::string& json);

}  // namespace bench
