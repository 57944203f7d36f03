/// @file
/// Selection: moves the item of a given rank to its place. Items before it are not above it, items after it are not below it.
///
/// The first pivot is slightly beyond the wanted item, estimated from its rank in a sample, so about the wanted item's side of
/// the range remains. The next pivot is slightly before the wanted item, so almost nothing remains. Several threads partition
/// large ranges.
///
/// Complexity for n items on p threads: work T1 = O(n), expected span O(n / p + sqrt n); see parallel_partition.hpp.
///
/// Source: R. W. Floyd, R. L. Rivest: Expected Time Bounds for Selection, 1975.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/sort/parallel_partition.hpp"
#include "blitz/detail/algorithm/sort/partition_kernels.hpp"
#include "blitz/detail/algorithm/sort/quicksort.hpp"
#include "blitz/detail/algorithm/sort/small_sort.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// The rank of the pivot in a sample of `size` of n items. It is the expected rank of the item of rank `nth`, moved by two
/// standard deviations toward the longer side.
[[nodiscard]] BLITZ_API std::size_t rank_in_sample(std::size_t size, std::size_t nth, std::size_t n) noexcept;

template <class T, class Less>
class ParallelSelect {
 public:
  /// Must be called on a worker of a pool with `threads` threads. One thread partitions fewer than `grain` items.
  ParallelSelect(const AlgorithmOptions& options, std::size_t threads, T* /*items*/, std::size_t grain, Less less)
      : options_(options), threads_(threads), grain_(grain), less_(less) {}

  /// Moves the item that belongs at `nth` in the sorted [first, last) to `nth`. Throws Stopped.
  void select(T* first, T* nth, T* last) const {
    T* before = nullptr;
    for (int limit = depth_limit(last - first); last - first > kFew && limit > 0; --limit) {
      throw_if_stopped(options_);
      const auto [chosen, even] = choose(first, nth, last);
      if (is_equal_pivot(before, chosen, less_)) {
        first = cut_equal(first, last, chosen, less_);
        if (nth < first) return;
        before = nullptr;  // All items equal to it are in place.
        continue;
      }
      T* const pivot = cut(first, last, chosen, less_, [&, is_even = even](T* from, T* to, auto below) {
        const PartitionSerial serial{is_even};
        const std::size_t parts = std::min(static_cast<std::size_t>(to - from) / grain_, threads_ * kPartsOfThread);
        return parts < 2 || threads_ == 1 ? serial(from, to, below)
                                          : parallel_partition({}, from, to, parts, below, serial);
      });
      if (nth == pivot) return;
      if (nth < pivot) {
        last = pivot;
      } else {
        first = pivot + 1;
        before = pivot;
      }
    }
    if constexpr (!kCheapToMove<T>) {  // For few items insertion needs fewer moves.
      if (last - first <= kFew) return binary_insertion_sort(first, last, less_);
    }
    heap_sort(first, last, less_);
  }

 private:
  struct Pivot {
    T* item;
    bool even;  // if false, almost all items are expected on one side: branches are predictable, and few items move
  };
  static constexpr std::size_t kPartsOfThread = 4;  // so that parts are left for a thread that starts late
  static constexpr std::ptrdiff_t kFew = 8;         // so few items are sorted, as is the rest after too many partitions

  struct PartitionSerial {
    template <class Below>
    [[gnu::noinline]] T* operator()(T* first, T* last, Below below) const {
      return even ? partition_evenly(first, last, below) : std::partition(first, last, below);
    }
    bool even;
  };

  /// Moves a sample to the front, and selects from it an item slightly beyond the expected position of `nth`.
  Pivot choose(T* first, T* nth, T* last) const {
    const auto n = static_cast<std::size_t>(last - first);
    constexpr std::size_t kLeastSampled = 2048;
    if (n < kLeastSampled) return {choose_pivot(first, last, less_), true};
    const std::size_t size = std::size_t{2} << (std::bit_width(n) / 2);
    const std::size_t stride = n / size;
    for (std::size_t i = 1; i != size; ++i) std::ranges::swap(first[i], first[i * stride]);
    const std::size_t at = rank_in_sample(size, static_cast<std::size_t>(nth - first), n);
    select(first, first + at, first + size);
    return {first + at, at > size / 64 && at < size - size / 64};
  }

  const AlgorithmOptions& options_;
  std::size_t threads_;
  std::size_t grain_;
  Less less_;
};

}  // namespace blitz::detail
