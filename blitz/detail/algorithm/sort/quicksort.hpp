/// @file
/// Quicksort on one thread: the leaf of the parallel sorts.
///
/// If a comparison throws, the items are a permutation of the original items. For any results of a comparison, accesses are
/// within bounds and every call ends. `less` is called with lvalues of T.
///
/// Sources: introsort (D. R. Musser, 1997); the treatment of pivots equal to an earlier one: pdqsort (O. Peters, 2021); the
/// pseudo-median: ipnsort (L. Bergdoll, O. Peters, 2024).
#pragma once

#include <bit>
#include <cstddef>
#include <utility>

#include "blitz/detail/algorithm/sort/partition_kernels.hpp"
#include "blitz/detail/algorithm/sort/small_sort.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

template <class T, class Less>
T* median_of_three(T* a, T* b, T* c, Less less) {
  const bool below_b = less(*a, *b);
  const bool below_c = less(*a, *c);
  if (below_b != below_c) return a;
  return static_cast<bool>(less(*b, *c)) == below_b ? b : c;
}

/// The median of three pseudo-medians of n items each, which start at `a`, `b` and `c`.
template <class T, class Less>
T* pseudo_median(T* a, T* b, T* c, std::ptrdiff_t n, Less less) {
  if (const std::ptrdiff_t eighth = n / 8; eighth > 0) {
    const auto of = [&](T* x) { return pseudo_median(x, x + 4 * eighth, x + 7 * eighth, eighth, less); };
    a = of(a);
    b = of(b);
    c = of(c);
  }
  return median_of_three(a, b, c, less);
}

/// An item near the median of [first, last), which must have at least eight items. Samples about n^0.53 of them.
template <class T, class Less>
T* choose_pivot(T* first, T* last, Less less) {
  const std::ptrdiff_t eighth = (last - first) / 8;
  return pseudo_median(first, first + 4 * eighth, first + 7 * eighth, eighth / 8, less);
}

/// O(n log n) for all inputs: the fallback for ranges that quicksort repeatedly splits badly.
template <class T, class Less>
BLITZ_COLD void heap_sort(T* first, T* last, Less less) {
  std::ptrdiff_t n = last - first;  // the number of items that are not in place yet
  for (std::ptrdiff_t heap = n / 2; n > 1;) {
    if (heap > 0) {
      --heap;  // the items after it are a heap
    } else {
      std::ranges::swap(*first, first[--n]);
    }
    for (std::ptrdiff_t node = heap, child; (child = 2 * node + 1) < n; node = child) {
      if (child + 1 < n && less(first[child], first[child + 1])) ++child;
      if (!less(first[node], first[child])) break;
      std::ranges::swap(first[node], first[child]);
    }
  }
}

/// The maximum depth of partitions of n items. Deeper ranges are sorted by heap_sort().
[[nodiscard]] inline int depth_limit(std::ptrdiff_t n) noexcept {
  return 2 * static_cast<int>(std::bit_width(static_cast<std::size_t>(n)));
}

/// Whether an item is below the pivot; if kOrEqual, not above it.
template <class T, class Less, bool kOrEqual>
struct BelowPivot {
  BLITZ_ALWAYS_INLINE bool operator()(T& item) const {
    if constexpr (kOrEqual) {
      return !less(*pivot, item);
    } else {
      return static_cast<bool>(less(item, *pivot));
    }
  }
  T* pivot;
  Less less;
};

/// Whether `pivot` is equal to `before`, an earlier pivot directly before the range; false if `before` is null. If true, call
/// cut_equal().
template <class T, class Less>
[[nodiscard]] bool is_equal_pivot(T* before, T* pivot, Less less) {
  return before != nullptr && !less(*before, *pivot);
}

/// Partitions [first, last): moves *pivot to its place, the items below it before it, and the others after it. Returns the
/// place of the pivot. `partition(first, last, below)` is a function of partition_kernels.hpp.
template <bool kOrEqual = false, class T, class Less, class Partition>
T* cut(T* first, T* last, T* pivot, Less less, Partition partition) {
  std::ranges::swap(*first, *pivot);
  T* middle;
  if constexpr (kCheapToMove<T>) {
    // Nothing writes to this copy, so it can stay in a register.
    union PivotCopy {
      explicit PivotCopy(T& of) : value(std::move(of)) {}
      ~PivotCopy() {}
      T value;
    } copy(*first);
    middle = partition(first + 1, last, BelowPivot<T, Less, kOrEqual>{&copy.value, less}) - 1;
  } else {
    middle = partition(first + 1, last, BelowPivot<T, Less, kOrEqual>{first, less}) - 1;
  }
  if (middle != first) std::ranges::swap(*first, *middle);
  return middle;
}

inline constexpr auto partition_by_one = [](auto* first, auto* last, auto below) {
  return partition_evenly(first, last, below);
};

/// Moves the items of [first, last) that are equal to `pivot` to the front, where they are in place; no item may be less.
/// Returns the first of the others. So items with few distinct values are sorted in few partitions.
template <class T, class Less>
T* cut_equal(T* first, T* last, T* pivot, Less less) {
  return cut<true>(first, last, pivot, less, partition_by_one) + 1;
}

/// Sorts [first, last). `before`: see is_equal_pivot(). `limit`: see depth_limit().
template <class T, class Less>
void quicksort(T* first, T* last, T* before, int limit, Less less) {
  while (last - first > kSmallSort<T>) {
    if (limit-- == 0) return heap_sort(first, last, less);
    T* pivot = choose_pivot(first, last, less);
    if (is_equal_pivot(before, pivot, less)) {
      first = cut_equal(first, last, pivot, less);
      before = nullptr;  // All items equal to it are in place.
      continue;
    }
    pivot = cut(first, last, pivot, less, partition_by_one);
    quicksort(first, pivot, before, limit, less);
    first = pivot + 1;
    before = pivot;
  }
  small_sort(first, last, less);
}

template <class T, class Less>
void quicksort(T* first, T* last, Less less) {
  quicksort(first, last, static_cast<T*>(nullptr), depth_limit(last - first), less);
}

}  // namespace blitz::detail
