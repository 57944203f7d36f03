/// @file
/// An in-place partition by several threads.
///
/// Each part of the items is partitioned independently. Then the items before the common boundary that are not below are
/// exchanged with the items after it that are below. These are contiguous runs, about a quarter of all items for a pivot in the
/// middle. They are exchanged without further comparisons.
///
/// Complexity for n items in c parts: work T1 = O(n), span O(n / c + c). One thread makes a list of c runs.
///
/// Source: R. S. Francis, L. J. H. Pannan: A Parallel Partition for Enhanced Parallel QuickSort, 1992.
#pragma once

#include <algorithm>
#include <cstddef>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/function_ref.hpp"

namespace blitz::detail {

/// The maximum number of parts of parallel_partition(): two per thread for 256 threads. Their runs take 8 KiB of the stack.
inline constexpr std::size_t kMostPartitionParts = 512;

/// The type-independent part, for n items at positions [0, n). `partition(begin, end)` partitions a part, and returns the
/// position of the first item that is not below. `swap(a, b, size)` exchanges `size` items at position a with those at position
/// b.
BLITZ_API std::size_t parallel_partition(const AlgorithmOptions& options, std::size_t n, std::size_t parts,
                                         FunctionRef<std::size_t(std::size_t begin, std::size_t end)> partition,
                                         FunctionRef<void(std::size_t a, std::size_t b, std::size_t size)> swap);

// The callables of parallel_partition(). They are types with names, because the symbol of a lambda is several times as long.
template <class T, class Below, class Partition>
struct PartitionPart {
  std::size_t operator()(std::size_t begin, std::size_t end) const {
    return static_cast<std::size_t>(partition(items + begin, items + end, below) - items);
  }
  T* items;
  Below& below;
  Partition& partition;
};
template <class T>
struct SwapRuns {
  void operator()(std::size_t a, std::size_t b, std::size_t size) const {
    std::swap_ranges(items + a, items + a + size, items + b);
  }
  T* items;
};

/// Moves the items of [first, last) that are below to the front, and returns the first of the others. Divides them into `parts`
/// parts, and partitions each by `partition(begin, end, below)`, a function of partition_kernels.hpp. Throws Stopped and the
/// exceptions of `below`; the items are a permutation then.
template <class T, class Below, class Partition>
T* parallel_partition(const AlgorithmOptions& options, T* first, T* last, std::size_t parts, Below below,
                      Partition partition) {
  return first + parallel_partition(options, static_cast<std::size_t>(last - first), parts,
                                    PartitionPart<T, Below, Partition>{first, below, partition}, SwapRuns<T>{first});
}

}  // namespace blitz::detail
