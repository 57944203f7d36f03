/// @file
/// count and count_if.
#pragma once

#include "blitz/base/compiler.hpp"

#include <iterator>
#include <utility>

#include "blitz/algorithm/blocks.hpp"
#include "blitz/algorithm/call.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/base/atomic.hpp"
#include "blitz/core/items.hpp"

namespace blitz {

namespace detail {

/// The number of positions for which `holds(position)`.
template <class Holds>
[[nodiscard]] LoopIndex count_positions(const AlgorithmOptions& options, LoopIndex count, const Holds& holds) {
  return fold_blocks(
      options, count, 1, [] { return LoopIndex{0}; },
      [&](LoopIndex& sum, LoopIndex from, LoopIndex to) {
        LoopIndex here = 0;
        for (; from != to; ++from) here += holds(from) ? LoopIndex{1} : LoopIndex{0};
        sum += here;
      },
      [](LoopIndex& left, LoopIndex&& right) { left += right; });
}

struct Count : WithValue<Count> {
  template <class I, class T, class P>
  static auto run(const AlgorithmOptions& options, const I& first, LoopIndex count, const T& value, P& proj) {
    return static_cast<std::iter_difference_t<I>>(count_positions(options, count, value_test(first, value, proj)));
  }
};

struct CountIf : WithPredicate<CountIf> {
  template <class I, class F, class P>
  static auto run(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
    return static_cast<std::iter_difference_t<I>>(count_positions(options, count, item_test(first, pred, proj)));
  }
};

}  // namespace detail

/// @name Counts
/// Both are called as f(range, ...) and f(first, last, ...), each also with an AlgorithmOptions that leads; after a stop
/// request they return what was counted. n calls of the predicate and the projection, by several threads at once, whose
/// exceptions arrive. No memory. Any thread.
/// @{

/// Returns the number of items whose projection equals `value`.
/// @code
///   const auto zeros = blitz::count(numbers, 0);
/// @endcode
inline constexpr detail::Count count{};
/// Returns the number of items for whose projection `pred` holds.
inline constexpr detail::CountIf count_if{};

/// @}

}  // namespace blitz
