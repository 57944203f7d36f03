/// @file
/// sort, partial_sort and nth_element: sorting that does not keep the order of equal items.
///
/// How, and what is proved of it: blitz/algorithm/sort/README.md.
#pragma once

#include "blitz/base/compiler.hpp"

#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/sort/sort_items.hpp"
#include "blitz/core/items.hpp"

namespace blitz {

namespace detail {

struct SortFn {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = std::ranges::less,
            class P = std::identity>
    requires std::sortable<I, C, P>
  I operator()(const AlgorithmOptions& options, I first, S last, C comp = {}, P proj = {}) const {
    const I end = first + (last - first);
    on_pointers(first, end, [&](auto* items, std::size_t n) { sort_items(options, items, n, comp, proj); });
    return end;
  }
  template <LoopRange R, class C = std::ranges::less, class P = std::identity>
    requires std::sortable<std::ranges::iterator_t<R>, C, P>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, C comp = {},
                                                 P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::begin(range) + std::ranges::ssize(range),
                   std::move(comp), std::move(proj));
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = std::ranges::less,
            class P = std::identity>
    requires std::sortable<I, C, P>
  I operator()(I first, S last, C comp = {}, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), std::move(last), std::move(comp), std::move(proj));
  }
  template <LoopRange R, class C = std::ranges::less, class P = std::identity>
    requires std::sortable<std::ranges::iterator_t<R>, C, P>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, C comp = {}, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(comp), std::move(proj));
  }
};

/// nth_element, and partial_sort if kSort.
template <bool kSort>
struct SelectFn {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = std::ranges::less,
            class P = std::identity>
    requires std::sortable<I, C, P>
  I operator()(const AlgorithmOptions& options, I first, I middle, S last, C comp = {}, P proj = {}) const {
    const I end = first + (last - first);
    const auto rank = static_cast<std::size_t>(middle - first);
    on_pointers(first, end, [&](auto* items, std::size_t n) {
      select_items(options, items, rank, n, comp, proj);
      if constexpr (kSort) sort_items(options, items, rank, comp, proj);
    });
    return end;
  }
  template <LoopRange R, class C = std::ranges::less, class P = std::identity>
    requires std::sortable<std::ranges::iterator_t<R>, C, P>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range,
                                                 std::ranges::iterator_t<R> middle, C comp = {}, P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::move(middle),
                   std::ranges::begin(range) + std::ranges::ssize(range), std::move(comp), std::move(proj));
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = std::ranges::less,
            class P = std::identity>
    requires std::sortable<I, C, P>
  I operator()(I first, I middle, S last, C comp = {}, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), std::move(middle), std::move(last), std::move(comp),
                   std::move(proj));
  }
  template <LoopRange R, class C = std::ranges::less, class P = std::identity>
    requires std::sortable<std::ranges::iterator_t<R>, C, P>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, std::ranges::iterator_t<R> middle, C comp = {},
                                                 P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(middle), std::move(comp), std::move(proj));
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
/// radix if their items are trivially moved and of 32 bytes at most. All else is a quicksort without branches that
/// depend on the items, parallel from the first partition on. The caller alone sorts up to 8192 items, or 1024 that are
/// dearer to move, or 128 KiB by radix; or as many as options.min_grain says.
///
/// Throws what `comp`, `proj` and the moves of items throw, and Stopped after a stop request. Then the items are a
/// permutation of what they were, unless a move has thrown: then one may be lost, and all elements are valid. A
/// comparison that is no strict weak order leaves some permutation. Of floating numbers sorted by radix, -0.0 comes
/// before 0.0, and NaNs come last, or first those with a sign.
///
/// O(n log n) comparisons at worst, 1.1 n log2 n on average. Memory: O(log n) on the stack of each thread; for radix
/// also that of n items, and where it is not to be had, quicksort is used. Ranges that are not contiguous, such as a
/// deque, are moved to other memory and back: std::bad_alloc leaves them as they were. The result depends on the items
/// and the number of threads alone. Any thread.
/// @code
///   blitz::sort(people, std::greater{}, &Person::age);
///   blitz::sort({.min_grain = 4096, .stop = token, .pool = &pool}, numbers);
/// @endcode
/// The algorithms: quicksort after pdqsort (O. Peters, 2021) and ipnsort (L. Bergdoll, O. Peters, 2024), and radix
/// sort; see blitz/algorithm/sort/README.md.
inline constexpr detail::SortFn sort{};

/// Brings the items that a sort would put before `middle` there, in order; the others follow in some order.
///
/// partial_sort(range, middle, comp, proj), partial_sort(first, middle, last, comp, proj), and both with an
/// AlgorithmOptions that leads; returns the end. As nth_element of `middle`, then sort of what is before it.
///
/// O(n + k log k) on average for k items before `middle`. Exceptions, stop requests, memory and threads: as for sort.
/// @code
///   blitz::partial_sort(scores, scores.begin() + 10, std::greater{});  // the best ten
/// @endcode
inline constexpr detail::SelectFn<true> partial_sort{};

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
inline constexpr detail::SelectFn<false> nth_element{};

}  // namespace blitz
