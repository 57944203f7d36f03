/// @file
/// Merging and stable sorting without additional memory: the fallback if an allocation fails.
///
/// Items are only swapped: if a comparison throws, they are a permutation of the original items. For any results of a
/// comparison, reads and writes are within bounds and every call ends. O(n log n) swaps for a merge of n items, O(n log^2 n)
/// for a sort.
///
/// Source: P.-S. Kim, A. Kutzner: Stable Minimum Storage Merging by Symmetric Comparisons, ESA 2004.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// Merges the sorted [first, middle) and [middle, last).
///
/// A binary search, symmetric about the middle of the result, finds the items that must move from each half to the other. A
/// rotation exchanges them. Then each half is merged independently.
template <std::random_access_iterator I, class Less>
BLITZ_COLD void merge_in_place(I first, I middle, I last, Less less) {
  while (first != middle && middle != last) {
    const auto n = last - first;
    const auto left = middle - first;
    if (n == 2) {
      if (less(*middle, *first)) std::ranges::iter_swap(first, middle);
      return;
    }
    const auto half = n / 2;
    // The first `low` items of the left side and the first `half - low` of the right side make the first half.
    auto low = half > n - left ? half - (n - left) : 0;
    auto high = std::min(left, half);
    while (low != high) {
      const auto guess = low + (high - low) / 2;
      if (less(middle[half - guess - 1], first[guess])) {
        high = guess;
      } else {
        low = guess + 1;
      }
    }
    const I cut = first + half;
    std::ranges::reverse(first + low, middle);
    std::ranges::reverse(middle, middle + (half - low));
    std::ranges::reverse(first + low, middle + (half - low));
    // The recursion ends because n > 2: neither half is the whole range.
    merge_in_place(first, first + low, cut, less);
    middle = cut + (left - low);
    first = cut;
  }
}

/// Sorts n items. Stable.
template <std::random_access_iterator I, class Less>
void stable_sort_in_place(I first, std::size_t n, Less less) {
  constexpr std::ptrdiff_t kInsertion = 16;
  const auto size = static_cast<std::iter_difference_t<I>>(n);
  if (size <= kInsertion) {
    for (auto next = size - size; next < size; ++next) {
      for (auto place = next; place > 0 && less(first[place], first[place - 1]); --place)
        std::ranges::iter_swap(first + place, first + (place - 1));
    }
    return;
  }
  const auto half = size / 2;
  stable_sort_in_place(first, n / 2, less);
  stable_sort_in_place(first + half, n - n / 2, less);
  merge_in_place(first, first + half, first + size, less);
}

}  // namespace blitz::detail
