// What got slower or faster since an earlier run. This calls bench/baseline.py, which can also compare two files.
#pragma once

#include <string>

#include "bench/compare/results.hpp"

namespace bench {

/// Throws BadOptions, after the script has printed the reason, unless `file` is the JSON of a run at `scale`. Called
/// before anything is measured.
void check_baseline(const std::string& file, const std::string& scale);

/// Writes to the standard output which entries of `json`, the results of a run, differ from those of `file` beyond the
/// noise. Throws like check_baseline.
void write_changes(const std::string& file, const std::string& json);

}  // namespace bench
