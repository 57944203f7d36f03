// One number for each peer: the geometric mean of its ratios to blitz.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/compare/results.hpp"

namespace bench {

struct GeometricMean {
  std::string peer;
  unsigned threads;  ///< blitz's, if the row is the serial form
  double times_slower_than_blitz;
  std::size_t workloads;  ///< those with a ratio and a right result, each counted once
};

/// One for each implementation other than blitz and each thread count, by library. Two of them are comparable only if
/// they have the same workloads.
std::vector<GeometricMean> geometric_means(const Results& results);

}  // namespace bench
