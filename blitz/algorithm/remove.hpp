/// @file
/// remove and remove_if: closes the gaps that the items of a kind leave.
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

/// Removes the items for whose projection `pred` holds: moves the others together, in their order, to the front. Returns
/// the rest, whose items are valid and unspecified, as a subrange that ends with the range.
///
/// remove_if(range, pred, proj), remove_if(first, last, pred, proj), and both with an AlgorithmOptions that leads.
/// n calls of `pred` and `proj`, exactly; at most n moves; no item moves that stays where it is. Memory: that of
/// copy_if; std::bad_alloc leaves the items as they were. Throws what `pred`, `proj` and moves throw, and Stopped after a
/// stop request: then all items are valid, and some may have been moved from. Any thread. The algorithm is that of copy_if;
/// items are moved when their new places are free.
/// @code
///   const auto rest = blitz::remove_if(particles, [](const Particle& p) { return p.energy < threshold; });
///   particles.erase(rest.begin(), rest.end());
/// @endcode
inline constexpr detail::Algorithm<detail::RemoveIf> remove_if{};

/// Removes the items whose projection equals `value`, which must not be one of them. remove(range, value, proj),
/// remove(first, last, value, proj); all else as for remove_if.
/// @code
///   const auto rest = blitz::remove(numbers, 0);
/// @endcode
inline constexpr detail::Algorithm<detail::Remove> remove{};

}  // namespace blitz
