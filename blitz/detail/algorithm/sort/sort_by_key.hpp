/// @file
/// Sorts of items by keys in another range, or by cached keys.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <new>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/sort/permutation.hpp"
#include "blitz/detail/algorithm/sort/sort_items.hpp"
#include "blitz/detail/algorithm/sort/stable_sort_items.hpp"

namespace blitz::detail {

/// A key with its value.
template <class K, class V>
struct Keyed {
  K key;
  V value;
};

/// Applies a projection to the key of a Keyed.
template <class P>
struct KeyProjection {
  template <class K, class V>
  decltype(auto) operator()(Keyed<K, V>& keyed) const {
    return std::invoke(*proj, keyed.key);
  }
  P* proj;
};
template <class P>
inline constexpr bool kIsRead<KeyProjection<P>> = kIsRead<P>;

/// Throws std::bad_alloc if the allocation of the array failed.
template <class T>
void require_memory(const BuiltArray<T>& array, std::size_t n) {
  if (n > 0 && array.data() == nullptr) throw std::bad_alloc();
}

/// Sorts n items by the keys `key(i)`. `apply(from)` moves item from(i) to position i.
template <class K, class Key, class C, class P, class Apply>
void sort_places_by_key(const AlgorithmOptions& options, std::size_t n, std::size_t threads, Key key, C& comp, P& proj,
                        Apply apply) {
  using Place = Keyed<K, std::size_t>;
  BuiltArray<Place> places(n);
  require_memory(places, n);
  places.build(options, part_count(n, threads, sort_grain<K>(options)), [&](std::size_t i) {
    return Place{key(i), i};
  });
  KeyProjection<P> projection{&proj};
  stable_sort_items(options, places.data(), n, comp, projection);
  apply([&](std::size_t i) { return places.data()[i].value; });
}

template <class K, class V, class C, class P>
void sort_items_by_key(const AlgorithmOptions& options, K keys, V values, std::size_t n, C& comp, P& proj) {
  using Key = std::iter_value_t<K>;
  using Value = std::iter_value_t<V>;
  throw_if_stopped(options);
  if (n < 2) return;
  with_threads(options, n, sort_grain<Key>(options), [&](std::size_t threads) {
    const std::size_t parts = part_count(n, threads, sort_grain<Key>(options));
    if constexpr (kCheapToMove<Keyed<Key, Value>>) {
      using Pair = Keyed<Key, Value>;
      BuiltArray<Pair> pairs(n);
      require_memory(pairs, n);
      pairs.build(options, parts, [&](std::size_t i) {
        return Pair{std::ranges::iter_move(at(keys, i)), std::ranges::iter_move(at(values, i))};  // leaves copies
      });
      KeyProjection<P> projection{&proj};
      stable_sort_items(options, pairs.data(), n, comp, projection);
      for_parts({}, n, parts, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (; begin != end; ++begin) {
          *at(keys, begin) = std::move(pairs.data()[begin].key);
          *at(values, begin) = std::move(pairs.data()[begin].value);
        }
      });
    } else {
      BuiltArray<Key> sorted_keys(n);
      BuiltArray<Value> sorted_values(n);
      require_memory(sorted_keys, n);
      require_memory(sorted_values, n);
      const auto apply = [&](auto from) {
        permute(keys, n, parts, sorted_keys, from);
        permute(values, n, parts, sorted_values, from);
      };
      if constexpr (kCheapToMove<Keyed<Key, std::size_t>>) {
        const auto key = [&](std::size_t i) -> Key { return std::ranges::iter_move(at(keys, i)); };  // leaves a copy
        sort_places_by_key<Key>(options, n, threads, key, comp, proj, apply);
      } else {
        auto projection = [&](std::size_t i) -> decltype(auto) { return std::invoke(proj, *at(keys, i)); };
        BuiltArray<std::size_t> places(n);
        require_memory(places, n);
        places.build(options, parts, [](std::size_t i) { return i; });
        stable_sort_items(options, places.data(), n, comp, projection);
        apply([&](std::size_t i) { return places.data()[i]; });
      }
    }
  });
}

template <class K, class I, class F, class C>
void sort_items_by_cached_key(const AlgorithmOptions& options, I first, std::size_t n, F& make_key, C& comp) {
  throw_if_stopped(options);
  if (n < 2) return;
  with_threads(options, n, sort_grain<K>(options), [&](std::size_t threads) {
    BuiltArray<std::iter_value_t<I>> sorted(n);
    require_memory(sorted, n);
    std::identity identity;
    sort_places_by_key<K>(
        options, n, threads, [&](std::size_t i) -> K { return std::invoke(make_key, *at(first, i)); }, comp, identity,
        [&](auto from) { permute(first, n, part_count(n, threads, sort_grain<K>(options)), sorted, from); });
  });
}

}  // namespace blitz::detail
