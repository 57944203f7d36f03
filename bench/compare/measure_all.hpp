// The passes over all entries that were asked for.
#pragma once

#include <string>

#include "bench/compare/options.hpp"
#include "bench/compare/results.hpp"

namespace bench {

std::string scale_name(Scale scale);

/// Whether `options` select this entry.
bool is_wanted(const Entry& entry, const Options& options);

/// Measures all that `options` select, whose `threads` and `repetitions` are set, with the progress on the standard
/// error, where entries with a wrong result and peers that do not become quiet are named as well. This process may not
/// have used a peer before.
Results measure_all(const Options& options);

}  // namespace bench
