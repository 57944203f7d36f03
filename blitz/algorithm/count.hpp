/// @file
/// count and count_if.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/raw_memory.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// The sum of `count_block(from, to)` over blocks that cover [0, count).
template <class CountBlock>
[[nodiscard]] LoopIndex count_blocks(const AlgorithmOptions& options, LoopIndex count, const CountBlock& count_block) {
  return fold_blocks(
      options, count, 1, [] { return LoopIndex{0}; },
      [&](LoopIndex& sum, LoopIndex from, LoopIndex to) { sum += count_block(from, to); },
      [](LoopIndex& left, LoopIndex&& right) { left += right; });
}

/// The number of positions with `holds(position)`. If items are cheap, kGroup positions at a time are counted in a number as
/// wide as an item.
template <std::size_t kCheap, class Holds>
[[nodiscard]] LoopIndex count_positions(const AlgorithmOptions& options, LoopIndex count, const Holds& holds) {
  return count_blocks(options, count, [&](LoopIndex from, LoopIndex to) {
    LoopIndex here = 0;
    if constexpr (kCheap != 0) {
      constexpr LoopIndex kGroup = 128;
      for (; to - from >= kGroup; from += kGroup) {
        UnsignedOf<kCheap> some = 0;
        for (LoopIndex k = 0; k < kGroup; ++k) {
          // g++ vectorises the first form for doubles, and the second form for narrower numbers.
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
    return here;
  });
}

#if defined(__SSE2__) && !defined(__SSE4_1__) && !defined(__clang__)
/// Before SSE4.1 g++ does not vectorise 64-bit comparisons. Two numbers are equal if both of their halves are equal.
template <class I, class T, class P>
inline constexpr bool kByHalves =
    std::contiguous_iterator<I> && std::integral<std::iter_value_t<I>> && std::same_as<std::iter_value_t<I>, T> &&
    sizeof(T) == 8 && std::same_as<std::remove_const_t<P>, std::identity>;

/// The number of items in [item, end) that equal `value`. With two vectors per iteration, the loop took 1.5 times as long on
/// Zen 5 if its code was within one cache line.
template <class T>
[[nodiscard]] LoopIndex count_by_halves(const T* item, const T* end, T value) noexcept {
  using Halves [[gnu::vector_size(16)]] = std::int32_t;
  using Wholes [[gnu::vector_size(16)]] = std::uint64_t;
  const Wholes values = Wholes{} + static_cast<std::uint64_t>(value);
  std::array<Wholes, 4> sums{};
  for (; end - item >= 8; item += 8) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < sums.size(); ++k) {
      Halves two;
      std::memcpy(&two, item + 2 * k, sizeof(two));
      const Halves equal = two == reinterpret_cast<Halves>(values);  // -1 or 0
      sums[k] -= reinterpret_cast<Wholes>(equal & __builtin_shuffle(equal, Halves{1, 0, 3, 2}));
    }
  }
  const Wholes sum = sums[0] + sums[1] + sums[2] + sums[3];
  return sum[0] + sum[1] + static_cast<LoopIndex>(std::count(item, end, value));
}
#else
template <class I, class T, class P>
inline constexpr bool kByHalves = false;
#endif

struct Count : WithValue<Count> {
  template <class I, class T, class P>
  static auto run(const AlgorithmOptions& options, const I& first, LoopIndex count, const T& value, P& proj) {
    LoopIndex equal;
    if constexpr (kByHalves<I, T, P>) {
      equal = count_blocks(options, count, [&](LoopIndex from, LoopIndex to) {
        const T* const items = std::to_address(first);
        return count_by_halves(items + from, items + to, value);
      });
    } else {
      equal = count_positions<kCheapItems<I>>(options, count, value_test(first, value, proj));
    }
    return static_cast<std::iter_difference_t<I>>(equal);
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
/// Several threads make the calls of the predicate and the projection of `count` and `count_if` concurrently.
///
/// Throws the exceptions of these calls, and Stopped after a stop request.
///
/// O(n): n calls for n items. Memory: none.
///
/// Thread-safety: any thread.
/// @{

/// Returns the number of items with a projection equal to `value`.
/// @code
///   const auto zeros = blitz::count(numbers, 0);
/// @endcode
inline constexpr detail::Algorithm<detail::Count> count{};
/// Returns the number of items with a projection that satisfies `pred`.
inline constexpr detail::Algorithm<detail::CountIf> count_if{};

/// @}

}  // namespace blitz
