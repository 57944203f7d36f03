/// @file
/// copy_if, remove_copy and remove_copy_if: copy selected items, in order, into another range.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/filter.hpp"
#include "blitz/detail/algorithm/flags.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

template <bool kWanted>
struct CopyIf : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> T, class P = std::identity, SharedPredicate<Projected<I, P>> F>
    requires CopyableTo<I, O>
  std::ranges::copy_if_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out, T out_last,
                                               F pred, P proj = {}) const {
    const Wanted<kWanted, F, P> wanted{pred, proj};
    WantedFilter<false, I, O, Wanted<kWanted, F, P>> filter(options, first, static_cast<LoopIndex>(last - first), out,
                                                            static_cast<LoopIndex>(out_last - out), wanted);
    const auto [kept, end] = Filter::run(filter, options);
    return {at(first, end), at(out, kept)};
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> T, class P = std::identity, SharedPredicate<Projected<I, P>> F>
    requires CopyableTo<I, O>
  std::ranges::copy_if_result<I, O> operator()(I first, S last, O out, T out_last, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(out), out_last, std::move(pred),
                   std::move(proj));
  }
  template <LoopRange R, LoopRange Out, class P = std::identity,
            SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  std::ranges::copy_if_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>> operator()(
      const AlgorithmOptions& options, R&& range, Out&& out, F pred, P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out), std::move(pred), std::move(proj));
  }
  template <LoopRange R, LoopRange Out, class P = std::identity,
            SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  std::ranges::copy_if_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>> operator()(
      R&& range, Out&& out, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, out, std::move(pred), std::move(proj));
  }
};

struct RemoveCopy : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> T, class V, class P = std::identity>
    requires CopyableTo<I, O> && std::indirect_binary_predicate<std::ranges::equal_to, Projected<I, P>, const V*>
  std::ranges::remove_copy_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out, T out_last,
                                                   const V& value, P proj = {}) const {
    return CopyIf<false>{}(options, std::move(first), last, std::move(out), out_last, EqualTo<V>{value},
                           std::move(proj));
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> T, class V, class P = std::identity>
    requires CopyableTo<I, O> && std::indirect_binary_predicate<std::ranges::equal_to, Projected<I, P>, const V*>
  std::ranges::remove_copy_result<I, O> operator()(I first, S last, O out, T out_last, const V& value,
                                                   P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(out), out_last, value, std::move(proj));
  }
  template <LoopRange R, LoopRange Out, class V, class P = std::identity>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>> &&
             std::indirect_binary_predicate<std::ranges::equal_to, Projected<std::ranges::iterator_t<R>, P>, const V*>
  std::ranges::remove_copy_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>>
  operator()(const AlgorithmOptions& options, R&& range, Out&& out, const V& value, P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out), value, std::move(proj));
  }
  template <LoopRange R, LoopRange Out, class V, class P = std::identity>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>> &&
             std::indirect_binary_predicate<std::ranges::equal_to, Projected<std::ranges::iterator_t<R>, P>, const V*>
  std::ranges::remove_copy_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>>
  operator()(R&& range, Out&& out, const V& value, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, out, value, std::move(proj));
  }
};

}  // namespace detail

/// Copies the items with a projection that satisfies `pred`, in order, into another range, which must not overlap. Returns both
/// end positions: {in, out}. If `out` has no room for all, `in` is the first item that did not fit; otherwise it is the end.
///
/// Workers claim blocks from left to right. A worker copies directly to the output if it knows the number of items kept before
/// its block. Otherwise it records a bit for each item, or copies its items to a buffer. These items are copied to the output
/// when the number is known.
///
/// Throws the exceptions of `pred`, `proj` and copies, and Stopped after a stop request. All items of `out` are then valid, and
/// some may have been assigned.
///
/// O(n): at most one call of `pred` and `proj` for each item. Memory: one bit for each item, and some kilobytes. For trivially
/// copied items of at most 16 bytes also room for a quarter of them, at most 2 MiB per thread.
///
/// Thread-safety: any thread.
///
/// @code
///   std::vector<double> found(numbers.size());
///   const auto [in, out] = blitz::copy_if(numbers, found, [](double x) { return x > 0; });
///   found.erase(out, found.end());
/// @endcode
inline constexpr detail::Algorithm<detail::CopyIf<true>> copy_if{};

/// Copies the items with a projection that does not satisfy `pred`, in order, into another range, which must not overlap.
/// Returns both end positions: {in, out}. It is blitz::copy_if with the opposite predicate.
///
/// Throws the exceptions of `pred`, `proj` and copies, and Stopped after a stop request. All items of `out` are then valid, and
/// some may have been assigned.
///
/// O(n): at most one call of `pred` and `proj` for each item. Memory: see blitz::copy_if.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::remove_copy_if(words, others,
///                         [](const std::string& word) { return word.empty(); });
/// @endcode
inline constexpr detail::Algorithm<detail::CopyIf<false>> remove_copy_if{};

/// Copies the items with a projection that does not equal `value`, in order, into another range, which must not overlap.
/// Returns both end positions: {in, out}. It is blitz::copy_if with this comparison as the predicate.
///
/// Throws the exceptions of comparisons, `proj` and copies, and Stopped after a stop request. All items of `out` are then
/// valid, and some may have been assigned.
///
/// O(n): at most one comparison and one call of `proj` for each item. Memory: see blitz::copy_if.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::remove_copy(numbers, rest, 0);
/// @endcode
inline constexpr detail::Algorithm<detail::RemoveCopy> remove_copy{};

}  // namespace blitz
