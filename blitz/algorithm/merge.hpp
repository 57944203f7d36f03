/// @file
/// merge and inplace_merge.
#pragma once

#include "blitz/base/compiler.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/sort/merge_items.hpp"
#include "blitz/algorithm/sort/merge_kernels.hpp"
#include "blitz/algorithm/sort/merge_path.hpp"
#include "blitz/algorithm/sort/sort_items.hpp"
#include "blitz/core/items.hpp"

namespace blitz {

namespace detail {

struct MergeFn {
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, std::random_access_iterator O, std::sized_sentinel_for<O> SO,
            class C = std::ranges::less, class P1 = std::identity, class P2 = std::identity>
    requires std::mergeable<I1, I2, O, C, P1, P2>
  std::ranges::merge_result<I1, I2, O> operator()(const AlgorithmOptions& options, I1 first1, S1 last1, I2 first2,
                                                  S2 last2, O out, SO out_last, C comp = {}, P1 proj1 = {},
                                                  P2 proj2 = {}) const {
    auto n1 = static_cast<std::size_t>(last1 - first1);
    auto n2 = static_cast<std::size_t>(last2 - first2);
    const TwoProjections<C, P1, P2> less{&comp, &proj1, &proj2};
    throw_if_stopped(options);
    if (const auto room = static_cast<std::size_t>(out_last - out); room < n1 + n2) {
      n1 = co_rank(room, first1, n1, first2, n2, less);
      n2 = room - n1;
    }
    const std::size_t grain = sort_grain<std::iter_value_t<I1>>(options);
    with_threads(options, n1 + n2, grain, [&](std::size_t threads) {
      const std::size_t parts = part_count(n1 + n2, threads, grain);
      merge_parallel(options, parts, merge_input<I2>(first1), n1, merge_input<I1>(first2), n2, merge_output<I1>(out),
                     less, AssignCopy{});
    });
    return {at(first1, n1), at(first2, n2), at(out, n1 + n2)};
  }
  template <LoopRange R1, LoopRange R2, LoopRange O, class C = std::ranges::less, class P1 = std::identity,
            class P2 = std::identity>
    requires std::mergeable<std::ranges::iterator_t<R1>, std::ranges::iterator_t<R2>, std::ranges::iterator_t<O>, C, P1,
                            P2>
  std::ranges::merge_result<std::ranges::borrowed_iterator_t<R1>, std::ranges::borrowed_iterator_t<R2>,
                            std::ranges::borrowed_iterator_t<O>>
  operator()(const AlgorithmOptions& options, R1&& range1, R2&& range2, O&& out, C comp = {}, P1 proj1 = {},
             P2 proj2 = {}) const {
    const auto first1 = std::ranges::begin(range1);
    const auto first2 = std::ranges::begin(range2);
    const auto to = std::ranges::begin(out);
    return (*this)(options, first1, first1 + std::ranges::ssize(range1), first2, first2 + std::ranges::ssize(range2),
                   to, to + std::ranges::ssize(out), std::move(comp), std::move(proj1), std::move(proj2));
  }
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, std::random_access_iterator O, std::sized_sentinel_for<O> SO,
            class C = std::ranges::less, class P1 = std::identity, class P2 = std::identity>
    requires std::mergeable<I1, I2, O, C, P1, P2>
  std::ranges::merge_result<I1, I2, O> operator()(I1 first1, S1 last1, I2 first2, S2 last2, O out, SO out_last,
                                                  C comp = {}, P1 proj1 = {}, P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, first1, last1, first2, last2, out, out_last, std::move(comp), std::move(proj1),
                   std::move(proj2));
  }
  template <LoopRange R1, LoopRange R2, LoopRange O, class C = std::ranges::less, class P1 = std::identity,
            class P2 = std::identity>
    requires std::mergeable<std::ranges::iterator_t<R1>, std::ranges::iterator_t<R2>, std::ranges::iterator_t<O>, C, P1,
                            P2>
  std::ranges::merge_result<std::ranges::borrowed_iterator_t<R1>, std::ranges::borrowed_iterator_t<R2>,
                            std::ranges::borrowed_iterator_t<O>>
  operator()(R1&& range1, R2&& range2, O&& out, C comp = {}, P1 proj1 = {}, P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, range1, range2, out, std::move(comp), std::move(proj1), std::move(proj2));
  }
};

struct InplaceMergeFn {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = std::ranges::less,
            class P = std::identity>
    requires std::sortable<I, C, P>
  I operator()(const AlgorithmOptions& options, I first, I middle, S last, C comp = {}, P proj = {}) const {
    const I end = first + (last - first);
    throw_if_stopped(options);
    inplace_merge_items(options, first, middle, end, comp, proj);
    return end;
  }
  template <LoopRange R, class C = std::ranges::less, class P = std::identity>
    requires std::sortable<std::ranges::iterator_t<R>, C, P>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range,
                                                 std::ranges::iterator_t<R> middle, C comp = {}, P proj = {}) const {
    const auto first = std::ranges::begin(range);
    return (*this)(options, first, std::move(middle), first + std::ranges::ssize(range), std::move(comp),
                   std::move(proj));
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

/// @brief Merges two sorted ranges to an output. Of equal items, those of the first range come first, and each in their order.
///
/// merge(range1, range2, out, comp, proj1, proj2), merge(first1, last1, first2, last2, out, out_last, comp, proj1, proj2), and
/// both with an AlgorithmOptions that leads. Both inputs must be sorted by `comp` of their projections; by default
/// std::ranges::less and std::identity, which are called by several threads at once. `out` is a sized range, which must not
/// overlap the inputs.
///
/// @return The ends of the inputs and of the output, as std::ranges::merge does. If the output is too small, it is filled, and
///   `in1` and `in2` point behind the items that went there.
/// @throws What `comp`, the projections and assignments throw, and Stopped after a stop request; then some of the output has
///   been assigned. A comparison that is no strict weak order, or an input that is not sorted, leaves all items in some order.
///
/// At most n1 + n2 comparisons, and some log2 n for each part of the output; one assignment an item. No memory. Any thread.
/// @code
///   blitz::merge(mine, yours, ours);
/// @endcode
/// The algorithm: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path, 2012.
inline constexpr detail::MergeFn merge{};

/// @brief Merges the sorted [first, middle) and [middle, last) in their place. Of equal items, those of the former come first, and
/// each in their order.
///
/// inplace_merge(range, middle, comp, proj), inplace_merge(first, middle, last, comp, proj), and both with an AlgorithmOptions
/// that leads; returns the end. `comp` and `proj` have defaults, std::ranges::less and std::identity, and are called by several
/// threads at once.
///
/// @throws What `comp`, `proj` and the moves of items throw, and Stopped after a stop request. Unless a move throws, the items are
///   then a permutation of what they were, and in the places where they were if there was memory. A comparison that is no
///   strict weak order leaves some permutation.
///
/// At most n comparisons, and some log2 n for each part. Memory: as many items as must change their places, and two pointers
/// for each that is not cheap to move. Where that memory is not to be had, the calling thread merges by rotations, with
/// O(n log n) swaps. Ranges that are not contiguous, such as a deque's, are moved to other memory and back: std::bad_alloc leaves
/// them as they were. Any thread.
/// @code
///   const auto sorted = items.size();
///   items.insert(items.end(), added.begin(), added.end());
///   blitz::sort(items.begin() + sorted, items.end());
///   blitz::inplace_merge(items, items.begin() + sorted);
/// @endcode
inline constexpr detail::InplaceMergeFn inplace_merge{};

}  // namespace blitz
