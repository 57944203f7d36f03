/// @file
/// sort, partial_sort and nth_element: selects the algorithm, the number of threads and the memory for their arguments.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/constructed.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/algorithm/sort/merge_path.hpp"
#include "blitz/detail/algorithm/sort/order.hpp"
#include "blitz/detail/algorithm/sort/parts.hpp"
#include "blitz/detail/algorithm/sort/patterns.hpp"
#include "blitz/detail/algorithm/sort/radix_items.hpp"
#include "blitz/detail/algorithm/sort/select.hpp"
#include "blitz/detail/algorithm/sort/stable_sort_items.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// With fewer items, a sorted half is not worth a merge.
inline constexpr std::size_t kLeastRunToMerge = 4096;

/// Merges the sorted items[0..run) and items[run..n). If it throws, the items are in an unspecified order. Returns false if the
/// allocation of memory fails.
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
  try {
    merge_parallel(options, parts, other, run, other + run, n - run, items, less, ConstructMoved{});
  } catch (...) {
    move_all(other, items);
    throw;
  }
  return true;
}

/// Adapts quicksort to ParallelMergeSort.
template <class T, class Less>
struct QuicksortOfRuns : QuicksortMerges<T> {
  static constexpr bool kStable = false;

  void operator()(T* items, T* /*other*/, std::size_t n) const {
    quicksort_items(options, threads, items, n, grain, less);
  }

  const AlgorithmOptions& options;
  std::size_t threads;
  std::size_t grain;
  Less less;
};

/// Whether to search for runs or displaced items: there is a long run at the front or in the middle, or a sample of the items
/// looks ascending or descending.
template <class T, class Less>
[[nodiscard]] bool look_presorted(const AlgorithmOptions& options, T* items, std::size_t n, std::size_t run,
                                  Less less) {
  const std::size_t wanted = long_run<T>(n);
  return run >= wanted || has_run_in_middle<false>(options, items, n, wanted, less) ||
         look_ascending(items, n, false, less) || look_ascending(items, n, true, less);
}

/// Sorts items that look presorted. Returns false if the allocation of memory fails.
template <class T, class C, class P>
bool try_sort_presorted(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t n,
                        std::size_t grain, C& comp, P& proj) {
  if constexpr (kCheapToMove<T>) {
    return with_scratch<T>(n, [&](T* scratch) {
      const auto less = order_of<T>(comp, proj);
      using Less = std::remove_const_t<decltype(less)>;
      using Quicksort = QuicksortOfRuns<T, Less>;
      const Quicksort quicksort{QuicksortMerges<T>(n, threads), options, threads, grain, less};
      ParallelMergeSort<T, Less, Quicksort>(options, threads, grain, less, quicksort).sort(items, scratch, n, false);
    });
  } else {
    return try_stable_sort_places(options, threads, items, n, grain, comp, proj);
  }
}

template <class T, class C, class P>
void sort_items(const AlgorithmOptions& options, T* items, std::size_t n, C& comp, P& proj) {
  throw_if_stopped(options);
  if (n < 2) return;
  const auto less = order_of<T>(comp, proj);
  constexpr bool kByRadix = sorted_by_radix<T, C, P>();
  constexpr bool kPlainKeys = kByRadix && std::same_as<SortKey<T, P>, T> && std::same_as<P, std::identity>;
  const FrontRun run = front_run<false>(options, items, n, less);
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
  bool presorted = false;
  if constexpr (!kByRadix) {
    presorted = look_presorted(options, items, n, run.size, less);
  }
  with_threads(options, n, grain, [&](std::size_t threads) {
    if constexpr (kPlainKeys) {
      if (has_run && try_merge_run(options, threads, items, run.size, n, less)) return;
    }
    if constexpr (!kByRadix) {
      if (presorted && try_sort_presorted(options, threads, items, n, grain, comp, proj)) return;
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

/// Calls `f(items)` with a pointer to the n items at `first`. Items that are not contiguous are moved to other memory for the
/// call, and moved back when `f` has returned or thrown. Throws std::bad_alloc.
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
