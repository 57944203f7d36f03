/// @file
/// group_by: groups items by their keys.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {
class Grouping;
}  // namespace detail

/// The result of group_by: for each key the positions of its items in the range, in order. The groups are in the order of their
/// first items. A random-access range. Memory: eight bytes for each item and sixteen for each group. Each member is O(1).
/// Throws nothing.
/// @code
///   for (const blitz::Groups::Group& group : blitz::group_by(words, &std::string::size)) {
///     count(group.size());
///   }
/// @endcode
///
/// Thread-safety: as for an int.
class Groups {
 public:
  using Group = std::span<const std::size_t>;  ///< The positions of the items of a group; it has at least one.

  Groups() = default;  ///< Makes an object with no groups.

  /// The number of groups.
  [[nodiscard]] std::size_t size() const noexcept { return groups_.size(); }
  /// Whether there is no group.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// Group i, which must be below size().
  [[nodiscard]] const Group& operator[](std::size_t i) const noexcept { return groups_.data()[i]; }
  /// The first group.
  [[nodiscard]] const Group* begin() const noexcept { return groups_.data(); }
  /// One after the last group.
  [[nodiscard]] const Group* end() const noexcept { return groups_.data() + groups_.size(); }

 private:
  friend class detail::Grouping;

  detail::Scratch<std::size_t> positions_;
  detail::Scratch<Group> groups_;
};

/// The function that returns the key of an item for blitz::group_by: callable with the item at an iterator of type It.
/// `std::hash` accepts the key, and `==` compares it.
template <class F, class It>
concept GroupKeyFunction = std::indirectly_regular_unary_invocable<const F, It> &&
                           std::equality_comparable<std::remove_cvref_t<std::indirect_result_t<F&, It>>> &&
                           requires(std::indirect_result_t<F&, It> key) {
                             {
                               std::hash<std::remove_cvref_t<std::indirect_result_t<F&, It>>>()(key)
                             } -> std::convertible_to<std::size_t>;
                           };

namespace detail {

/// The keys of the items, as used by the engine of group_by. Several workers call both functions concurrently; both may throw.
struct GroupKeys {
  /// Writes the hashes of the keys of `count` items beginning at `first`.
  using Hash = void (*)(const GroupKeys& self, LoopIndex first, LoopIndex count, std::uint64_t* hashes);
  /// Whether two items with equal hashes have equal keys.
  using Equal = bool (*)(const GroupKeys& self, LoopIndex i, LoopIndex j);

  Hash hash;
  Equal equal;  // null: different keys have different hashes
};

/// The minimum number of items in a piece.
inline constexpr LoopIndex kLeastGroupPiece = LoopIndex{1} << 14;

/// The number of pieces for grouping `count` items, or for partitioning them by their hashes. At most 512: each piece has a
/// counter for each partition, so there is at most one counter for eight items.
[[nodiscard]] constexpr LoopIndex group_pieces(LoopIndex count, std::size_t threads, LoopIndex least) noexcept {
  constexpr LoopIndex kMostPieces = 512;
  constexpr LoopIndex kPiecesOfThread = 4;  // so that a late thread still finds pieces
  return std::clamp<LoopIndex>(count / least, 1, std::min(kPiecesOfThread * threads, kMostPieces));
}

/// The number of hash bits that partition items of many groups.
[[nodiscard]] constexpr int group_partition_bits(LoopIndex count) noexcept {
  constexpr LoopIndex kPartition = LoopIndex{1} << 13;  // items, at most: their records fit in a second-level cache
  return std::max(static_cast<int>(std::bit_width(count / kPartition)), 1);
}

/// The groups of `count` items.
[[nodiscard]] BLITZ_API Groups group_items(const AlgorithmOptions& options, LoopIndex count, const GroupKeys& keys);

template <class I, class F>
struct KeysOfItems final : GroupKeys {
  using Key = std::remove_cvref_t<std::indirect_result_t<F&, I>>;

  KeysOfItems(const I& its_first, F& its_key_of)
      : GroupKeys{&hash_of_items, std::integral<Key> ? nullptr : &are_equal}, first(its_first), key_of(its_key_of) {}

  static void hash_of_items(const GroupKeys& self, LoopIndex first, LoopIndex count, std::uint64_t* hashes) {
    const auto& keys = static_cast<const KeysOfItems&>(self);
    I item = at(keys.first, first);
    for (LoopIndex i = 0; i < count; ++i, ++item) {
      if constexpr (std::integral<Key>) {
        hashes[i] = static_cast<std::uint64_t>(std::invoke(keys.key_of, *item));
      } else {
        hashes[i] = std::hash<Key>()(std::invoke(keys.key_of, *item));
      }
    }
  }
  static bool are_equal(const GroupKeys& self, LoopIndex i, LoopIndex j) {
    const auto& keys = static_cast<const KeysOfItems&>(self);
    return std::invoke(keys.key_of, *at(keys.first, i)) == std::invoke(keys.key_of, *at(keys.first, j));
  }

  const I& first;
  F& key_of;
};

struct GroupBy {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, GroupKeyFunction<I> F = std::identity>
  [[nodiscard]] Groups operator()(const AlgorithmOptions& options, I first, S last, F key_of = {}) const {
    return group_items(options, count_of(first, last), KeysOfItems<I, F>(first, key_of));
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, GroupKeyFunction<I> F = std::identity>
  [[nodiscard]] Groups operator()(I first, S last, F key_of = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(key_of));
  }
  template <LoopRange R, GroupKeyFunction<std::ranges::iterator_t<R>> F = std::identity>
  [[nodiscard]] Groups operator()(const AlgorithmOptions& options, R&& range, F key_of = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(key_of));
  }
  template <LoopRange R, GroupKeyFunction<std::ranges::iterator_t<R>> F = std::identity>
  [[nodiscard]] Groups operator()(R&& range, F key_of = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(key_of));
  }
};

}  // namespace detail

/// Finds the items with equal keys. For each key `key_of(item)` the result has a group: the positions of its items in the
/// range, in order. The groups are in the order of their first items, on any number of threads.
///
/// Keys are hashed by `std::hash` and compared by `==`; without `key_of` the items are the keys. Items and keys are not copied:
/// the key of a group is the key of its first item. With an inconsistent `key_of`, each position is still in some group. If
/// most of many items share a key, and there are many other keys, one worker processes all these items.
///
/// Throws the exceptions of `key_of`, the hash and the comparison, Stopped after a stop request, and std::bad_alloc; it only
/// reads the input.
///
/// O(n) expected time, with at most three calls of `key_of` for each item. For keys other than integers, two more calls for
/// each comparison of keys with equal hashes. Memory in addition to the result: 2 bytes for each item; 18 bytes if there are
/// more groups than a cache holds.
///
/// Thread-safety: any thread.
///
/// @par Source
/// The hash joins of databases. C. Balkesen, J. Teubner, G. Alonso, M. T. Oezsu, "Main-memory hash joins on multi-core CPUs:
/// tuning to the underlying hardware", ICDE 2013.
///
/// @code
///   for (const auto group : blitz::group_by(people, &Person::city)) {
///     print(people[group.front()].city, group.size());
///     for (const std::size_t i : group) visit(people[i]);
///   }
/// @endcode
inline constexpr detail::Algorithm<detail::GroupBy> group_by{};

}  // namespace blitz
