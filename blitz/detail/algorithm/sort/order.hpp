/// @file
/// The order that a sort is called with, whether it is one of digits, and the least number of items for several threads.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/sort/radix.hpp"
#include "blitz/detail/algorithm/sort/small_sort.hpp"

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

/// The key that items of type T are sorted by.
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

/// No more items than this are sorted or partitioned by one thread, unless the options say otherwise.
template <class T>
inline constexpr std::size_t kSortGrain = kCheapToMove<T> ? 8192 : 1024;

template <class T>
[[nodiscard]] std::size_t sort_grain(const AlgorithmOptions& options) noexcept {
  return options.min_grain > 0 ? options.min_grain : kSortGrain<T>;
}

/// The order of the items: for a radix sort the order of their keys' digits; a NaN has a place in it.
template <class T, class C, class P>
auto order_of(C& comp, P& proj) {
  if constexpr (sorted_by_radix<T, C, P>()) {
    using Order = RadixOrder<T, P, !kIsLess<C, SortKey<T, P>>>;
    return RadixLess<Order>{Order{&proj}};
  } else {
    return ProjectedLess<C, P>{&comp, &proj};
  }
}

/// For a stable sort, so that it has one set of functions for both. Of floating keys the comparison is cheaper than
/// digits with equal zeros.
template <class T, class C, class P>
auto stable_order_of(C& comp, P& proj) {
  if constexpr (sorted_by_radix<T, C, P>() && std::integral<SortKey<T, P>>) {
    using Order = StableRadixOrder<T, P, !kIsLess<C, SortKey<T, P>>>;
    return RadixLess<Order>{Order{{&proj}}};
  } else {
    return ProjectedLess<C, P>{&comp, &proj};
  }
}

}  // namespace blitz::detail
