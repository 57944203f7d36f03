/// @file
/// Radix sort on one thread, for items that are cheap to move, with keys that are integers or floating-point numbers.
///
/// Many items are distributed to buckets in other memory by the most significant digit of their keys. A bucket that fits into
/// the cache is sorted from the least significant digit up, but only by its highest bits, as many as distinguish random keys.
/// Items that are equal in these bits are sorted recursively. So random keys of any width take three distributions.
///
/// Keys are read several times, and must be the same each time, because counted places are not checked. So an order reads the
/// key from the item, and does not call user code. Nothing here throws.
///
/// Sources: P. M. McIlroy, K. Bostic, M. D. McIlroy: Engineering Radix Sort, 1993; A. Maus: ARL, a Faster In-place, Cache
/// Friendly Sorting Algorithm, 2002 (most significant digits first, until a bucket fits into the cache).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "blitz/detail/algorithm/sort/quicksort.hpp"
#include "blitz/detail/algorithm/sort/small_sort.hpp"
#include "blitz/detail/algorithm/sort/stable_quicksort.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/raw_memory.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz::detail {

/// A key type with digits in the order of its values.
template <class K>
concept RadixKey = sizeof(K) <= 8 && (std::integral<K> || std::same_as<K, float> || std::same_as<K, double>);

/// Whether `C` compares keys of type K like `<`, or like `>`.
template <class C, class K>
inline constexpr bool kIsLess =
    std::same_as<C, std::ranges::less> || std::same_as<C, std::less<>> || std::same_as<C, std::less<K>>;
template <class C, class K>
inline constexpr bool kIsGreater =
    std::same_as<C, std::ranges::greater> || std::same_as<C, std::greater<>> || std::same_as<C, std::greater<K>>;

/// Maps keys to unsigned integers, in the order of the keys, or in the opposite order if kDescending. A NaN is greater than all
/// numbers; a NaN with a sign is less.
template <RadixKey K, bool kDescending>
struct RadixMap {
  using Bits = std::conditional_t<sizeof(K) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(K) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>>>;
  static constexpr bool kIdentity = std::unsigned_integral<K> && !kDescending;

  [[nodiscard]] static constexpr Bits bits_of(K key) noexcept {
    if constexpr (std::integral<K>) {
      return flip(static_cast<Bits>(key));
    } else {
      const auto bits = std::bit_cast<Bits>(key);
      return flip(bits ^ (is_negative(bits) & ~kSign));
    }
  }
  [[nodiscard]] static constexpr K key_of(Bits bits) noexcept {
    bits = flip(bits);
    if constexpr (std::integral<K>) {
      return static_cast<K>(bits);
    } else {
      return std::bit_cast<K>(bits ^ (is_negative(bits) & ~kSign));
    }
  }

 private:
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));

  /// All bits set, or none.
  static constexpr Bits is_negative(Bits bits) noexcept {
    return static_cast<Bits>(static_cast<std::make_signed_t<Bits>>(bits) >> (sizeof(Bits) * 8 - 1));
  }
  /// Maps two's complement to unsigned integers in the wanted order, and back.
  static constexpr Bits flip(Bits bits) noexcept {
    return static_cast<Bits>((std::unsigned_integral<K> ? bits : bits ^ kSign) ^ (kDescending ? ~Bits{0} : Bits{0}));
  }
};

/// Computes the sort keys of items of type T, as bits, from their projections.
template <class T, class Proj, bool kDescending>
struct RadixOrder {
  using Map = RadixMap<std::remove_cvref_t<std::invoke_result_t<Proj&, T&>>, kDescending>;
  using Bits = typename Map::Bits;
  static constexpr bool kNoexcept = std::is_nothrow_invocable_v<Proj&, T&>;
  /// Whether equal items keep their order.
  static constexpr bool kStable = false;
  /// Whether an item equals its bits.
  static constexpr bool kIsItem = std::same_as<T, Bits> && std::same_as<Proj, std::identity> && !kDescending;

  Bits operator()(T& item) const noexcept(kNoexcept) { return Map::bits_of(std::invoke(*proj, item)); }

  Proj* proj;
};

/// RadixOrder for stable sorts. Both zeros have the same bits, because they are equal keys.
template <class T, class Proj, bool kDescending>
struct StableRadixOrder : RadixOrder<T, Proj, kDescending> {
  using Base = RadixOrder<T, Proj, kDescending>;
  static constexpr bool kStable = true;

  typename Base::Bits operator()(T& item) const noexcept(Base::kNoexcept) {
    const auto key = std::invoke(*this->proj, item);
    if constexpr (std::floating_point<std::remove_const_t<decltype(key)>>) {
      return Base::Map::bits_of(key == 0 ? 0 : key);
    } else {
      return Base::Map::bits_of(key);
    }
  }
};

template <class Order>
struct RadixLess {
  template <class T>
  bool operator()(T& a, T& b) const noexcept(Order::kNoexcept) {
    return order(a) < order(b);
  }
  Order order;
};

/// Sorts n items by comparisons. `scratch` must have room for n items.
template <class T, class Order>
void radix_quicksort(T* items, T* scratch, std::size_t n, Order order) {
  if constexpr (Order::kStable) {
    stable_quicksort(items, n, scratch, RadixLess<Order>{order});
  } else {
    quicksort(items, items + n, RadixLess<Order>{order});
  }
}

/// Fewer items than this are sorted by quicksort.
inline constexpr std::size_t kLeastRadix = 192;
/// Up to this many bytes of items are sorted from the least significant digit up: the items and their copy fit into the L2
/// cache.
inline constexpr std::size_t kMostRadixBytes = std::size_t{1} << 17;
/// The maximum number of bits of a digit. With more buckets, the places that are written next do not fit into the L1 cache.
inline constexpr unsigned kMostDigit = 10;

template <class T>
void move_items(T* from, T* to, std::size_t n) {
  std::uninitialized_move_n(from, n, to);  // The items at `to` need not be destroyed.
}

/// The number of lowest bits that differ between the keys of n items.
template <class T, class Order>
unsigned differing_bits(T* items, std::size_t n, Order order) {
  const auto first = order(*items);
  auto bits = first;
  bits = 0;
  for (std::size_t i = 1; i < n; ++i) bits = static_cast<decltype(bits)>(bits | (order(items[i]) ^ first));
  return static_cast<unsigned>(std::bit_width(bits));
}

/// The digit of `width` bits at bit `shift`.
template <class Order>
struct RadixDigit {
  template <class T>
  std::size_t operator()(T& item) const {
    return static_cast<std::size_t>(order(item) >> shift) & ((std::size_t{1} << width) - 1);
  }
  Order order;
  unsigned shift;
  unsigned width;
};

/// Moves each of n items to to[next[digit]], and increments next[digit].
template <class T, class Digit, class Count>
BLITZ_ALWAYS_INLINE void distribute(T* from, T* to, std::size_t n, Digit digit, Count* next) {
  for (std::size_t i = 0; i != n; ++i) std::construct_at(to + next[digit(from[i])]++, std::move(from[i]));
}

/// Replaces each count by the sum of the counts before it.
template <class Count>
void add_up(Count* counts, std::size_t n) {
  Count sum = 0;
  for (std::size_t i = 0; i != n; ++i) sum = static_cast<Count>(sum + std::exchange(counts[i], sum));
}

template <class T, class Order>
void radix_sort(T* items, T* other, std::size_t n, bool into_other, Order order) noexcept;

/// Sorts n items with keys that differ in the lowest `bits` bits, from the least significant digit up; see radix_sort().
template <class T, class Order>
void radix_sort_in_cache(T* items, T* other, std::size_t n, unsigned bits, bool into_other, Order order) noexcept {
  // If the highest bits of the keys are random, one item in 64 equals another one in this many bits.
  const unsigned wanted = std::min(bits, static_cast<unsigned>(std::bit_width(n)) + 5);
  const unsigned digits = ceil_div(wanted, kMostDigit);  // at most three
  const unsigned width = ceil_div(wanted, digits);
  const unsigned lowest = bits - std::min(bits, digits * width);
  const std::size_t buckets = std::size_t{1} << width;
  T* const home = into_other ? other : items;
  T* from = items;
  T* to = other;
  std::array<std::uint32_t, (std::size_t{1} << kMostDigit) * 3> counts;
  std::fill_n(counts.begin(), buckets * digits, 0U);
  const auto digit = [&](unsigned d) { return RadixDigit<Order>{order, lowest + d * width, width}; };
  if (digits == 2) {  // the most common case
    for (std::size_t i = 0; i != n; ++i) {
      ++counts[digit(0)(items[i])];
      ++counts[buckets + digit(1)(items[i])];
    }
  } else {
    for (unsigned d = 0; d != digits; ++d) {
      for (std::size_t i = 0; i != n; ++i) ++counts[d * buckets + digit(d)(items[i])];
    }
  }
  for (unsigned d = 0; d != digits; ++d) {
    std::uint32_t* const next = counts.data() + d * buckets;
    add_up(next, buckets);
    distribute(from, to, n, digit(d), next);
    std::swap(from, to);
  }
  if (from != home) move_items(from, home, n);
  if (lowest == 0) return;
  T* const scratch = into_other ? items : other;
  for (std::size_t begin = 0, end = 1; begin != n; begin = end++) {
    const auto high = order(home[begin]) >> lowest;
    while (end != n && order(home[end]) >> lowest == high) ++end;
    if (end - begin > 1) radix_sort(home + begin, scratch + begin, end - begin, false, order);
  }
}

/// The width of the first digit for n items that are too many for radix_sort_in_cache() and differ in the lowest `bits` bits.
template <class T>
[[nodiscard]] constexpr unsigned radix_width(std::size_t n, unsigned bits) noexcept {
  const auto width_for = [&](std::size_t bytes) {
    return static_cast<unsigned>(std::bit_width(n * sizeof(T) / bytes));
  };
  const unsigned digits = ceil_div(width_for(kMostRadixBytes), kMostDigit);
  // A bucket of a quarter of kMostRadixBytes is best, unless it would cost a further digit.
  return std::min({bits, kMostDigit, ceil_div(width_for(kMostRadixBytes / 4), digits)});
}

/// Sorts the n items at `items`, fewer than 2^32, on this thread. The result is in `other` if `into_other`, otherwise in
/// `items`; the other array is scratch.
template <class T, class Order>
void radix_sort(T* items, T* other, std::size_t n, bool into_other, Order order) noexcept {
  T* const home = into_other ? other : items;
  unsigned bits = 0;
  if (n >= kLeastRadix) {
    bits = differing_bits(items, n, order);
    if (bits != 0 && n * sizeof(T) <= kMostRadixBytes)
      return radix_sort_in_cache(items, other, n, bits, into_other, order);
  }
  if (bits == 0) {
    if (into_other) move_items(items, other, n);
    if (n < kLeastRadix) radix_quicksort(home, into_other ? items : other, n, order);
    return;
  }
  const unsigned width = radix_width<T>(n, bits);
  const std::size_t buckets = std::size_t{1} << width;
  std::array<std::uint32_t, std::size_t{1} << kMostDigit> ends;
  const RadixDigit<Order> digit{order, bits - width, width};
  std::fill_n(ends.begin(), buckets, 0U);
  for (std::size_t i = 0; i != n; ++i) ++ends[digit(items[i])];
  add_up(ends.data(), buckets);
  distribute(items, other, n, digit, ends.data());
  for (std::size_t begin = 0, bucket = 0; bucket != buckets; ++bucket) {
    const std::size_t end = ends[bucket];
    radix_sort(other + begin, items + begin, end - begin, !into_other, order);
    begin = end;
  }
}

}  // namespace blitz::detail
