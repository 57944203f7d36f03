/// @file
/// sort, partial_sort and nth_element: sorting that does not keep the order of equal items.
///
/// How, and what is proved of it: blitz/detail/algorithm/sort/README.md.
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

/// Sorts the items by the order of their projections. Equal items may change places.
///
/// sort(range, comp, proj), sort(first, last, comp, proj), and both with an AlgorithmOptions that leads; returns the
/// end. Ranges are random access and sized; `comp` and `proj` have defaults, std::ranges::less and std::identity, and
/// are called by several threads at once.
///
/// Items that are in order, or in the opposite one, are recognised by one look at them. Integers and floating numbers,
/// whether items or projections, that are compared by std::less or std::greater (or those of std::ranges) are sorted by
/// radix if their items are trivially moved and of 32 bytes at most; fastest if the projection is a member's pointer.
/// All else is a quicksort without branches that depend on the items, parallel from the first partition on; or if the
/// items look presorted, the algorithm of stable_sort, so that a few displaced items cost a few comparisons each. The
/// caller alone sorts up to 8192 items, or 1024 that are dearer to move, or 128 KiB by radix; or as many as
/// options.min_grain says.
///
/// Throws what `comp`, `proj` and the moves of items throw, and Stopped after a stop request. Then the items are a
/// permutation of what they were, unless a move has thrown: then one may be lost, and all elements are valid. A
/// comparison that is no strict weak order leaves some permutation. Of floating numbers sorted by radix, -0.0 comes
/// before 0.0, and NaNs come last, or first those with a sign.
///
/// O(n log n) comparisons at worst, 1.1 n log2 n on average; n + O(k log n) if k items are displaced among sorted ones.
/// Memory: O(log n) on the stack of each thread; for presorted items also as much as stable_sort, and 2 n bytes; for radix
/// n items, or if the projection is a function, 2 n items and keys. If the allocation fails, quicksort is used. Ranges
/// that are not contiguous, such as a deque, are moved to other memory and back: std::bad_alloc leaves them as they were.
/// The result depends on the items and the number of threads alone. Any thread.
/// @code
///   blitz::sort(people, std::greater{}, &Person::age);
///   blitz::sort({.min_grain = 4096, .stop = token, .pool = &pool}, numbers);
/// @endcode
/// The algorithms: quicksort after pdqsort (O. Peters, 2021) and ipnsort (L. Bergdoll, O. Peters, 2024), and radix
/// sort; see blitz/detail/algorithm/sort/README.md.
inline constexpr detail::Algorithm<detail::SortFn> sort{};

/// Brings the items that a sort would put before `middle` there, in order; the others follow in some order.
///
/// partial_sort(range, middle, comp, proj), partial_sort(first, middle, last, comp, proj), and both with an
/// AlgorithmOptions that leads; returns the end. As nth_element of `middle`, then sort of what is before it.
///
/// O(n + k log k) on average for k items before `middle`. Exceptions, stop requests, memory and threads: as for sort.
/// @code
///   blitz::partial_sort(scores, scores.begin() + 10, std::greater{});  // the best ten
/// @endcode
inline constexpr detail::Algorithm<detail::PartialSortFn> partial_sort{};

/// Brings the item that a sort would put at `nth` there; no item before it is greater, and none after it is less.
///
/// nth_element(range, nth, comp, proj), nth_element(first, nth, last, comp, proj), and both with an AlgorithmOptions
/// that leads; returns the end. `nth` may be the end, and then nothing is asked for.
///
/// O(n) on average, about 1.5 n comparisons for the median, O(n log n) at worst. No memory, but for ranges that are not
/// contiguous. Exceptions, stop requests and threads: as for sort.
/// @code
///   const auto middle = numbers.begin() + numbers.size() / 2;
///   blitz::nth_element(numbers, middle);  // *middle is the median
/// @endcode
/// The algorithm: R. W. Floyd, R. L. Rivest: Expected Time Bounds for Selection, 1975.
inline constexpr detail::Algorithm<detail::NthElementFn> nth_element{};

}  // namespace blitz
