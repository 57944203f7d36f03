/// @file
/// The comparison of a sort, whether it is an order of digits, and the minimum number of items for several threads.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/sort/radix.hpp"
#include "blitz/detail/algorithm/sort/small_sort.hpp"

namespace blitz::detail {

/// Compares the projections of two items.
template <class C, class P>
struct ProjectedLess {
  template <class T>
  bool operator()(T& a, T& b) const {
    return static_cast<bool>(std::invoke(*comp, std::invoke(*proj, a), std::invoke(*proj, b)));
  }
  C* comp;
  P* proj;
};

/// The type of the keys of items of type T.
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

/// Whether a projection only reads the item, and so returns the same value each time.
template <class P>
inline constexpr bool kIsRead = std::same_as<P, std::identity> || std::is_member_object_pointer_v<P>;

/// The default grain: at most this many items are sorted or partitioned by one thread.
template <class T>
inline constexpr std::size_t kSortGrain = kCheapToMove<T> ? 8192 : 1024;

template <class T>
[[nodiscard]] std::size_t sort_grain(const AlgorithmOptions& options) noexcept {
  return options.min_grain > 0 ? options.min_grain : kSortGrain<T>;
}

/// The comparison of items. For a radix sort, it compares the digits of the keys; a NaN has a place in that order.
template <class T, class C, class P>
auto order_of(C& comp, P& proj) {
  if constexpr (sorted_by_radix<T, C, P>()) {
    using Order = RadixOrder<T, P, !kIsLess<C, SortKey<T, P>>>;
    return RadixLess<Order>{Order{&proj}};
  } else {
    return ProjectedLess<C, P>{&comp, &proj};
  }
}

/// The comparison of items for a stable sort. For integers it is the order of the radix sort, so that both use the same
/// functions. For floating-point keys, the comparison is cheaper than digits with equal zeros.
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
