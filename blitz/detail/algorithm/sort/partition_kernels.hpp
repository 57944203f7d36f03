/// @file
/// Partitioning without branches that depend on the items.
///
/// A partition calls `below(item)` once for each item, brings those for which it holds to the front, and returns the
/// first of the others. It leaves a permutation when `below` throws, and stays within bounds whatever it returns.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "blitz/detail/algorithm/sort/small_sort.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// Moves each item twice, wherever it is: for items that are cheap to move, where a pivot splits them evenly.
///
/// Lomuto's scheme, with a gap that goes round instead of swaps (L. Bergdoll: Branchless Lomuto partitioning, 2023;
/// used in ipnsort). [first, left) is below, [left, gap) is not, and what belongs into the gap is held in a register.
template <class T, class Below>
[[gnu::noinline]] T* partition_lomuto(T* first, T* last, Below below) {
  if (first == last) return first;
  std::size_t count = 0;  // of items that are below
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

/// Moves only what is on the wrong side: for items that are dear to move.
///
/// A block of 64 items at each end is compared, and the places of its wrong ones noted, without a branch; then as many
/// as can be change sides (S. Edelkamp, A. Weiss: BlockQuicksort, ESA 2016). The comparisons of a block do not wait for
/// each other, and so neither for each other's cache misses.
template <class T, class Below>
[[gnu::noinline]] T* partition_blocks(T* first, T* last, Below below) {
  constexpr std::size_t kBlock = 64;
  using Places = std::array<unsigned char, kBlock>;
  Places left_places;   // of items that are not below, counted from `first`
  Places right_places;  // of items that are, counted down from `last`
  // The blocks compared at each end, and the first and the last of their noted places.
  std::size_t left_block = 0, left_begin = 0, left_end = 0;
  std::size_t right_block = 0, right_begin = 0, right_end = 0;
  const auto unknown = [&] { return static_cast<std::size_t>(last - first) - left_block - right_block; };
  do {
    if (left_block == 0) {
      // The last items are shared between both ends, unless one has a block.
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
      // A cycle through all of them: two moves a pair.
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
  // What is left of one block is all there is between `first` and `last`: its wrong items go to its other end.
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
