/// @file
/// Counters of several pieces, added up bucket by bucket: for what is distributed to buckets by several threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// Column c of `counts` has the counter of bucket c in each of `rows` pieces; rows lie one after the other. Replaces each counter
/// by the sum of those before it, which are all of the columns to the left, and the rows above in its own column. Writes to
/// `begins`, which has columns + 1 places, where each column begins, and the sum of all.
///
/// T1 = O(rows * columns); on p threads the longest chain is O(rows * columns / p + 8 rows + columns). One thread adds up as
/// many numbers as there are columns. Obeys no stop request. Throws std::bad_alloc if the pool has no memory for a loop.
BLITZ_API void add_up_columns(const AlgorithmOptions& options, std::size_t rows, std::size_t columns,
                              std::size_t* counts, std::size_t* begins);

/// How many columns of so many rows are worth a task. At least eight, which share a cache line.
[[nodiscard]] constexpr std::size_t column_grain(std::size_t rows) noexcept {
  constexpr std::size_t kLeastCounters = 4096;
  constexpr std::size_t kLine = 8;
  return std::max(kLeastCounters / rows, kLine);
}

}  // namespace blitz::detail
