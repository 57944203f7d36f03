/// @file
/// stable_sort and the sorts by key: selects the algorithm and the memory for their arguments.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/algorithm/sort/in_place_merge.hpp"
#include "blitz/detail/algorithm/sort/merge_path.hpp"
#include "blitz/detail/algorithm/sort/order.hpp"
#include "blitz/detail/algorithm/sort/parallel_merge_sort.hpp"
#include "blitz/detail/algorithm/sort/parallel_radix.hpp"
#include "blitz/detail/algorithm/sort/patterns.hpp"
#include "blitz/detail/algorithm/sort/permutation.hpp"
#include "blitz/detail/algorithm/sort/radix_items.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// Adapts the radix sort to ParallelMergeSort.
template <class T, class C, class P>
struct StableRadixSort {
  static constexpr bool kStable = true;
  /// Only a sorted half is worth a merge.
  [[nodiscard]] static std::size_t long_run(std::size_t n) { return std::max<std::size_t>(n / 2, kLeastRadix); }
  [[nodiscard]] static bool cuts(std::size_t /*n*/) { return false; }
  static constexpr bool kMergesAscending = false;

  void operator()(T* items, T* other, std::size_t n) const {
    using Order = StableRadixOrder<T, P, !kIsLess<C, SortKey<T, P>>>;
    const Order order{{proj}};
    if constexpr (kIsRead<P>) {
      ParallelRadixSort<T, Order>(options, threads, n, order).sort(items, other, n, false);
    } else if (!try_radix_sort_by_projection(options, threads, items, n, order)) {
      radix_quicksort(items, other, n, order);
    }
  }

  const AlgorithmOptions& options;
  std::size_t threads;
  P* proj;
};

/// Sorts n items that are cheap to move by `less`. `scratch` must have room for n items.
template <class T, class Less>
void stable_sort_cheap(const AlgorithmOptions& options, std::size_t threads, T* items, T* scratch, std::size_t n,
                       std::size_t grain, Less less) {
  using Quicksort = ParallelStableQuicksort<T, Less>;
  const Quicksort quicksort(options, threads, n, grain, less);
  ParallelMergeSort<T, Less, Quicksort>(options, threads, grain, less, quicksort).sort(items, scratch, n, false);
}

/// Calls `f` with uninitialized memory for n items of type T. Returns false if the allocation fails.
template <class T, class F>
bool with_scratch(std::size_t n, F&& f) {
  constexpr std::size_t kOnStack = 4096 / sizeof(T);
  StackScratch<T, kOnStack> few;
  const Scratch<T> many(n <= kOnStack ? 0 : n, std::nothrow);
  T* const scratch = n <= kOnStack ? few.data() : many.data();
  if (scratch == nullptr) return false;
  f(scratch);
  return true;
}

/// Sorts items that are cheap to move. Returns false if the allocation of memory fails.
template <class T, class C, class P>
bool try_stable_sort_cheap(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t n,
                           std::size_t grain, C& comp, P& proj) {
  return with_scratch<T>(n, [&](T* scratch) {
    const auto less = stable_order_of<T>(comp, proj);
    if constexpr (sorted_by_radix<T, C, P>()) {
      using Radix = StableRadixSort<T, C, P>;
      const Radix radix{options, threads, &proj};
      ParallelMergeSort<T, std::remove_const_t<decltype(less)>, Radix>(options, threads, grain, less, radix)
          .sort(items, scratch, n, false);
    } else {
      stable_sort_cheap(options, threads, items, scratch, n, grain, less);
    }
  });
}

/// A comparison of pointers by their items.
template <class T, class C, class P>
struct PointerOrder {
  using Place = T*;

  PointerOrder(const AlgorithmOptions& /*options*/, T* /*items*/, std::size_t /*n*/, std::size_t /*parts*/,
               ProjectedLess<C, P> by)
      : less(by) {}

  [[nodiscard]] Place place_of(T& item) const { return &item; }
  [[nodiscard]] static T* item_at(const Place& place) { return place; }
  bool operator()(Place& a, Place& b) const { return less(*a, *b); }

  ProjectedLess<C, P> less;
};

/// Keys that are compared as strings of char.
template <class K>
concept StringKey = std::same_as<K, std::string> || std::same_as<K, std::string_view>;

/// The length of the common prefix of two strings.
[[nodiscard]] inline std::size_t common_prefix(std::string_view a, std::string_view b) noexcept {
  if (b.starts_with(a)) return a.size();
  std::size_t size = 0;
  while (size != b.size() && a[size] == b[size]) ++size;
  return size;
}

/// A comparison of pointers to items with string keys. The eight characters after the common prefix of all keys are stored next
/// to the pointer and compared as one integer.
template <class T, class C, class P>
  requires StringKey<SortKey<T, P>> && (kIsLess<C, SortKey<T, P>> || kIsGreater<C, SortKey<T, P>>)
struct PointerOrder<T, C, P> {
  struct Place {
    std::uint64_t prefix;
    T* item;
  };

  /// Reads n items, in `parts` parts. Throws Stopped, and the exceptions of the projection.
  PointerOrder(const AlgorithmOptions& options, T* items, std::size_t n, std::size_t parts, ProjectedLess<C, P> by)
      : less(by) {
    const auto& front = std::invoke(*less.proj, items[0]);
    const std::string_view all(front);
    std::array<std::size_t, kMostParts> sizes;
    for_parts(options, n, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
      std::size_t size = all.size();
      for (; begin != end && size != 0; ++begin) {
        size = common_prefix(all.substr(0, size), std::invoke(*less.proj, items[begin]));
      }
      sizes[part] = size;
    });
    common = sizes[0];
    for (std::size_t part = 1; part < parts; ++part) common = std::min(common, sizes[part]);
  }

  [[nodiscard]] Place place_of(T& item) const {
    const auto& key = std::invoke(*less.proj, item);
    std::uint64_t prefix = 0;
    for (std::size_t i = common; i != common + 8; ++i) {
      prefix = prefix << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0U);
    }
    return {kIsLess<C, SortKey<T, P>> ? prefix : ~prefix, &item};
  }
  [[nodiscard]] static T* item_at(const Place& place) { return place.item; }
  bool operator()(Place& a, Place& b) const {
    return a.prefix != b.prefix ? a.prefix < b.prefix : less(*a.item, *b.item);
  }

  ProjectedLess<C, P> less;
  std::size_t common = 0;  // the length of the common prefix of all keys
};

/// Sorts n items by pointers to them: the last comparison precedes the first move of an item. Returns false if the allocation
/// of memory fails.
template <class T, class C, class P>
bool try_stable_sort_places(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t n,
                            std::size_t grain, C& comp, P& proj) {
  using Order = PointerOrder<T, C, P>;
  using Place = typename Order::Place;
  const ProjectedLess<C, P> less{&comp, &proj};
  const AlgorithmOptions here{.pool = options.pool};  // without a stop token
  if (const FrontRun run = front_run<true>(here, items, n, less); run.size == n) {
    if (run.reversed) reverse_items(here, items, n);
    return true;
  }
  const std::size_t parts = part_count(n, threads, grain);
  const Order order(options, items, n, parts, less);
  const Scratch<Place> memory(2 * n, std::nothrow);
  BuiltArray<T> sorted(n);
  if (memory.data() == nullptr || sorted.data() == nullptr) return false;
  Place* const places = memory.data();
  for_parts(options, n, parts, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (; begin != end; ++begin) std::construct_at(places + begin, order.place_of(items[begin]));
  });
  stable_sort_cheap(options, threads, places, places + n, n, grain, order);
  permute(items, n, parts, sorted,
          [places, items](std::size_t i) { return static_cast<std::size_t>(Order::item_at(places[i]) - items); });
  return true;
}

/// Sorts up to kSmallSort<T> items by pointers to them: the last comparison precedes the first move of an item.
template <class T, class Less>
void small_sort_places(T* items, std::size_t n, Less less) {
  std::array<T*, static_cast<std::size_t>(kSmallSort<T>)> from;  // the item that belongs at items[i] is at from[i]
  for (std::size_t i = 0; i != n; ++i) from[i] = items + i;
  binary_insertion_sort(from.data(), from.data() + n, [less](T*& a, T*& b) { return less(*a, *b); });
  const auto take_source = [&](T* place) {
    return std::exchange(from[static_cast<std::size_t>(place - items)], place);
  };
  // In each cycle of the permutation, one item is taken out, and each of the others is moved once.
  for (T* first = items; first != items + n; ++first) {
    if (from[static_cast<std::size_t>(first - items)] == first) continue;
    TakenItem<T> taken(first);
    for (T* source; (source = take_source(taken.place)) != first; taken.place = source)
      *taken.place = std::move(*source);
  }
}

/// Sorts n items on a worker of a pool with `threads` threads, or on any thread if `threads` is 1. Returns false if the
/// allocation of memory fails.
template <class T, class C, class P>
bool try_stable_sort_items(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t n, C& comp,
                           P& proj) {
  const std::size_t grain = sort_grain<T>(options);
  if constexpr (kCheapToMove<T>) {
    return try_stable_sort_cheap(options, threads, items, n, grain, comp, proj);
  } else {
    return try_stable_sort_places(options, threads, items, n, grain, comp, proj);
  }
}

template <class T, class C, class P>
void stable_sort_items(const AlgorithmOptions& options, T* items, std::size_t n, C& comp, P& proj) {
  throw_if_stopped(options);
  if (n < 2) return;
  const auto less = stable_order_of<T>(comp, proj);
  if (n <= static_cast<std::size_t>(kSmallSort<T>)) {
    if constexpr (kCheapToMove<T>) {
      return small_sort(items, items + n, less);
    } else {
      return small_sort_places(items, n, less);
    }
  }
  with_threads(options, n, sort_grain<T>(options), [&](std::size_t threads) {
    if (!try_stable_sort_items(options, threads, items, n, comp, proj)) stable_sort_in_place(items, n, less);
  });
}

}  // namespace blitz::detail
