/// @file
/// A partition by several threads, in place.
///
/// Each part of the items is partitioned by itself; then the items that are not below but lie before the common
/// boundary change places with as many that are below and lie after it. These are runs of items side by side: about a
/// quarter of all for a pivot in the middle, exchanged without looking at them.
///
/// Of n items in c parts: T1 = O(n), and the longest chain is O(n / c + c); one thread makes a list of c runs.
///
/// Source: R. S. Francis, L. J. H. Pannan: A Parallel Partition for Enhanced Parallel QuickSort, 1992.
#pragma once

#include <algorithm>
#include <cstddef>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/function_ref.hpp"

namespace blitz::detail {

/// The most parts that parallel_partition cuts its items into: two for each of 256 threads. Their runs take 8 KiB of the stack.
inline constexpr std::size_t kMostPartitionParts = 512;

/// The same for n items, whichever they are: `partition(begin, end)` returns the first of the others, and `swap(a, b, size)`
/// exchanges `size` items from a on with those from b on.
BLITZ_API std::size_t parallel_partition(const AlgorithmOptions& options, std::size_t n, std::size_t parts,
                                         FunctionRef<std::size_t(std::size_t begin, std::size_t end)> partition,
                                         FunctionRef<void(std::size_t a, std::size_t b, std::size_t size)> swap);

/// Brings the items of [first, last) that are below to the front, and returns the first of the others. Cuts them into
/// so many parts, each of which `partition(begin, end, below)` partitions, one of partition_kernels.hpp. Throws what `below` throws, and
/// Stopped: the items are a permutation then.
template <class T, class Below, class Partition>
T* parallel_partition(const AlgorithmOptions& options, T* first, T* last, std::size_t parts, Below below,
                      Partition partition) {
  const auto part = [&](std::size_t begin, std::size_t end) {
    return static_cast<std::size_t>(partition(first + begin, first + end, below) - first);
  };
  const auto swap = [&](std::size_t a, std::size_t b, std::size_t size) {
    std::swap_ranges(first + a, first + a + size, first + b);
  };
  return first + parallel_partition(options, static_cast<std::size_t>(last - first), parts, part, swap);
}

}  // namespace blitz::detail
