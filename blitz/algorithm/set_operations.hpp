/// @file
/// includes and the set operations: union, intersection and differences of sorted ranges.
#pragma once

#include "blitz/base/compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/sort/set_kernels.hpp"
#include "blitz/algorithm/sort/sort_items.hpp"
#include "blitz/base/atomic.hpp"
#include "blitz/core/items.hpp"

namespace blitz {

namespace detail {

/// A set operation. `Result`: what it returns for the types of its iterators.
template <SetItems kItems, bool kReturnsSecond>
struct SetFn {
  template <class I1, class I2, class O>
  using Result =
      std::conditional_t<kReturnsSecond, std::ranges::in_in_out_result<I1, I2, O>, std::ranges::in_out_result<I1, O>>;

  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, std::random_access_iterator O, std::sized_sentinel_for<O> SO,
            class C = std::ranges::less, class P1 = std::identity, class P2 = std::identity>
    requires std::mergeable<I1, I2, O, C, P1, P2>
  Result<I1, I2, O> operator()(const AlgorithmOptions& options, I1 first1, S1 last1, I2 first2, S2 last2, O out,
                               SO out_last, C comp = {}, P1 proj1 = {}, P2 proj2 = {}) const {
    const auto n1 = static_cast<std::size_t>(last1 - first1);
    const auto n2 = static_cast<std::size_t>(last2 - first2);
    const auto room = static_cast<std::size_t>(out_last - out);
    const TwoProjections<C, P1, P2> less{&comp, &proj1, &proj2};
    SetProgress progress{};
    throw_if_stopped(options);
    const std::size_t grain = sort_grain<std::iter_value_t<I1>>(options);
    with_threads(options, n1 + n2, grain, [&](std::size_t threads) {
      const std::size_t parts = part_count(n1 + n2, threads, grain);
      progress = set_parallel<kItems>(options, parts, first1, n1, first2, n2, out, room, less);
    });
    if constexpr (kReturnsSecond) {
      return {at(first1, progress.first), at(first2, progress.second), at(out, progress.written)};
    } else {
      return {at(first1, progress.first), at(out, progress.written)};
    }
  }
  template <LoopRange R1, LoopRange R2, LoopRange O, class C = std::ranges::less, class P1 = std::identity,
            class P2 = std::identity>
    requires std::mergeable<std::ranges::iterator_t<R1>, std::ranges::iterator_t<R2>, std::ranges::iterator_t<O>, C, P1,
                            P2>
  Result<std::ranges::borrowed_iterator_t<R1>, std::ranges::borrowed_iterator_t<R2>,
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
  Result<I1, I2, O> operator()(I1 first1, S1 last1, I2 first2, S2 last2, O out, SO out_last, C comp = {}, P1 proj1 = {},
                               P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, first1, last1, first2, last2, out, out_last, std::move(comp), std::move(proj1),
                   std::move(proj2));
  }
  template <LoopRange R1, LoopRange R2, LoopRange O, class C = std::ranges::less, class P1 = std::identity,
            class P2 = std::identity>
    requires std::mergeable<std::ranges::iterator_t<R1>, std::ranges::iterator_t<R2>, std::ranges::iterator_t<O>, C, P1,
                            P2>
  Result<std::ranges::borrowed_iterator_t<R1>, std::ranges::borrowed_iterator_t<R2>,
         std::ranges::borrowed_iterator_t<O>>
  operator()(R1&& range1, R2&& range2, O&& out, C comp = {}, P1 proj1 = {}, P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, range1, range2, out, std::move(comp), std::move(proj1), std::move(proj2));
  }
};

struct IncludesFn {
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, class P1 = std::identity, class P2 = std::identity,
            std::indirect_strict_weak_order<std::projected<I1, P1>, std::projected<I2, P2>> C = std::ranges::less>
  bool operator()(const AlgorithmOptions& options, I1 first1, S1 last1, I2 first2, S2 last2, C comp = {}, P1 proj1 = {},
                  P2 proj2 = {}) const {
    const auto n1 = static_cast<std::size_t>(last1 - first1);
    const auto n2 = static_cast<std::size_t>(last2 - first2);
    const TwoProjections<C, P1, P2> less{&comp, &proj1, &proj2};
    throw_if_stopped(options);
    bool all = true;
    const std::size_t grain = sort_grain<std::iter_value_t<I1>>(options);
    with_threads(options, n1 + n2, grain, [&](std::size_t threads) {
      const std::size_t parts = part_count(n1 + n2, threads, grain);
      all = includes_parallel(options, parts, first1, n1, first2, n2, less);
    });
    return all;
  }
  template <LoopRange R1, LoopRange R2, class P1 = std::identity, class P2 = std::identity,
            std::indirect_strict_weak_order<std::projected<std::ranges::iterator_t<R1>, P1>,
                                            std::projected<std::ranges::iterator_t<R2>, P2>>
                C = std::ranges::less>
  bool operator()(const AlgorithmOptions& options, R1&& range1, R2&& range2, C comp = {}, P1 proj1 = {},
                  P2 proj2 = {}) const {
    const auto first1 = std::ranges::begin(range1);
    const auto first2 = std::ranges::begin(range2);
    return (*this)(options, first1, first1 + std::ranges::ssize(range1), first2, first2 + std::ranges::ssize(range2),
                   std::move(comp), std::move(proj1), std::move(proj2));
  }
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, class P1 = std::identity, class P2 = std::identity,
            std::indirect_strict_weak_order<std::projected<I1, P1>, std::projected<I2, P2>> C = std::ranges::less>
  bool operator()(I1 first1, S1 last1, I2 first2, S2 last2, C comp = {}, P1 proj1 = {}, P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, first1, last1, first2, last2, std::move(comp), std::move(proj1),
                   std::move(proj2));
  }
  template <LoopRange R1, LoopRange R2, class P1 = std::identity, class P2 = std::identity,
            std::indirect_strict_weak_order<std::projected<std::ranges::iterator_t<R1>, P1>,
                                            std::projected<std::ranges::iterator_t<R2>, P2>>
                C = std::ranges::less>
  bool operator()(R1&& range1, R2&& range2, C comp = {}, P1 proj1 = {}, P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, range1, range2, std::move(comp), std::move(proj1), std::move(proj2));
  }
};

}  // namespace detail

/// @brief Whether the sorted first range has all items of the sorted second one: of k equal items there, k or more.
///
/// includes(range1, range2, comp, proj1, proj2), includes(first1, last1, first2, last2, comp, proj1, proj2), and both with an
/// AlgorithmOptions that leads. Both ranges must be sorted by `comp` of their projections; by default std::ranges::less and
/// std::identity, which are called by several threads at once.
///
/// @return Whether it is so. A part that begins after a missing item was found is not looked at.
/// @throws What `comp` and the projections throw, and Stopped after a stop request.
///
/// O(n1 + n2) comparisons; no memory. Any thread.
/// @code
///   if (!blitz::includes(known_words, words)) return;
/// @endcode
inline constexpr detail::IncludesFn includes{};

/// @brief Writes the sorted union of two sorted ranges: of an item that is k times in the first and m times in the second one,
/// max(k, m), the first k from the first range.
///
/// set_union(range1, range2, out, comp, proj1, proj2), set_union(first1, last1, first2, last2, out, out_last, comp, proj1,
/// proj2), and both with an AlgorithmOptions that leads. Both inputs must be sorted by `comp` of their projections; by default
/// std::ranges::less and std::identity, which are called by several threads at once. `out` is a sized range, which must not
/// overlap the inputs.
///
/// @return The ends of the inputs and of the output, as std::ranges::set_union does. If the output is too small, it is filled,
///   and the first item that did not fit is where `in1` and `in2` point.
/// @throws What `comp`, the projections and assignments throw, and Stopped after a stop request; then some of the output has
///   been assigned. A comparison that is no strict weak order, or an input that is not sorted, leaves some items in the output.
///
/// At most 4 (n1 + n2) comparisons, half of them to count what each part writes, and one assignment an item of the output. No
/// memory. Any thread.
/// @code
///   const auto end = blitz::set_union(a, b, all).out;
/// @endcode
inline constexpr detail::SetFn<detail::SetItems{true, true, true}, true> set_union{};

/// @brief Writes the sorted items that are in both of two sorted ranges: of an item that is k times in the first and m times in
/// the second one, min(k, m), from the first range.
///
/// Arguments, result, exceptions, cost and memory as for set_union, as std::ranges::set_intersection. Any thread.
/// @code
///   const auto end = blitz::set_intersection(a, b, common).out;
/// @endcode
inline constexpr detail::SetFn<detail::SetItems{false, false, true}, true> set_intersection{};

/// @brief Writes the sorted items of the first of two sorted ranges that are not in the second one: of an item that is k times
/// in the first and m times in the second one, the last max(k - m, 0).
///
/// Arguments, exceptions, cost and memory as for set_union, as std::ranges::set_difference. Any thread.
/// @return The end of the first input and of the output, as `in` and `out`. If the output is too small, it is filled, and `in`
///   points to the first item that did not fit.
/// @code
///   const auto end = blitz::set_difference(all, done, left).out;
/// @endcode
inline constexpr detail::SetFn<detail::SetItems{true, false, false}, false> set_difference{};

/// @brief Writes the sorted items that are in only one of two sorted ranges: of an item that is k times in the first and m times
/// in the second one, |k - m|, the last ones of the range that has more.
///
/// Arguments, result, exceptions, cost and memory as for set_union, as std::ranges::set_symmetric_difference. Any thread.
/// @code
///   const auto end = blitz::set_symmetric_difference(before, after, changed).out;
/// @endcode
inline constexpr detail::SetFn<detail::SetItems{true, true, false}, true> set_symmetric_difference{};

}  // namespace blitz
