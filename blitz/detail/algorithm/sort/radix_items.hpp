/// @file
/// The forms of the radix sort: of the items themselves, of keys mapped in place, or of copies with their keys.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <new>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/algorithm/sort/parallel_quicksort.hpp"
#include "blitz/detail/algorithm/sort/parallel_radix.hpp"
#include "blitz/detail/algorithm/sort/parts.hpp"
#include "blitz/detail/algorithm/sort/quicksort.hpp"
#include "blitz/detail/algorithm/sort/radix.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// Sorts n items by parallel quicksort, or, if they are fewer than `grain`, on the calling thread.
template <class T, class Less>
void quicksort_items(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t n, std::size_t grain,
                     Less less) {
  ParallelQuicksort<T, Less>(options, threads, n, grain, less)
      .sort(items, items + n, nullptr, depth_limit(static_cast<std::ptrdiff_t>(n)));
}

/// The grain of a radix sort of objects of type `Sorted`.
template <class Sorted>
[[nodiscard]] std::size_t radix_grain(const AlgorithmOptions& options) noexcept {
  return std::max(options.min_grain, kMostRadixBytes / sizeof(Sorted));
}

/// Sorts n items by radix, or by quicksort if the allocation of memory fails.
template <class T, class Order>
void radix_sort_items(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t n, Order order) {
  if (const Scratch<T> other(n >= kLeastRadix ? n : 0, std::nothrow); other.data() != nullptr) {
    ParallelRadixSort<T, Order>(options, threads, n, order).sort(items, other.data(), n, false);
  } else {
    quicksort_items(options, threads, items, n, radix_grain<T>(options), RadixLess<Order>{order});
  }
}

/// Sorts plain keys. `Map` maps them in place to unsigned integers and back, so keys of the same size share the code of one
/// sort.
template <class Map, class K>
void radix_sort_keys(const AlgorithmOptions& options, std::size_t threads, K* keys, std::size_t n) {
  using Bits = typename Map::Bits;
  constexpr std::size_t kLeastMapped = 8192;
  static std::identity identity;
  const auto sort = [&](Bits* bits) {
    radix_sort_items(options, threads, bits, n, RadixOrder<Bits, std::identity, false>{&identity});
  };
  if constexpr (std::same_as<K, Bits> && Map::kIdentity) {
    sort(keys);
  } else {
    auto* const bits = reinterpret_cast<Bits*>(keys);
    for_all(n, threads, kLeastMapped, [=](std::size_t i) { std::construct_at(bits + i, Map::bits_of(keys[i])); });
    const auto back = [=] {
      for_all(n, threads, kLeastMapped, [=](std::size_t i) { std::construct_at(keys + i, Map::key_of(bits[i])); });
    };
    try {
      sort(bits);
    } catch (...) {
      back();
      throw;
    }
    back();
  }
}

/// A copy of an item with the bits of its key.
template <class T, class B>
struct KeyedItem {
  B bits;
  T item;
};
template <bool kStableOrder>
struct KeyedOrder {
  static constexpr bool kNoexcept = true;
  static constexpr bool kStable = kStableOrder;
  static constexpr bool kIsItem = false;
  template <class T, class B>
  B operator()(const KeyedItem<T, B>& item) const noexcept {
    return item.bits;
  }
};

/// Like radix_sort_items(), for projections that are user code: it is called once per item. Sorts copies of the items; the
/// items are unchanged until the copies are sorted. Returns false if the allocation of memory fails.
template <class T, class Order>
bool try_radix_sort_by_projection(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t n,
                                  Order order) {
  using Keyed = KeyedItem<T, typename Order::Bits>;
  constexpr std::size_t kLeastKeyed = 4096;
  const Scratch<Keyed> keyed(n >= kLeastRadix ? n : 0, std::nothrow);
  const Scratch<Keyed> other(keyed.size(), std::nothrow);
  if (other.data() == nullptr) return false;
  for_blocks({.stop = options.stop, .pool = options.pool}, n, kLeastKeyed, [&](LoopIndex from, LoopIndex to) {
    for (; from != to; ++from) {
      std::construct_at(keyed.data() + from, Keyed{order(items[from]), std::move(items[from])});
    }
  });
  throw_if_stopped(options);
  ParallelRadixSort<Keyed, KeyedOrder<Order::kStable>>(options, threads, n, {})
      .sort(keyed.data(), other.data(), n, false);
  for_all(n, threads, kLeastKeyed, [&](std::size_t i) { items[i] = std::move(keyed.data()[i].item); });
  return true;
}

}  // namespace blitz::detail
