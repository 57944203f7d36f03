/// @file
/// Quicksort on several threads: the two sides of a pivot are the branches of a join. Several threads make the partition of
/// ranges that are larger than the share of a thread.
///
/// Complexity for n items on p threads: work T1 = O(n log n), expected span O(n log n / p + sqrt n log p): log p partitions of
/// a part each, with pivots from about sqrt n items, and then the share of a thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/sort/parallel_partition.hpp"
#include "blitz/detail/algorithm/sort/partition_kernels.hpp"
#include "blitz/detail/algorithm/sort/quicksort.hpp"
#include "blitz/join.hpp"

namespace blitz::detail {

template <class T, class Less>
class ParallelQuicksort {
 public:
  /// For n items, on a worker of a pool with `threads` threads. One thread sorts fewer than `grain` items.
  ParallelQuicksort(const AlgorithmOptions& options, std::size_t threads, std::size_t n, std::size_t grain, Less less)
      : options_(options), share_(n / threads + 1), grain_(grain), less_(less) {}

  /// Sorts [first, last). `before` and `limit`: see quicksort(). Throws Stopped.
  void sort(T* first, T* last, T* before, int limit) const {
    for (;;) {
      throw_if_stopped(options_);
      const auto n = static_cast<std::size_t>(last - first);
      if (n <= grain_ || limit-- == 0) return quicksort(first, last, before, std::max(limit, 0), less_);
      T* pivot = choose_pivot(first, last, less_);
      if (is_equal_pivot(before, pivot, less_)) {
        first = cut_equal(first, last, pivot, less_);
        before = nullptr;  // All items equal to it are in place.
        continue;
      }
      const std::size_t parts = parts_of(n);
      pivot = cut(first, last, pivot, less_, [parts](T* from, T* to, auto below) {
        return parts == 1 ? partition_evenly(from, to, below)
                          : parallel_partition({}, from, to, parts, below, partition_by_one);
      });
      join([&, this] { sort(first, pivot, before, limit); }, [&, this] { sort(pivot + 1, last, pivot, limit); });
      return;
    }
  }

 private:
  /// The number of parts for the partition of n items.
  [[nodiscard]] std::size_t parts_of(std::size_t n) const {
    constexpr std::size_t kPartsOfThread = 4;  // so that parts are left for a thread that starts late
    if (n < share_ + share_ / 2) return 1;
    return std::clamp<std::size_t>(std::min(n / share_ * kPartsOfThread, n / grain_), 1, kMostPartitionParts);
  }

  const AlgorithmOptions& options_;
  std::size_t share_;  // the number of items per thread
  std::size_t grain_;
  Less less_;
};

}  // namespace blitz::detail
