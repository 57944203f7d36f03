/// @file
/// A partition by several threads, in place.
///
/// Each part of the items is partitioned by itself; then the items that are not below but lie before the common
/// boundary change places with as many that are below and lie after it. These are runs of items side by side: about a
/// quarter of all for a pivot in the middle, exchanged without looking at them.
///
/// Source: R. S. Francis, L. J. H. Pannan: A Parallel Partition for Enhanced Parallel QuickSort, 1992.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>
#include <utility>

#include "blitz/algorithm/blocks.hpp"
#include "blitz/algorithm/options.hpp"

namespace blitz::detail {

/// The most parts that parallel_partition cuts its items into.
inline constexpr std::size_t kMostPartitionParts = 64;

/// Brings the items of [first, last) that are below to the front, and returns the first of the others. Cuts them into
/// so many parts, each of which `partition(begin, end, below)` partitions, one of partition.hpp.
template <class T, class Below, class Partition>
T* parallel_partition(T* first, T* last, std::size_t parts, Below below, Partition partition) {
  struct Part {
    T* begin;
    T* middle;
    T* end;
  };
  std::array<Part, kMostPartitionParts> cut;
  parts = std::min(parts, kMostPartitionParts);
  const std::size_t size = static_cast<std::size_t>(last - first) / parts;
  for_blocks(AlgorithmOptions{}, parts, 1, [&](LoopIndex from, LoopIndex to) {
    for (LoopIndex i = from; i != to; ++i) {
      T* const begin = first + i * size;
      T* const end = i + 1 == parts ? last : begin + size;
      cut[i] = Part{begin, partition(begin, end, below), end};
    }
  });

  T* boundary = first;
  for (std::size_t i = 0; i != parts; ++i) boundary += cut[i].middle - cut[i].begin;
  // The runs of wrong items on both sides of the boundary, in their order.
  struct Run {
    T* begin;
    std::size_t size;
  };
  std::array<Run, kMostPartitionParts> left;
  std::array<Run, kMostPartitionParts> right;
  std::size_t lefts = 0;
  std::size_t rights = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != parts; ++i) {
    const auto& [begin, middle, end] = cut[i];
    if (T* const to = std::min(end, boundary); middle < to) {
      left[lefts] = {middle, static_cast<std::size_t>(to - middle)};
      wrong += left[lefts++].size;
    }
    if (T* const from = std::max(begin, boundary); from < middle) {
      right[rights++] = {from, static_cast<std::size_t>(middle - from)};
    }
  }
  constexpr std::size_t kLeastSwaps = 4096;
  for_blocks(AlgorithmOptions{}, wrong, kLeastSwaps, [&](LoopIndex from, LoopIndex to) {
    const Run* a = left.data();
    const Run* b = right.data();
    std::size_t at_a = from;
    std::size_t at_b = from;
    for (; at_a >= a->size; ++a) at_a -= a->size;
    for (; at_b >= b->size; ++b) at_b -= b->size;
    for (std::size_t left_over = to - from; left_over != 0;) {
      const std::size_t n = std::min({left_over, a->size - at_a, b->size - at_b});
      std::swap_ranges(a->begin + at_a, a->begin + at_a + n, b->begin + at_b);
      left_over -= n;
      if ((at_a += n) == a->size) ++a, at_a = 0;
      if ((at_b += n) == b->size) ++b, at_b = 0;
    }
  });
  return boundary;
}

}  // namespace blitz::detail
