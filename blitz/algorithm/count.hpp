/// @file
/// count and count_if.
#pragma once

#include "blitz/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/blocks.hpp"
#include "blitz/algorithm/call.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/base/atomic.hpp"
#include "blitz/core/items.hpp"

namespace blitz {

namespace detail {

/// The number of positions for which `holds(position)`. If items are cheap, kGroup positions at a time are counted in a number
/// as wide as an item.
template <std::size_t kCheap, class Holds>
[[nodiscard]] LoopIndex count_positions(const AlgorithmOptions& options, LoopIndex count, const Holds& holds) {
  return fold_blocks(
      options, count, 1, [] { return LoopIndex{0}; },
      [&](LoopIndex& sum, LoopIndex from, LoopIndex to) {
        LoopIndex here = 0;
        if constexpr (kCheap != 0) {
          constexpr LoopIndex kGroup = 128;
          for (; to - from >= kGroup; from += kGroup) {
            UnsignedOf<kCheap> some = 0;
            for (LoopIndex k = 0; k < kGroup; ++k) {
              // g++ makes vectors of the first with doubles, and of the second with narrower numbers.
              if constexpr (kCheap == 8) {
                if (holds(from + k)) ++some;
              } else {
                some += static_cast<UnsignedOf<kCheap>>(holds(from + k));
              }
            }
            here += some;
          }
        }
        for (; from != to; ++from) here += holds(from) ? LoopIndex{1} : LoopIndex{0};
        sum += here;
      },
      [](LoopIndex& left, LoopIndex&& right) { left += right; });
}

#if defined(__SSE2__) && !defined(__SSE4_1__) && !defined(__clang__)
/// Whether to compare the halves of integers of 64 bits, of which g++ makes vectors; before SSE4.1 it makes none of the whole.
template <class I, class T, class P>
inline constexpr bool kByHalves =
    std::contiguous_iterator<I> && std::integral<std::iter_value_t<I>> && std::same_as<std::iter_value_t<I>, T> &&
    sizeof(T) == 8 && std::same_as<std::remove_const_t<P>, std::identity>;
#else
template <class I, class T, class P>
inline constexpr bool kByHalves = false;
#endif

struct Count : WithValue<Count> {
  template <class I, class T, class P>
  static auto run(const AlgorithmOptions& options, const I& first, LoopIndex count, const T& value, P& proj) {
    if constexpr (kByHalves<I, T, P>) {
      return static_cast<std::iter_difference_t<I>>(count_positions<4>(options, count, [&](LoopIndex i) -> bool {
        const auto differing = static_cast<std::uint64_t>(*at(first, i) ^ value);
        return (static_cast<std::uint32_t>(differing) | static_cast<std::uint32_t>(differing >> 32)) == 0;
      }));
    } else {
      return static_cast<std::iter_difference_t<I>>(
          count_positions<kCheapItems<I>>(options, count, value_test(first, value, proj)));
    }
  }
};

struct CountIf : WithPredicate<CountIf> {
  template <class I, class F, class P>
  static auto run(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
    return static_cast<std::iter_difference_t<I>>(
        count_positions<kCheapItems<I>>(options, count, item_test(first, pred, proj)));
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
