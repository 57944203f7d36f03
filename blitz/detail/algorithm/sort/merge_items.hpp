/// @file
/// inplace_merge: selects the algorithm for its arguments.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/algorithm/sort/in_place_merge.hpp"
#include "blitz/detail/algorithm/sort/merge_path.hpp"
#include "blitz/detail/algorithm/sort/permutation.hpp"
#include "blitz/detail/algorithm/sort/sort_items.hpp"
#include "blitz/detail/algorithm/sort/stable_sort_items.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// Merges the sorted items[0..middle) and items[middle..n). Returns false if the allocation of memory fails.
template <class T, class C, class P>
bool try_inplace_merge(const AlgorithmOptions& options, std::size_t threads, T* items, std::size_t middle,
                       std::size_t n, C& comp, P& proj) {
  const std::size_t parts = part_count(n, threads, sort_grain<T>(options));
  const auto merge_to = [&](auto* from, auto* to, auto less) {
    merge_parallel(options, parts, from, middle, from + middle, n - middle, to, less, ConstructMoved{});
  };
  if constexpr (kCheapToMove<T>) {
    const Scratch<T> scratch(n, std::nothrow);
    if (scratch.data() == nullptr) return false;
    merge_to(items, scratch.data(), ProjectedLess<C, P>{&comp, &proj});
    for_parts({}, n, parts, [&](std::size_t, std::size_t begin, std::size_t end) {
      std::uninitialized_move(scratch.data() + begin, scratch.data() + end, items + begin);
    });
  } else {
    const Scratch<T*> memory(2 * n, std::nothrow);
    BuiltArray<T> merged(n);
    if (memory.data() == nullptr || merged.data() == nullptr) return false;
    T** const from = memory.data();
    T** const places = from + n;
    for_all(n, threads, sort_grain<T>(options), [=](std::size_t i) { from[i] = items + i; });
    const auto less = [by = ProjectedLess<C, P>{&comp, &proj}](T*& a, T*& b) { return by(*a, *b); };
    merge_to(from, places, less);
    permute(items, n, parts, merged,
            [places, items](std::size_t i) { return static_cast<std::size_t>(places[i] - items); });
  }
  return true;
}

template <class I, class C, class P>
void inplace_merge_items(const AlgorithmOptions& options, I first, I middle, I last, C& comp, P& proj) {
  if (first == middle || middle == last) return;
  const TwoProjections<C, P, P> before{&comp, &proj, &proj};
  // Items of the left side that are not above the first item of the right side are already in place. So are items of the right
  // side that are not below the last item of the left side.
  first = std::ranges::partition_point(first, middle, [&](auto&& x) { return !before(*middle, x); });
  if (first == middle) return;
  last = std::ranges::partition_point(middle, last, [&](auto&& x) { return before(x, middle[-1]); });
  const auto n = static_cast<std::size_t>(last - first);
  const auto cut = static_cast<std::size_t>(middle - first);
  on_pointers(first, n, [&](auto* items) {
    using T = std::remove_pointer_t<decltype(items)>;
    with_threads(options, n, sort_grain<T>(options), [&](std::size_t threads) {
      if (!try_inplace_merge(options, threads, items, cut, n, comp, proj))
        merge_in_place(items, items + cut, items + n, ProjectedLess<C, P>{&comp, &proj});
    });
  });
}

}  // namespace blitz::detail
