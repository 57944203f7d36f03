// The passes over all selected entries.
#pragma once

#include <string>

#include "bench/compare/options.hpp"
#include "bench/compare/results.hpp"

namespace bench {

std::string scale_name(Scale scale);

/// Whether `options` select this entry.
bool is_wanted(const Entry& entry, const Options& options);

/// Measures all entries that `options` select; `options.threads` and `options.repetitions` must be set. Writes to the
/// standard error: the progress, entries with a wrong result, and peers that do not become quiet. This process must not
/// have used a peer before.
Results measure_all(const Options& options);

}  // namespace bench
