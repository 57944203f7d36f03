/// @file
/// transform: assigns the result of a function for each item, or for each pair of items.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// Calls `write(from, to)` for blocks that cover [0, count). Throws Stopped if some may have been skipped.
template <class Write>
void write_blocks(const AlgorithmOptions& options, LoopIndex count, const Write& write) {
  for_blocks(options, count, 1, write);
  throw_if_stopped(options);
}

struct Transform : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OutS, std::copy_constructible F, class P = std::identity>
    requires Writable<O, std::indirect_result_t<const F&, Projected<I, P>>>
  std::ranges::unary_transform_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out,
                                                       OutS out_last, F f, P proj = {}) const {
    const LoopIndex count = std::min(count_of(first, last), count_of(out, out_last));
    write_blocks(options, count, [&](LoopIndex from, LoopIndex to) {
      I item = at(first, from);
      const I end = at(first, to);
      for (O place = at(out, from); item != end; ++item, ++place) *place = std::invoke(f, std::invoke(proj, *item));
    });
    return {at(first, count), at(out, count)};
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OutS, std::copy_constructible F, class P = std::identity>
    requires Writable<O, std::indirect_result_t<const F&, Projected<I, P>>>
  std::ranges::unary_transform_result<I, O> operator()(I first, S last, O out, OutS out_last, F f, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, first, last, out, out_last, std::move(f), std::move(proj));
  }
  template <LoopRange R, LoopRange Out, std::copy_constructible F, class P = std::identity>
    requires Writable<std::ranges::iterator_t<Out>,
                      std::indirect_result_t<const F&, Projected<std::ranges::iterator_t<R>, P>>>
  std::ranges::unary_transform_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>>
  operator()(const AlgorithmOptions& options, R&& range, Out&& out, F f, P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out), std::move(f), std::move(proj));
  }
  template <LoopRange R, LoopRange Out, std::copy_constructible F, class P = std::identity>
    requires Writable<std::ranges::iterator_t<Out>,
                      std::indirect_result_t<const F&, Projected<std::ranges::iterator_t<R>, P>>>
  std::ranges::unary_transform_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>>
  operator()(R&& range, Out&& out, F f, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::forward<R>(range), std::forward<Out>(out), std::move(f), std::move(proj));
  }

  // For two ranges.

  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, std::random_access_iterator O, std::sized_sentinel_for<O> OutS,
            std::copy_constructible F, class P1 = std::identity, class P2 = std::identity>
    requires Writable<O, std::indirect_result_t<const F&, Projected<I1, P1>, Projected<I2, P2>>>
  std::ranges::binary_transform_result<I1, I2, O> operator()(const AlgorithmOptions& options, I1 first1, S1 last1,
                                                             I2 first2, S2 last2, O out, OutS out_last, F f,
                                                             P1 proj1 = {}, P2 proj2 = {}) const {
    const LoopIndex count = std::min({count_of(first1, last1), count_of(first2, last2), count_of(out, out_last)});
    write_blocks(options, count, [&](LoopIndex from, LoopIndex to) {
      I1 item1 = at(first1, from);
      I2 item2 = at(first2, from);
      const I1 end = at(first1, to);
      for (O place = at(out, from); item1 != end; ++item1, ++item2, ++place) {
        *place = std::invoke(f, std::invoke(proj1, *item1), std::invoke(proj2, *item2));
      }
    });
    return {at(first1, count), at(first2, count), at(out, count)};
  }
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, std::random_access_iterator O, std::sized_sentinel_for<O> OutS,
            std::copy_constructible F, class P1 = std::identity, class P2 = std::identity>
    requires Writable<O, std::indirect_result_t<const F&, Projected<I1, P1>, Projected<I2, P2>>>
  std::ranges::binary_transform_result<I1, I2, O> operator()(I1 first1, S1 last1, I2 first2, S2 last2, O out,
                                                             OutS out_last, F f, P1 proj1 = {}, P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, first1, last1, first2, last2, out, out_last, std::move(f), std::move(proj1),
                   std::move(proj2));
  }
  template <LoopRange R1, LoopRange R2, LoopRange Out, std::copy_constructible F, class P1 = std::identity,
            class P2 = std::identity>
    requires Writable<std::ranges::iterator_t<Out>,
                      std::indirect_result_t<const F&, Projected<std::ranges::iterator_t<R1>, P1>,
                                             Projected<std::ranges::iterator_t<R2>, P2>>>
  std::ranges::binary_transform_result<std::ranges::borrowed_iterator_t<R1>, std::ranges::borrowed_iterator_t<R2>,
                                       std::ranges::borrowed_iterator_t<Out>>
  operator()(const AlgorithmOptions& options, R1&& range1, R2&& range2, Out&& out, F f, P1 proj1 = {},
             P2 proj2 = {}) const {
    return (*this)(options, std::ranges::begin(range1), std::ranges::end(range1), std::ranges::begin(range2),
                   std::ranges::end(range2), std::ranges::begin(out), std::ranges::end(out), std::move(f),
                   std::move(proj1), std::move(proj2));
  }
  template <LoopRange R1, LoopRange R2, LoopRange Out, std::copy_constructible F, class P1 = std::identity,
            class P2 = std::identity>
    requires Writable<std::ranges::iterator_t<Out>,
                      std::indirect_result_t<const F&, Projected<std::ranges::iterator_t<R1>, P1>,
                                             Projected<std::ranges::iterator_t<R2>, P2>>>
  std::ranges::binary_transform_result<std::ranges::borrowed_iterator_t<R1>, std::ranges::borrowed_iterator_t<R2>,
                                       std::ranges::borrowed_iterator_t<Out>>
  operator()(R1&& range1, R2&& range2, Out&& out, F f, P1 proj1 = {}, P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, std::forward<R1>(range1), std::forward<R2>(range2), std::forward<Out>(out),
                   std::move(f), std::move(proj1), std::move(proj2));
  }
};

}  // namespace detail

/// Assigns `f(proj(x))` for each item x of a range to the items of `out`; or `f(proj1(x), proj2(y))` for the items of two
/// ranges. Stops at the end of the shortest range, including the output. Returns the positions where it stopped, like
/// `std::ranges::transform`.
///
/// The output may be an input itself, and must not overlap it otherwise. Several threads call `f` and the projections
/// concurrently.
///
/// Throws the first exception of a call, and Stopped after a stop request: then some items of the output are new and some old.
///
/// O(n): n calls of `f`. Memory: none.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::transform(prices, amounts, totals, std::multiplies<>{});
/// @endcode
inline constexpr detail::Algorithm<detail::Transform> transform{};

}  // namespace blitz
