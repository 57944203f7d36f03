// What got slower or faster since an earlier run. bench/baseline.py does it, which reads JSON with Python's own library
// and also compares two files without a run; this calls it.
#pragma once

#include <string>

#include "bench/compare/results.hpp"

namespace bench {

/// Throws BadOptions, after the script has told the user why, unless `file` is the JSON of a run at `scale`: to be known
/// before anything is measured.
void check_baseline(const std::string& file, const std::string& scale);

/// Writes to the standard output which entries of `json`, a run's results, differ from those of `file` beyond the noise.
/// Throws as check_baseline.
void write_changes(const std::string& file, const std::string& json);

}  // namespace bench
