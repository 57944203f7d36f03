/// @file
/// The results of a predicate for runs of items, as the bits of words. A loop over the set bits has about one mispredicted
/// branch per word; with a branch per item there would be up to 32.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/raw_memory.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz::detail {

using FlagWord = std::uint64_t;
/// The number of items of a word.
inline constexpr LoopIndex kFlags = 64;
/// The number of words that are computed and moved together, and the number of their items.
inline constexpr LoopIndex kBatchWords = 8;
inline constexpr LoopIndex kBatch = kBatchWords * kFlags;

/// The number of words for `items` items.
[[nodiscard]] constexpr LoopIndex words_of(LoopIndex items) noexcept { return ceil_div(items, kFlags); }

/// The lowest `count` bits.
[[nodiscard]] constexpr FlagWord low_flags(LoopIndex count) noexcept {
  return count >= kFlags ? ~FlagWord{0} : (FlagWord{1} << count) - 1;
}

/// The size of items with predicates that cost no more than a branch and that compilers vectorize; 0 for other items. These are
/// contiguous numbers, except integers of 64 bits: baseline x86-64 has no vector comparisons for them.
template <class I>
inline constexpr std::size_t kCheapItems =
    std::contiguous_iterator<I> && std::is_arithmetic_v<std::iter_value_t<I>> &&
            (sizeof(std::iter_value_t<I>) < 8 || std::same_as<std::iter_value_t<I>, double>)
        ? sizeof(std::iter_value_t<I>)
        : 0;

/// The unsigned integer type of a size.
template <std::size_t kSize>
using UnsignedOf = std::conditional_t<
    kSize == 1, std::uint8_t,
    std::conditional_t<kSize == 2, std::uint16_t, std::conditional_t<kSize == 4, std::uint32_t, std::uint64_t>>>;

/// Whether these items are narrower than a word. Compilers do not combine the results for items of 64 bits into vectors of
/// bytes.
template <class I>
inline constexpr bool kNarrowItems = kCheapItems<I> != 0 && kCheapItems<I> < 8;

/// Calls `test()` `count` times, at most kFlags. Result i becomes bit i.
template <bool kNarrow, class Test>
[[nodiscard]] BLITZ_ALWAYS_INLINE FlagWord flags_of(LoopIndex count, const Test& test) {
  FlagWord flags = 0;
  if (count != kFlags) {
    for (LoopIndex i = 0; i < count; ++i) flags |= FlagWord{test() ? 1U : 0U} << i;
  } else if constexpr (kNarrow && std::endian::native == std::endian::little) {
    std::array<unsigned char, kFlags> bytes;
    for (unsigned char& byte : bytes) byte = test() ? 1 : 0;
    for (std::size_t i = 0; i < kFlags; i += 8) {
      FlagWord eight;
      std::memcpy(&eight, &bytes[i], 8);
      flags |= (eight * 0x0102'0408'1020'4080) >> 56 << i;  // Byte k times 2^(56 - 7k) is bit k of the highest byte.
    }
  } else {
    const auto next_eight = [&]<std::size_t... k>(std::index_sequence<k...>) BLITZ_LAMBDA_INLINE {
      FlagWord eight = 0;
      ((eight |= FlagWord{test() ? 1U : 0U} << k), ...);
      return eight;
    };
    for (LoopIndex i = 0; i < kFlags; i += 8) flags |= next_eight(std::make_index_sequence<8>()) << i;
  }
  return flags;
}

/// Writes the results of `count` calls of `test()` to words.
template <bool kNarrow, class Test>
BLITZ_ALWAYS_INLINE void flags_of(LoopIndex count, FlagWord* flags, const Test& test) {
  for (; count >= kFlags; count -= kFlags) *flags++ = flags_of<kNarrow>(kFlags, test);
  if (count > 0) *flags = flags_of<kNarrow>(count, test);
}

/// Whether `pred` of the projection of an item is kWanted.
template <bool kWanted, class F, class P>
struct Wanted {
  template <class I>
  BLITZ_ALWAYS_INLINE bool operator()(const I& item) const {
    return static_cast<bool>(std::invoke(pred, std::invoke(proj, *item))) == kWanted;
  }
  F& pred;
  P& proj;
};

/// Writes the results of `wanted(item)` for `count` iterators, starting with `item`, to words.
template <class I, class W>
BLITZ_ALWAYS_INLINE void flags_of_items(I item, LoopIndex count, const W& wanted, FlagWord* flags) {
  flags_of<kNarrowItems<I>>(count, flags, [&]() BLITZ_LAMBDA_INLINE {
    const bool answer = wanted(item);
    ++item;
    return answer;
  });
}

/// Whether items of In are cheap to write to places of Out by write_wanted.
template <class In, class Out>
inline constexpr bool kWritesAll =
    std::contiguous_iterator<In> && std::contiguous_iterator<Out> &&
    std::same_as<std::iter_value_t<In>, std::iter_value_t<Out>> &&
    std::is_trivially_copyable_v<std::iter_value_t<In>> && std::is_copy_constructible_v<std::iter_value_t<In>> &&
    sizeof(std::iter_value_t<In>) <= 16;

/// Copies the wanted ones of `count` items, starting with `item`, to `first`, and returns their number. Each item is written to
/// the next place; if it is not wanted, the next item overwrites it. So there is no branch on the result of `wanted`. The last
/// wanted item is found first, because nothing may be written after the end of the output.
template <class I, class W, class O>
[[nodiscard]] BLITZ_ALWAYS_INLINE LoopIndex write_wanted(I item, LoopIndex count, const W& wanted, O* const first) {
  while (count > 0 && !wanted(at(item, count - 1))) --count;
  if (count == 0) return 0;
  O* out = first;
#pragma GCC unroll 4
  for (--count; count > 0; --count, ++item) {
    const bool answer = wanted(item);
    std::construct_at(out, std::as_const(*item));
    out += answer ? 1 : 0;
  }
  std::construct_at(out, std::as_const(*item));
  return static_cast<LoopIndex>(out + 1 - first);
}

/// Whether an item equals a value.
template <class V>
struct EqualTo {
  template <class X>
  bool operator()(X&& x) const {
    return std::ranges::equal_to{}(std::forward<X>(x), value);
  }
  const V& value;
};

/// Calls `f(i, length)` from left to right for runs [i, i + length) that cover the flagged items of a batch. In words with most
/// bits set, runs are as long as possible; otherwise each run has one item.
template <class F>
BLITZ_ALWAYS_INLINE void for_flagged_runs(const FlagWord* flags, LoopIndex count, const F& f) {
  constexpr int kFewZeros = 8;
  for (LoopIndex first = 0; first < count; first += kFlags, ++flags) {
    FlagWord left = *flags;
    if (std::popcount(left) >= static_cast<int>(kFlags) - kFewZeros) {
      for (LoopIndex i = 0; left != 0;) {
        const int zeros = std::countr_zero(left);
        const int ones = std::countr_one(left >> zeros);
        i += static_cast<LoopIndex>(zeros);
        f(first + i, static_cast<LoopIndex>(ones));
        i += static_cast<LoopIndex>(ones);
        left = i < kFlags ? *flags >> i : 0;
      }
    } else {
      for (; left != 0; left &= left - 1) f(first + static_cast<LoopIndex>(std::countr_zero(left)), 1);
    }
  }
}

/// Calls `f(i)` for each flagged item i of a batch, from left to right.
template <class F>
BLITZ_ALWAYS_INLINE void for_each_flagged(const FlagWord* flags, LoopIndex count, const F& f) {
  for (LoopIndex first = 0; first < count; first += kFlags, ++flags) {
    for (FlagWord left = *flags; left != 0; left &= left - 1) f(first + static_cast<LoopIndex>(std::countr_zero(left)));
  }
}

}  // namespace blitz::detail
