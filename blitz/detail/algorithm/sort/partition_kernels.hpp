/// @file
/// Partitioning without branches that depend on the items.
///
/// A partition calls `below(item)` once for each item, moves the items with a result of true to the front, and returns the
/// first of the others. If `below` throws, the items are a permutation. Accesses are within bounds for any results of `below`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "blitz/detail/algorithm/sort/small_sort.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// Moves each item twice. For items that are cheap to move and that the pivot splits about evenly.
///
/// Lomuto's scheme with a cyclic gap instead of swaps (L. Bergdoll: Branchless Lomuto partitioning, 2023; used in ipnsort). The
/// items of [first, first + count) are below, those of [first + count, gap) are not. A register holds the item for the gap.
template <class T, class Below>
[[gnu::noinline]] T* partition_lomuto(T* first, T* last, Below below) {
  if (first == last) return first;
  std::size_t count = 0;  // the number of items that are below
  {
    TakenItem<T> taken(first);
    const auto step = [&](T* right) BLITZ_LAMBDA_INLINE {
      const bool is_below = below(*right);
      *taken.place = std::move(first[count]);
      first[count] = std::move(*right);
      taken.place = right;
      count += is_below;
    };
    T* right = first + 1;
    for (; last - right >= 4; right += 4) {
      step(right);
      step(right + 1);
      step(right + 2);
      step(right + 3);
    }
    for (; right != last; ++right) step(right);
    const bool is_below = below(taken.value);
    *taken.place = std::move(first[count]);
    taken.place = first + count;
    count += is_below;
  }
  return first + count;
}

/// Moves only items on the wrong side. For items that are expensive to move.
///
/// Compares a block of 64 items at each end, and records the places of its misplaced items without branches. Then exchanges as
/// many pairs of misplaced items as possible (S. Edelkamp, A. Weiss: BlockQuicksort, ESA 2016). The comparisons of a block are
/// independent of each other, so their cache misses overlap.
template <class T, class Below>
[[gnu::noinline]] T* partition_blocks(T* first, T* last, Below below) {
  constexpr std::size_t kBlock = 64;
  using Places = std::array<unsigned char, kBlock>;
  Places left_places;   // the places of items that are not below, relative to `first`
  Places right_places;  // the places of items that are below, counted down from `last`
  // The sizes of the compared blocks at each end, and the range of their recorded places.
  std::size_t left_block = 0, left_begin = 0, left_end = 0;
  std::size_t right_block = 0, right_begin = 0, right_end = 0;
  const auto unknown = [&] { return static_cast<std::size_t>(last - first) - left_block - right_block; };
  do {
    if (left_block == 0) {
      // If neither end has a block, they share the last items.
      left_block = std::min(kBlock, right_block == 0 ? (unknown() + 1) / 2 : unknown());
      left_begin = left_end = 0;
      for (std::size_t i = 0; i != left_block; ++i) {
        left_places[left_end] = static_cast<unsigned char>(i);
        left_end += !below(first[i]);
      }
    }
    if (right_block == 0) {
      right_block = std::min(kBlock, unknown());
      right_begin = right_end = 0;
      T* const end = last - 1;
      for (std::size_t i = 0; i != right_block; ++i) {
        right_places[right_end] = static_cast<unsigned char>(i);
        right_end += static_cast<bool>(below(*(end - i)));
      }
    }
    if (const std::size_t pairs = std::min(left_end - left_begin, right_end - right_begin)) {
      // A cycle through all pairs takes two moves per pair.
      const auto left = [&](std::size_t k) -> T& { return first[left_places[left_begin + k]]; };
      const auto right = [&](std::size_t k) -> T& { return *(last - 1 - right_places[right_begin + k]); };
      T taken = std::move(left(0));
      for (std::size_t k = 0; k + 1 != pairs; ++k) {
        left(k) = std::move(right(k));
        right(k) = std::move(left(k + 1));
      }
      left(pairs - 1) = std::move(right(pairs - 1));
      right(pairs - 1) = std::move(taken);
      left_begin += pairs;
      right_begin += pairs;
    }
    if (left_begin == left_end) first += std::exchange(left_block, std::size_t{0});
    if (right_begin == right_end) last -= std::exchange(right_block, std::size_t{0});
  } while (unknown() != 0);
  // Only the rest of one block is left between `first` and `last`. Its misplaced items move to its other end.
  while (left_begin != left_end) {
    T* const item = first + left_places[--left_end];
    if (item != --last) std::ranges::swap(*item, *last);
  }
  if (left_block != 0) return last;
  while (right_begin != right_end) {
    T* const item = last - 1 - right_places[--right_end];
    if (item != first) std::ranges::swap(*item, *first);
    ++first;
  }
  return first;
}

/// The partition for a pivot from the middle of the items.
template <class T, class Below>
T* partition_evenly(T* first, T* last, Below below) {
  if constexpr (kCheapToMove<T>) {
    return partition_lomuto(first, last, below);
  } else {
    return partition_blocks(first, last, below);
  }
}

}  // namespace blitz::detail
