/// find and what stands on it: the first item of a kind, and whether there is one.
#pragma once

#include "blitz/base/compiler.hpp"

#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "blitz/algorithm/blocks.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/core/items.hpp"

namespace blitz {

namespace detail {

struct FindIf {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class P = std::identity,
            std::indirect_unary_predicate<std::projected<I, P>> F>
  I operator()(const AlgorithmOptions& options, I first, S last, F pred, P proj = {}) const {
    const auto probe = [&](LoopIndex from, LoopIndex to) {
      I item = at(first, from);
      for (; from != to; ++from, ++item) {
        if (std::invoke(pred, std::invoke(proj, *item))) break;
      }
      return from;
    };
    const LoopIndex found = find_first(options, static_cast<LoopIndex>(last - first), 1, probe);
    throw_if_stopped(options);
    return at(first, found);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class P = std::identity,
            std::indirect_unary_predicate<std::projected<I, P>> F>
  I operator()(I first, S last, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(pred), std::move(proj));
  }
  template <LoopRange R, class P = std::identity,
            std::indirect_unary_predicate<std::projected<std::ranges::iterator_t<R>, P>> F>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, F pred,
                                                 P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj));
  }
  template <LoopRange R, class P = std::identity,
            std::indirect_unary_predicate<std::projected<std::ranges::iterator_t<R>, P>> F>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(pred), std::move(proj));
  }
};

}  // namespace detail

/// Returns an iterator to the first item for whose projection `pred` holds, or the end.
///
/// Blocks are probed by several threads at once, and share the best position so far: once an item is found, no block to
/// its right begins. `pred` may be called for items to the right of the result, and for some of them not at all.
///
/// find_if(range, pred, proj), find_if(first, last, pred, proj), and both with an AlgorithmOptions that leads. Throws
/// what `pred` and `proj` throw, and Stopped after a stop request. At most n calls of each; no memory. Any thread.
/// @code
///   const auto wrong = blitz::find_if(numbers, [](double x) { return std::isnan(x); });
/// @endcode
inline constexpr detail::FindIf find_if{};

}  // namespace blitz
