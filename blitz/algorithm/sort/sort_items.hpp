/// @file
/// How sort and its like come from their arguments to an algorithm: which one, on how many threads, and in which
/// memory.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/blocks.hpp"
#include "blitz/algorithm/constructed.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/scratch.hpp"
#include "blitz/algorithm/sort/merge_path.hpp"
#include "blitz/algorithm/sort/parallel_quicksort.hpp"
#include "blitz/algorithm/sort/parallel_radix.hpp"
#include "blitz/algorithm/sort/parts.hpp"
#include "blitz/algorithm/sort/patterns.hpp"
#include "blitz/algorithm/sort/quicksort.hpp"
#include "blitz/algorithm/sort/radix.hpp"
#include "blitz/algorithm/sort/select.hpp"
#include "blitz/base/raw_memory.hpp"

namespace blitz::detail {

/// The order that a comparison and a projection make.
template <class C, class P>
struct ProjectedLess {
  template <class T>
  bool operator()(T& a, T& b) const {
    return static_cast<bool>(std::invoke(*comp, std::invoke(*proj, a), std::invoke(*proj, b)));
  }
  C* comp;
  P* proj;
};

/// What items of type T are sorted by.
template <class T, class P>
using SortKey = std::remove_cvref_t<std::invoke_result_t<P&, T&>>;

template <class T, class C, class P>
consteval bool sorted_by_radix() {
  if constexpr (kCheapToMove<T> && RadixKey<SortKey<T, P>>) {
    return kIsLess<C, SortKey<T, P>> || kIsGreater<C, SortKey<T, P>>;
  } else {
    return false;
  }
}

/// Whether a projection only reads the item, and so returns the same each time.
template <class P>
inline constexpr bool kIsRead = std::same_as<P, std::identity> || std::is_member_object_pointer_v<P>;

/// Of fewer items, a sorted half is not worth a merge.
inline constexpr std::size_t kLeastRunToMerge = 4096;

/// No more items than this are sorted or partitioned by one thread, unless the options say otherwise.
template <class T>
inline constexpr std::size_t kSortGrain = kCheapToMove<T> ? 8192 : 1024;

template <class T>
[[nodiscard]] std::size_t sort_grain(const AlgorithmOptions& options) noexcept {
  return options.min_grain > 0 ? options.min_grain : kSortGrain<T>;
}

/// Fewer than `grain` items are sorted by this thread.
template <class T, class Less>
void quicksort_items(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t n, std::size_t grain,
                     Less less) {
  ParallelQuicksort<T, Less>(options, threads, n, grain, less)
      .sort(items, items + n, nullptr, depth_limit(static_cast<std::ptrdiff_t>(n)));
}

/// The same for items whose radix sort sorts objects of type `Sorted`.
template <class Sorted>
[[nodiscard]] std::size_t radix_grain(const AlgorithmOptions& options) noexcept {
  return std::max(options.min_grain, kMostRadixBytes / sizeof(Sorted));
}

/// By radix, or without memory for that, by quicksort.
template <class T, class Order>
void radix_sort_items(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t n, Order order) {
  if (const Scratch<T> other(n >= kLeastRadix ? n : 0, std::nothrow); other.data() != nullptr) {
    ParallelRadixSort<T, Order>(options, threads, n, order).sort(items, other.data(), n, false);
  } else {
    quicksort_items(options, threads, items, n, radix_grain<T>(options), RadixLess<Order>{order});
  }
}

/// Sorts items that are keys themselves as the unsigned integers that `Map` makes of them, in the same memory. So keys
/// of one size share one sort.
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

/// An item with the bits of its key.
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

/// As radix_sort_items, for projections that are called: once for each item. The items stay where they are, unchanged,
/// until copies of them are sorted. False: there is no memory for that.
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

/// The order of the items: for what is sorted by radix, that of their keys' digits, in which a NaN has a place.
template <class T, class C, class P>
auto order_of(C& comp, P& proj) {
  if constexpr (sorted_by_radix<T, C, P>()) {
    using Order = RadixOrder<T, P, !kIsLess<C, SortKey<T, P>>>;
    return RadixLess<Order>{Order{&proj}};
  } else {
    return ProjectedLess<C, P>{&comp, &proj};
  }
}

/// The same for a stable sort, so that it has one set of functions for both. Of floating keys the comparison is cheaper than
/// digits in which both zeros are equal.
template <class T, class C, class P>
auto stable_order_of(C& comp, P& proj) {
  if constexpr (sorted_by_radix<T, C, P>() && std::integral<SortKey<T, P>>) {
    using Order = StableRadixOrder<T, P, !kIsLess<C, SortKey<T, P>>>;
    return RadixLess<Order>{Order{{&proj}}};
  } else {
    return ProjectedLess<C, P>{&comp, &proj};
  }
}

/// Merges the first `run` of n items with the others, both of which are sorted. When it throws, all items are there, in
/// some order. False: there is no memory for that.
template <class T, class Less>
bool try_merge_run(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t run, std::size_t n,
                   Less less) {
  const Scratch<T> memory(n, std::nothrow);
  T* const other = memory.data();
  if (other == nullptr) return false;
  const auto move_all = [n, threads](T* from, T* to) {
    for_all(n, threads, kSortGrain<T>, [=](std::size_t i) { std::construct_at(to + i, std::move(from[i])); });
  };
  move_all(items, other);
  const std::size_t parts = part_count(n, threads, sort_grain<T>(options));
  try_or([&] { merge_parallel(options, parts, other, run, other + run, n - run, items, less, ConstructMoved{}); },
         [&] { move_all(other, items); });
  return true;
}

template <class T, class C, class P>
void sort_items(const AlgorithmOptions& options, T* items, std::size_t n, C& comp, P& proj) {
  throw_if_stopped(options);
  if (n < 2) return;
  const auto less = order_of<T>(comp, proj);
  constexpr bool kByRadix = sorted_by_radix<T, C, P>();
  constexpr bool kPlainKeys = kByRadix && std::same_as<SortKey<T, P>, T> && std::same_as<P, std::identity>;
  const FrontRun run = front_run(options, items, n, less);
  const bool is_run = run.size == n;
  const bool has_run = kPlainKeys && n >= kLeastRunToMerge && run.size >= n / 2;
  if (run.reversed && (is_run || has_run)) reverse_items(options, items, run.size);
  throw_if_stopped(options);
  if (is_run) return;
  if (has_run) sort_items(options, items + run.size, n - run.size, comp, proj);
  std::size_t grain = sort_grain<T>(options);
  if constexpr (kByRadix) {
    using Keyed = KeyedItem<T, typename decltype(less.order)::Bits>;
    grain = radix_grain<std::conditional_t<kIsRead<P>, T, Keyed>>(options);
  }
  with_threads(options, n, grain, [&](std::size_t threads) {
    if constexpr (kPlainKeys) {
      if (has_run && try_merge_run(options, threads, items, run.size, n, less)) return;
    }
    if constexpr (!kByRadix) {
      quicksort_items(options, threads, items, n, grain, less);
    } else if constexpr (kPlainKeys) {
      radix_sort_keys<typename decltype(less.order)::Map>(options, threads, items, n);
    } else if constexpr (kIsRead<P>) {
      radix_sort_items(options, threads, items, n, less.order);
    } else if (!try_radix_sort_by_projection(options, threads, items, n, less.order)) {
      quicksort_items(options, threads, items, n, grain, less);
    }
  });
}

template <class T, class C, class P>
void select_items(const AlgorithmOptions& options, T* items, std::size_t rank, std::size_t n, C& comp, P& proj) {
  throw_if_stopped(options);
  if (n < 2 || rank == n) return;
  const auto less = order_of<T>(comp, proj);
  with_threads(options, n, sort_grain<T>(options), [&](std::size_t threads) {
    ParallelSelect(options, threads, items, sort_grain<T>(options), less).select(items, items + rank, items + n);
  });
}

/// Calls `f(items)` with a pointer to the n items from `first` on: where they are, or if they are not side by side, in
/// other memory, to which they are moved, and back when `f` has returned or thrown. Throws std::bad_alloc if there is none.
template <std::random_access_iterator I, class F>
void on_pointers(const I& first, std::size_t n, F&& f) {
  if constexpr (std::contiguous_iterator<I>) {
    f(std::to_address(first));
  } else {
    using T = std::iter_value_t<I>;
    const Scratch<T> memory(n);
    Constructed<T*> items(memory.data());
    const auto move_back = [&] {
      I to = first;
      for (T& item : std::ranges::subrange(items.begin(), items.end())) *to++ = std::move(item);
    };
    try {
      I from = first;
      for (std::size_t i = 0; i != n; ++i, ++from) items.emplace_back(std::ranges::iter_move(from));
      f(memory.data());
    } catch (...) {
      move_back();
      throw;
    }
    move_back();
  }
}

}  // namespace blitz::detail
