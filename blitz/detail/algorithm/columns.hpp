/// @file
/// Prefix sums of the bucket counters of several pieces, bucket by bucket. For distributions to buckets on several threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// `counts` is a row-major matrix: entry (r, c) counts the items of bucket c in piece r. Replaces each counter by the sum of
/// all counters in the columns to its left and of the counters above it in its column. Writes the beginning of each column and
/// the total to `begins`, an array of columns + 1 numbers.
///
/// Work T1 = O(rows * columns); span on p threads O(rows * columns / p + 8 rows + columns). One thread adds up one number per
/// column. Ignores stop requests. Throws std::bad_alloc if the pool cannot allocate memory for a loop.
BLITZ_API void add_up_columns(const AlgorithmOptions& options, std::size_t rows, std::size_t columns,
                              std::size_t* counts, std::size_t* begins);

/// The minimum number of columns per block for this number of rows. At least eight, which share a cache line.
[[nodiscard]] constexpr std::size_t column_grain(std::size_t rows) noexcept {
  constexpr std::size_t kLeastCounters = 4096;
  constexpr std::size_t kLine = 8;
  return std::max(kLeastCounters / rows, kLine);
}

}  // namespace blitz::detail
