/// @file
/// remove and remove_if: remove items in place.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/filter.hpp"
#include "blitz/detail/algorithm/flags.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

struct RemoveIf {
  template <Permutable I, std::sized_sentinel_for<I> S, class P = std::identity, SharedPredicate<Projected<I, P>> F>
    requires std::random_access_iterator<I>
  std::ranges::subrange<I> operator()(const AlgorithmOptions& options, I first, S last, F pred, P proj = {}) const {
    const auto count = static_cast<LoopIndex>(last - first);
    const Wanted<false, F, P> wanted{pred, proj};
    WantedFilter<true, I, I, Wanted<false, F, P>> filter(options, first, count, first, count, wanted);
    const LoopIndex kept = Filter::run(filter, options).kept;
    return {at(first, kept), at(first, count)};
  }
  template <Permutable I, std::sized_sentinel_for<I> S, class P = std::identity, SharedPredicate<Projected<I, P>> F>
    requires std::random_access_iterator<I>
  std::ranges::subrange<I> operator()(I first, S last, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(pred), std::move(proj));
  }
  template <LoopRange R, class P = std::identity, SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
    requires Permutable<std::ranges::iterator_t<R>>
  std::ranges::borrowed_subrange_t<R> operator()(const AlgorithmOptions& options, R&& range, F pred,
                                                 P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj));
  }
  template <LoopRange R, class P = std::identity, SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
    requires Permutable<std::ranges::iterator_t<R>>
  std::ranges::borrowed_subrange_t<R> operator()(R&& range, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(pred), std::move(proj));
  }
};

struct Remove {
  template <Permutable I, std::sized_sentinel_for<I> S, class V, class P = std::identity>
    requires std::random_access_iterator<I> &&
             std::indirect_binary_predicate<std::ranges::equal_to, Projected<I, P>, const V*>
  std::ranges::subrange<I> operator()(const AlgorithmOptions& options, I first, S last, const V& value,
                                      P proj = {}) const {
    return RemoveIf{}(options, std::move(first), last, EqualTo<V>{value}, std::move(proj));
  }
  template <Permutable I, std::sized_sentinel_for<I> S, class V, class P = std::identity>
    requires std::random_access_iterator<I> &&
             std::indirect_binary_predicate<std::ranges::equal_to, Projected<I, P>, const V*>
  std::ranges::subrange<I> operator()(I first, S last, const V& value, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, value, std::move(proj));
  }
  template <LoopRange R, class V, class P = std::identity>
    requires Permutable<std::ranges::iterator_t<R>> &&
             std::indirect_binary_predicate<std::ranges::equal_to, Projected<std::ranges::iterator_t<R>, P>, const V*>
  std::ranges::borrowed_subrange_t<R> operator()(const AlgorithmOptions& options, R&& range, const V& value,
                                                 P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), value, std::move(proj));
  }
  template <LoopRange R, class V, class P = std::identity>
    requires Permutable<std::ranges::iterator_t<R>> &&
             std::indirect_binary_predicate<std::ranges::equal_to, Projected<std::ranges::iterator_t<R>, P>, const V*>
  std::ranges::borrowed_subrange_t<R> operator()(R&& range, const V& value, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, value, std::move(proj));
  }
};

}  // namespace detail

/// Removes the items with a projection that satisfies `pred`: moves the others to the front, in order. Returns the rest, as the
/// subrange at the end of the range; its items are valid but unspecified.
///
/// The algorithm is blitz::copy_if, except that items are moved when their new places are free. An item that keeps its place is
/// not moved.
///
/// Throws the exceptions of `pred`, `proj` and moves, and Stopped after a stop request. All items are then valid, and some may
/// have been moved from.
///
/// O(n): exactly n calls of `pred` and `proj`, and at most n moves. Memory: one bit for each item, and some kilobytes; for
/// trivially copied items see blitz::copy_if. std::bad_alloc leaves the items unchanged.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto rest =
///       blitz::remove_if(particles, [](const Particle& p) { return p.energy < threshold; });
///   particles.erase(rest.begin(), rest.end());
/// @endcode
inline constexpr detail::Algorithm<detail::RemoveIf> remove_if{};

/// Removes the items with a projection equal to `value`, which must not be an item of the range: moves the others to the front,
/// in order. Returns the rest, as the subrange at the end of the range; its items are valid but unspecified.
///
/// Throws the exceptions of comparisons, `proj` and moves, and Stopped after a stop request. All items are then valid, and some
/// may have been moved from.
///
/// O(n): exactly n comparisons and calls of `proj`, and at most n moves. Memory: see blitz::copy_if. std::bad_alloc leaves the
/// items unchanged.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto rest = blitz::remove(numbers, 0);
/// @endcode
inline constexpr detail::Algorithm<detail::Remove> remove{};

}  // namespace blitz
