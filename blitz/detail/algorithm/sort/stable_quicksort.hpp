/// @file
/// Stable quicksort on one thread: the leaf of stable_sort, for items that are cheap to move.
///
/// A partition moves the items below the pivot to the front of their memory and all others to scratch, in order and without
/// branches. Then it moves the others back, after the items below the pivot.
///
/// If a comparison throws, the items are a permutation of the original items. For any results of a comparison, accesses are
/// within bounds and every call ends. `less` is called with lvalues of T.
///
/// Source: the stable quicksort of driftsort (L. Bergdoll, O. Peters: driftsort and ipnsort, 2024). It partitions only to
/// scratch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "blitz/detail/algorithm/sort/in_place_merge.hpp"
#include "blitz/detail/algorithm/sort/quicksort.hpp"
#include "blitz/detail/algorithm/sort/small_sort.hpp"

namespace blitz::detail {

/// Moves the items of [first, first + n) with `below(item)` to the front. Stable. Returns their number. `scratch` must have
/// room for n items.
template <class T, class Below>
std::size_t stable_partition_cheap(T* first, std::size_t n, T* scratch, Below below) {
  std::size_t front = 0;
  std::size_t i = 0;
  const auto move_back = [&] { std::move(scratch, scratch + (i - front), first + front); };
  try {
    for (; i != n; ++i) {
      // The slot at `front` holds item i, or the copy of an item that is now in scratch.
      const bool is_below = below(first[i]);
      scratch[i - front] = std::move(first[i]);
      first[front] = std::move(first[i]);
      front += is_below;
    }
  } catch (...) {
    move_back();
    throw;
  }
  move_back();
  return front;
}

/// A copy of an item that nothing writes to, so that it can stay in registers. Only for types that are cheap to move.
template <class T>
union PivotCopy {
  explicit PivotCopy(T& of) : value(std::move(of)) {}
  PivotCopy(const PivotCopy&) = delete;
  PivotCopy& operator=(const PivotCopy&) = delete;
  ~PivotCopy() {}
  T value;
};

/// The result of a stable partition: the first `front` items are below the pivot and the others are not, or, if `equal`, the
/// first `front` items are in place.
struct StableCut {
  std::size_t front;
  bool equal;
};

/// Partitions n items by `pivot`, the value of one of them. `before`: an earlier pivot, and no item is below it; or null. Items
/// that are equal to `before`, or to the least item, are in place after one partition. So items with few distinct values are
/// sorted in few partitions.
template <class T, class Less>
StableCut stable_cut(T* first, std::size_t n, T* scratch, T* before, T& pivot, Less less) {
  if (before == nullptr || less(*before, pivot)) {
    const std::size_t front =
        stable_partition_cheap(first, n, scratch, [&](T& x) { return static_cast<bool>(less(x, pivot)); });
    if (front != 0) return {front, false};
  }
  return {stable_partition_cheap(first, n, scratch, [&](T& x) { return !less(pivot, x); }), true};
}

/// Sorts n items. Stable. `scratch` must have room for n items. `before`: see stable_cut(). `limit`: see depth_limit().
template <class T, class Less>
void stable_quicksort(T* first, std::size_t n, T* scratch, T* before, int limit, Less less) {
  while (n > static_cast<std::size_t>(kSmallSort<T>)) {
    if (limit-- == 0) return stable_sort_in_place(first, n, less);
    PivotCopy<T> pivot(*choose_pivot(first, first + n, less));
    const auto [front, equal] = stable_cut(first, n, scratch, before, pivot.value, less);
    if (equal) {
      first += front;
      n -= front;
      before = nullptr;
    } else {
      stable_quicksort(first + front, n - front, scratch, &pivot.value, limit, less);
      n = front;
    }
  }
  small_sort(first, first + n, less);
}

template <class T, class Less>
void stable_quicksort(T* first, std::size_t n, T* scratch, Less less) {
  stable_quicksort(first, n, scratch, static_cast<T*>(nullptr), depth_limit(static_cast<std::ptrdiff_t>(n)), less);
}

}  // namespace blitz::detail
