/// @file
/// stable_sort, sort_by_key and sort_by_cached_key: sorting that keeps the order of equal items.
///
/// The algorithms and their proofs: blitz/detail/algorithm/sort/README.md.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/sort/sort_by_key.hpp"
#include "blitz/detail/algorithm/sort/stable_sort_items.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

struct StableSortFn : InOrder<StableSortFn> {
  template <class I, class C, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp, P& proj) {
    on_pointers(first, count, [&](auto* items) { stable_sort_items(options, items, count, comp, proj); });
    return at(first, count);
  }
};

/// Keys that are sorted by `C` of their projections, and values that are permuted with them.
template <class K, class V, class C, class P>
concept SortableByKey = Sortable<K, C, P> && Permutable<V>;

struct SortByKeyFn {
  template <std::random_access_iterator K, std::sized_sentinel_for<K> S, std::random_access_iterator V,
            std::sized_sentinel_for<V> T, class C = std::ranges::less, class P = std::identity>
    requires SortableByKey<K, V, C, P>
  std::ranges::in_in_result<K, V> operator()(const AlgorithmOptions& options, K keys, S keys_last, V values,
                                             T values_last, C comp = {}, P proj = {}) const {
    const auto n = std::min(static_cast<LoopIndex>(keys_last - keys), static_cast<LoopIndex>(values_last - values));
    sort_items_by_key(options, keys, values, static_cast<std::size_t>(n), comp, proj);
    return {at(keys, n), at(values, n)};
  }
  template <LoopRange K, LoopRange V, class C = std::ranges::less, class P = std::identity>
    requires SortableByKey<std::ranges::iterator_t<K>, std::ranges::iterator_t<V>, C, P>
  std::ranges::in_in_result<std::ranges::borrowed_iterator_t<K>, std::ranges::borrowed_iterator_t<V>> operator()(
      const AlgorithmOptions& options, K&& keys, V&& values, C comp = {}, P proj = {}) const {
    const auto key = std::ranges::begin(keys);
    const auto value = std::ranges::begin(values);
    return (*this)(options, key, key + std::ranges::ssize(keys), value, value + std::ranges::ssize(values),
                   std::move(comp), std::move(proj));
  }
  template <std::random_access_iterator K, std::sized_sentinel_for<K> S, std::random_access_iterator V,
            std::sized_sentinel_for<V> T, class C = std::ranges::less, class P = std::identity>
    requires SortableByKey<K, V, C, P>
  std::ranges::in_in_result<K, V> operator()(K keys, S keys_last, V values, T values_last, C comp = {},
                                             P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(keys), std::move(keys_last), std::move(values), std::move(values_last),
                   std::move(comp), std::move(proj));
  }
  template <LoopRange K, LoopRange V, class C = std::ranges::less, class P = std::identity>
    requires SortableByKey<std::ranges::iterator_t<K>, std::ranges::iterator_t<V>, C, P>
  std::ranges::in_in_result<std::ranges::borrowed_iterator_t<K>, std::ranges::borrowed_iterator_t<V>> operator()(
      K&& keys, V&& values, C comp = {}, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, keys, values, std::move(comp), std::move(proj));
  }
};

/// The key that `F` makes of an item.
template <class I, class F>
using CachedKey = std::remove_cvref_t<std::indirect_result_t<F&, I>>;

/// Items with keys that `F` makes and `C` compares.
template <class I, class F, class C>
concept SortableByCachedKey =
    Permutable<I> && SharedItemFunction<F, I> &&
    std::constructible_from<CachedKey<I, F>, std::indirect_result_t<F&, I>> && Sortable<CachedKey<I, F>*, C>;

struct SortByCachedKeyFn {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class F, class C = std::ranges::less>
    requires SortableByCachedKey<I, F, C>
  I operator()(const AlgorithmOptions& options, I first, S last, F key, C comp = {}) const {
    const auto n = static_cast<std::size_t>(last - first);
    sort_items_by_cached_key<CachedKey<I, F>>(options, first, n, key, comp);
    return at(first, n);
  }
  template <LoopRange R, class F, class C = std::ranges::less>
    requires SortableByCachedKey<std::ranges::iterator_t<R>, F, C>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, F key, C comp = {}) const {
    const auto first = std::ranges::begin(range);
    return (*this)(options, first, first + std::ranges::ssize(range), std::move(key), std::move(comp));
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class F, class C = std::ranges::less>
    requires SortableByCachedKey<I, F, C>
  I operator()(I first, S last, F key, C comp = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), std::move(last), std::move(key), std::move(comp));
  }
  template <LoopRange R, class F, class C = std::ranges::less>
    requires SortableByCachedKey<std::ranges::iterator_t<R>, F, C>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, F key, C comp = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(key), std::move(comp));
  }
};

}  // namespace detail

/// @brief Sorts the items by the order of their projections. Stable: equal items keep their order. Returns the end.
///
/// `comp` and `proj` are by default `std::ranges::less` and `std::identity`. Several threads call them concurrently.
///
/// Radix sort is used for integer and floating-point keys, as items or projections, with `std::less` or `std::greater` (or
/// their equivalents in `std::ranges`), if the items are cheap to move, up to 32 bytes. Other cheap items are sorted by runs
/// and stable quicksort. For expensive items, pointers to them are sorted, and then each item is moved at most twice. Strings
/// are first compared by the eight characters after their common prefix.
///
/// Throws the exceptions of `comp`, `proj` and the moves of items, and Stopped after a stop request. The range then contains a
/// permutation of its items. Items that are not cheap to move are in their original places, if memory could be allocated. Only
/// if a move throws, items may be lost; all elements are valid. If the comparison is no strict weak order, the result is an
/// unspecified permutation.
///
/// O(n log n) comparisons, about 1.1 n log2 n on average; n + O(k log n) if k items are displaced among sorted ones. Memory: n
/// items, and two pointers for each item that is not cheap to move; to find displaced items 4 n bytes, and for each displaced
/// item two items and an integer. If the allocation fails, the calling thread sorts in place, with O(n log^2 n) swaps. Ranges
/// that are not contiguous, such as a deque, are moved to other memory and back: std::bad_alloc leaves them unchanged.
///
/// Thread-safety: any thread.
///
/// @par Source
/// Driftsort (L. Bergdoll, O. Peters, 2024), with merges by co-ranking.
///
/// @code
///   blitz::stable_sort(people, std::greater{}, &Person::age);
///   blitz::stable_sort({.stop = token, .pool = &pool}, numbers);
/// @endcode
inline constexpr detail::Algorithm<detail::StableSortFn> stable_sort{};

/// @brief Sorts keys, and permutes the corresponding values in the same way. Stable: equal keys keep their order. Returns both
/// ends, as `in1` and `in2`.
///
/// `values[i]` corresponds to `keys[i]`; the ranges are used up to the end of the shorter one. `comp` and `proj` apply to keys;
/// they are by default `std::ranges::less` and `std::identity`. Several threads call them concurrently.
///
/// Throws the exceptions of `comp`, `proj` and the moves of keys and values, Stopped after a stop request, and std::bad_alloc.
/// Unless a move throws, keys and values are then unchanged.
///
/// O(n log n) comparisons. Memory: if key and value are cheap to move, and have at most 32 bytes together, two of each for each
/// item; otherwise one key and one value for each item, and a key with an integer, or two integers.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::sort_by_key(distances, cities);
/// @endcode
inline constexpr detail::Algorithm<detail::SortByKeyFn> sort_by_key{};

/// @brief Sorts the items by keys that are computed once for each item. Stable: items with equal keys keep their order. Returns
/// the end.
///
/// `key(item)` computes the key. `comp`, by default `std::ranges::less`, compares keys. Several threads call them concurrently.
/// For keys that are more expensive to compute than an item is to move; otherwise use blitz::stable_sort with a projection.
///
/// Throws the exceptions of `key`, `comp` and the moves of items and keys, Stopped after a stop request, and std::bad_alloc.
/// Unless a move throws, the items are then unchanged.
///
/// O(n log n) comparisons, and n calls of `key`. Memory: one item, and two keys with an integer each, for each item.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::sort_by_cached_key(files, [](const Path& file) { return checksum(file); });
/// @endcode
inline constexpr detail::Algorithm<detail::SortByCachedKeyFn> sort_by_cached_key{};

}  // namespace blitz
