/// @file
/// sort, partial_sort and nth_element: sorting that does not keep the order of equal items.
///
/// The algorithms and their proofs: blitz/detail/algorithm/sort/README.md.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/sort/sort_items.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

struct SortFn : InOrder<SortFn> {
  template <class I, class C, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp, P& proj) {
    on_pointers(first, count, [&](auto* items) { sort_items(options, items, count, comp, proj); });
    return at(first, count);
  }
};

struct NthElementFn : InOrderAround<NthElementFn> {
  template <class I, class C, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex rank, LoopIndex count, C& comp, P& proj) {
    on_pointers(first, count, [&](auto* items) { select_items(options, items, rank, count, comp, proj); });
    return at(first, count);
  }
};

struct PartialSortFn : InOrderAround<PartialSortFn> {
  template <class I, class C, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex rank, LoopIndex count, C& comp, P& proj) {
    on_pointers(first, count, [&](auto* items) {
      select_items(options, items, rank, count, comp, proj);
      sort_items(options, items, rank, comp, proj);
    });
    return at(first, count);
  }
};

}  // namespace detail

/// Sorts the items by the order of their projections. Not stable: equal items may change places. Returns the end.
///
/// `comp` and `proj` are by default `std::ranges::less` and `std::identity`. Several threads call them concurrently.
///
/// The method depends on the items. One pass recognises items that are already in order or in reverse order. Radix sort is used
/// for integers and floating-point numbers, as items or projections, with `std::less` or `std::greater` (or their equivalents
/// in `std::ranges`), if the items are trivially moved and have at most 32 bytes; it is fastest if the projection is a pointer
/// to a member. Other items are sorted by a quicksort without branches that depend on the items, parallel from the first
/// partition on. Items that look presorted are sorted by the algorithm of blitz::stable_sort, so that a few displaced items
/// cost a few comparisons each. The calling thread sorts small inputs itself: up to 8192 items, 1024 items that are more
/// expensive to move, or 128 KiB by radix; or up to AlgorithmOptions::min_grain items.
///
/// Throws the exceptions of `comp`, `proj` and the moves of items, and Stopped after a stop request. The range then contains a
/// permutation of its items. If a move has thrown, one item may be lost, but all elements are valid. If the comparison is no
/// strict weak order, the result is an unspecified permutation. In a radix sort of floating-point numbers -0.0 comes before
/// 0.0, NaNs with a sign come first, and other NaNs last.
///
/// O(n log n) comparisons at worst, 1.1 n log2 n on average; n + O(k log n) if k items are displaced among sorted ones. Memory:
/// O(log n) on the stack of each thread. Presorted items also need the memory of blitz::stable_sort, and 2 n bytes. Radix sort
/// needs n items, or 2 n items and keys if the projection is a function. If the allocation fails, quicksort is used. Ranges
/// that are not contiguous, such as a deque, are moved to other memory and back: std::bad_alloc leaves them unchanged. The
/// result depends only on the items and the number of threads.
///
/// Thread-safety: any thread.
///
/// @par Sources
/// Quicksort after pdqsort (O. Peters, 2021) and ipnsort (L. Bergdoll, O. Peters, 2024), and radix sort.
///
/// @code
///   blitz::sort(people, std::greater{}, &Person::age);
///   blitz::sort({.min_grain = 4096, .stop = token, .pool = &pool}, numbers);
/// @endcode
inline constexpr detail::Algorithm<detail::SortFn> sort{};

/// Moves the items that a sort would put before `middle` to the front, in order. The others follow in an unspecified order.
/// Returns the end.
///
/// It is equivalent to blitz::nth_element at `middle`, then blitz::sort of the items before it.
///
/// Throws the exceptions of `comp`, `proj` and the moves of items, and Stopped after a stop request. The range then contains a
/// permutation of its items, unless a move has thrown.
///
/// O(n + k log k) on average for k items before `middle`. Memory: see blitz::sort.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::partial_sort(scores, scores.begin() + 10, std::greater{});  // the best ten
/// @endcode
inline constexpr detail::Algorithm<detail::PartialSortFn> partial_sort{};

/// Moves the item that a sort would put at `middle` to that position. No item before it is greater, and no item after it is
/// less. Returns the end. If `middle` is the end, the call does nothing.
///
/// Throws the exceptions of `comp`, `proj` and the moves of items, and Stopped after a stop request. The range then contains a
/// permutation of its items, unless a move has thrown.
///
/// O(n) on average, about 1.5 n comparisons for the median, O(n log n) at worst. Memory: none, except for ranges that are not
/// contiguous.
///
/// Thread-safety: any thread.
///
/// @par Source
/// R. W. Floyd, R. L. Rivest: Expected Time Bounds for Selection, 1975.
///
/// @code
///   const auto middle = numbers.begin() + numbers.size() / 2;
///   blitz::nth_element(numbers, middle);  // *middle is the median
/// @endcode
inline constexpr detail::Algorithm<detail::NthElementFn> nth_element{};

}  // namespace blitz
