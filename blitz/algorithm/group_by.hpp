/// @file
/// group_by: the items with equal keys, for each key.
#pragma once

#include "blitz/base/compiler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/algorithm/blocks.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/scratch.hpp"
#include "blitz/base/atomic.hpp"
#include "blitz/core/items.hpp"
#include "blitz/core/pool_base.hpp"
#include "blitz/core/splitter.hpp"
#include "blitz/current_pool.hpp"

namespace blitz {

namespace detail {

template <class I, class F>
class Grouping;

}  // namespace detail

/// What group_by returns: for each key the positions of its items in the range, in their order; the groups in the order of
/// their first items. A range of random access. Memory: eight bytes for each item and sixteen for each group.
/// Each member O(1). Throws nothing. Thread-safety: that of an int.
/// @code
///   for (const blitz::Groups::Group& group : blitz::group_by(words, &std::string::size)) count(group.size());
/// @endcode
class Groups {
 public:
  using Group = std::span<const std::size_t>;  ///< never empty

  Groups() = default;  ///< None.

  /// The number of groups.
  [[nodiscard]] std::size_t size() const noexcept { return groups_.size(); }
  /// Whether there is no group.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// Group i, which must be below size().
  [[nodiscard]] const Group& operator[](std::size_t i) const noexcept { return groups_.data()[i]; }
  /// The first group.
  [[nodiscard]] const Group* begin() const noexcept { return groups_.data(); }
  /// Behind the last group.
  [[nodiscard]] const Group* end() const noexcept { return groups_.data() + groups_.size(); }

 private:
  template <class I, class F>
  friend class detail::Grouping;

  detail::Scratch<std::size_t> positions_;
  detail::Scratch<Group> groups_;
};

/// What tells the group of an item: callable with what an iterator of type It refers to, for a key that std::hash takes
/// and == compares.
template <class F, class It>
concept GroupKey = std::indirectly_regular_unary_invocable<F, It> &&
                   std::equality_comparable<std::remove_cvref_t<std::indirect_result_t<F&, It>>> &&
                   requires(std::indirect_result_t<F&, It> key) {
                     {
                       std::hash<std::remove_cvref_t<std::indirect_result_t<F&, It>>>()(key)
                     } -> std::convertible_to<std::size_t>;
                   };

namespace detail {

/// The hash of a key, all of whose bits depend on the key, the highest ones most. Different integers have different
/// hashes.
template <class Key>
[[nodiscard]] std::uint64_t hash_of(const Key& key) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 by the golden ratio: Fibonacci hashing
  if constexpr (std::integral<Key>) {
    return static_cast<std::uint64_t>(key) * kOdd;
  } else {
    const std::uint64_t hash = std::hash<Key>()(key);
    return (hash ^ hash >> 32) * kOdd;
  }
}

/// A hash table of groups, by open addressing. For one thread; D. E. Knuth, "The Art of Computer Programming", 6.4.
class GroupTable {
 public:
  /// The number of groups.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The group of a hash, for which `is_equal(group)` tells whether the keys are equal too; a new one, with the number
  /// size(), if there is none.
  template <class IsEqual>
  [[nodiscard]] std::size_t find_or_add(std::uint64_t hash, const IsEqual& is_equal) {
    for (std::size_t place = hash >> shift_;; place = (place + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[place];
      if (slot.group == kNone) {
        slot = {hash, size_};
        if (++size_ > slots_.size() / 2) grow();
        return size_ - 1;
      }
      if (slot.hash == hash && is_equal(slot.group)) return slot.group;
    }
  }

  /// Makes it empty, and small again.
  void clear() {
    slots_.assign(kFewestSlots, {});
    shift_ = kFirstShift;
    size_ = 0;
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kFewestSlots = 64;
  static constexpr int kFirstShift = 64 - std::countr_zero(kFewestSlots);

  struct Slot {
    std::uint64_t hash = 0;
    std::size_t group = kNone;
  };

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    --shift_;
    for (const Slot& moved : old) {
      if (moved.group == kNone) continue;
      std::size_t place = moved.hash >> shift_;
      while (slots_[place].group != kNone) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = moved;
    }
  }

  std::vector<Slot> slots_{kFewestSlots};
  int shift_ = kFirstShift;
  std::size_t size_ = 0;
};

/// One run of group_by. Few groups are found in one pass over the items, in a table for each piece of the range. If a
/// piece has more than a table that fits in a cache can hold, the items are first partitioned by their hashes, so that the
/// groups of one partition are few.
template <class I, class F>
class Grouping {
 public:
  Grouping(const AlgorithmOptions& options, I first, LoopIndex count, F& key_of)
      : options_(options), first_(std::move(first)), count_(count), key_of_(key_of) {}

  [[nodiscard]] Groups run() {
    if (count_ == 0) return {};
    groups_.positions_ = Scratch<std::size_t>(count_);
    if (!group_in_pieces()) group_in_partitions();
    return std::move(groups_);
  }

 private:
  using Key = std::remove_cvref_t<std::indirect_result_t<F&, I>>;
  using Positions = Scratch<std::size_t>;

  static constexpr LoopIndex kLeastPiece = LoopIndex{1} << 14;
  static constexpr std::size_t kMostGroupsInPiece = 4096;
  static constexpr LoopIndex kPartition = LoopIndex{1} << 13;  // items: their records fit in a second-level cache

  [[nodiscard]] std::uint64_t hash_at(LoopIndex i) const { return hash_of<Key>(std::invoke(key_of_, *at(first_, i))); }
  /// Whether the keys of two items with equal hashes are equal.
  [[nodiscard]] bool equal_keys(LoopIndex i, LoopIndex j) const {
    if constexpr (std::integral<Key>) return true;
    return std::invoke(key_of_, *at(first_, i)) == std::invoke(key_of_, *at(first_, j));
  }

  [[nodiscard]] std::size_t num_threads() const {
    return options_.pool.base() != nullptr ? options_.pool.base()->num_threads() : current_num_threads();
  }
  [[nodiscard]] LoopIndex num_pieces() const {
    return std::clamp<LoopIndex>(count_ / grain_of(options_, kLeastPiece), 1, 4 * num_threads());
  }

  /// Calls `f(i)` for the integers below `count`, which are few.
  template <class G>
  void for_each_index(LoopIndex count, const G& f) const {
    for_blocks({.stop = options_.stop, .pool = options_.pool}, count, 1, [&](LoopIndex first, LoopIndex last) {
      for (; first != last; ++first) f(first);
    });
    throw_if_stopped(options_);
  }

  // --- few groups ---

  struct Piece {
    GroupTable table;
    std::vector<std::size_t> firsts;  // the first position of each group
    std::vector<std::size_t> counts;  // of the items of each group; then where the next one goes
  };

  /// Returns false if there are too many groups.
  bool group_in_pieces() {
    const LoopIndex pieces = num_pieces();
    const Pieces cut(count_, pieces);
    std::vector<Piece> found(pieces);
    Scratch<std::uint16_t> groups(count_);  // of each item, as its piece numbers them
    Atomic<bool> too_many{false};           // written by a piece that has too many groups
    for_each_index(pieces, [&](LoopIndex p) {
      Piece& piece = found[p];
      for (LoopIndex i = cut.begin(p); i != cut.begin(p + 1); ++i) {
        const std::size_t group =
            piece.table.find_or_add(hash_at(i), [&](std::size_t other) { return equal_keys(piece.firsts[other], i); });
        if (group == piece.firsts.size()) {
          // Relaxed: an old value costs a needless group and no more; the end of the loop orders the last write.
          if (group == kMostGroupsInPiece || too_many.load(std::memory_order_relaxed)) {
            too_many.store(true, std::memory_order_relaxed);
            return;
          }
          piece.firsts.push_back(i);
          piece.counts.push_back(0);
        }
        ++piece.counts[group];
        groups.data()[i] = static_cast<std::uint16_t>(group);
      }
    });
    if (too_many.load(std::memory_order_relaxed)) return false;

    // The groups of all pieces, in the order of their first items; of each the pieces that have items of it.
    GroupTable table;
    std::vector<std::size_t> firsts;
    std::vector<std::size_t> counts;
    std::vector<std::vector<std::size_t>> numbers(pieces);  // of the groups of each piece
    for (LoopIndex p = 0; p < pieces; ++p) {
      for (std::size_t g = 0; g < found[p].firsts.size(); ++g) {
        const LoopIndex i = found[p].firsts[g];
        const std::size_t group =
            table.find_or_add(hash_at(i), [&](std::size_t other) { return equal_keys(firsts[other], i); });
        if (group == firsts.size()) {
          firsts.push_back(i);
          counts.push_back(0);
        }
        numbers[p].push_back(group);
        counts[group] += std::exchange(found[p].counts[g], counts[group]);
      }
    }
    std::size_t* const positions = groups_.positions_.data();
    groups_.groups_ = Scratch<Groups::Group>(firsts.size());
    std::vector<std::size_t> begins;
    std::size_t begin = 0;
    for (std::size_t g = 0; g < firsts.size(); ++g) {
      std::construct_at(groups_.groups_.data() + g, positions + begin, counts[g]);
      begins.push_back(begin);
      begin += counts[g];
    }
    for_each_index(pieces, [&](LoopIndex p) {
      std::vector<std::size_t>& next = found[p].counts;
      for (std::size_t g = 0; g < next.size(); ++g) next[g] += begins[numbers[p][g]];
      for (LoopIndex i = cut.begin(p); i != cut.begin(p + 1); ++i) positions[next[groups.data()[i]]++] = i;
    });
    return true;
  }

  // --- many groups ---

  /// An item in its partition.
  struct Record {
    std::uint64_t hash;  // then the item's group
    std::size_t position;
  };
  /// What a worker needs for one partition after the other.
  struct Work {
    GroupTable table;
    std::vector<std::size_t> firsts;
    std::vector<std::size_t> counts;
  };
  /// Which positions are those of first items.
  using Flags = std::vector<Atomic<std::uint64_t>>;

  void group_in_partitions() {
    const int bits = std::max(static_cast<int>(std::bit_width(count_ / kPartition)), 1);
    const std::size_t partitions = std::size_t{1} << bits;
    const LoopIndex pieces = num_pieces();
    const Pieces cut(count_, pieces);
    const auto partition_of = [shift = 64 - bits](std::uint64_t hash) { return hash >> shift; };

    // Where each piece's records of each partition begin, and end.
    std::vector<std::size_t> begins(pieces * partitions);
    std::vector<std::size_t> ends(pieces * partitions);
    for_each_index(pieces, [&](LoopIndex p) {
      std::size_t* const counts = begins.data() + p * partitions;
      for (LoopIndex i = cut.begin(p); i != cut.begin(p + 1); ++i) ++counts[partition_of(hash_at(i))];
    });
    std::vector<std::size_t> edges{0};  // of the partitions
    std::size_t begin = 0;
    for (std::size_t q = 0; q < partitions; ++q) {
      for (LoopIndex p = 0; p < pieces; ++p) {
        begin += std::exchange(begins[p * partitions + q], begin);
        ends[p * partitions + q] = begin;
      }
      edges.push_back(begin);
    }
    Scratch<Record> records(count_);
    for_each_index(pieces, [&](LoopIndex p) {
      std::size_t* const next = begins.data() + p * partitions;
      const std::size_t* const end = ends.data() + p * partitions;
      for (LoopIndex i = cut.begin(p); i != cut.begin(p + 1); ++i) {
        const std::uint64_t hash = hash_at(i);
        std::size_t q = partition_of(hash);
        // Only if key_of answers otherwise than before: then some other partition has room.
        while (next[q] == end[q]) [[unlikely]]
          q = (q + 1) % partitions;
        // The bits that tell the partition come last: the table of a partition goes by the first ones.
        std::construct_at(records.data() + next[q]++, std::rotl(hash, bits), i);
      }
    });

    Flags flags(count_ / 64 + 1);
    std::vector<std::size_t> groups_of(partitions);
    fold_blocks(
        {.stop = options_.stop, .pool = options_.pool}, partitions, 1, [] { return Work(); },
        [&](Work& work, LoopIndex first, LoopIndex last) {
          for (; first != last; ++first) {
            const std::span all(records.data() + edges[first], edges[first + 1] - edges[first]);
            groups_of[first] = group_partition(work, all, groups_.positions_.data() + edges[first], flags);
          }
        },
        [](Work&, Work&&) {});
    throw_if_stopped(options_);

    // A group's number is the number of first items before its own.
    std::vector<std::size_t> before;
    std::size_t groups = 0;
    for (const auto& word : flags) {
      before.push_back(groups);
      groups += static_cast<std::size_t>(std::popcount(word.load(std::memory_order_relaxed)));  // See group_partition.
    }
    groups_.groups_ = Scratch<Groups::Group>(groups);
    for_each_index(partitions, [&](LoopIndex q) {
      const std::size_t* next = groups_.positions_.data() + edges[q];
      for (std::size_t g = 0; g < groups_of[q]; ++g) {
        const std::size_t size = records.data()[edges[q] + g].hash;
        const std::uint64_t word = flags[*next / 64].load(std::memory_order_relaxed);
        const std::uint64_t lower = (std::uint64_t{1} << *next % 64) - 1;
        const std::size_t number = before[*next / 64] + static_cast<std::size_t>(std::popcount(word & lower));
        std::construct_at(groups_.groups_.data() + number, next, size);
        next += size;
      }
    });
  }

  /// Writes the positions of a partition's items to `positions`, one group after the other, flags the first of each, and
  /// leaves the size of group g in record g. Returns the number of groups.
  std::size_t group_partition(Work& work, std::span<Record> records, std::size_t* positions, Flags& flags) const {
    auto& [table, firsts, counts] = work;
    table.clear();
    firsts.clear();
    counts.clear();
    for (Record& record : records) {
      const std::size_t group =
          table.find_or_add(record.hash, [&](std::size_t other) { return equal_keys(firsts[other], record.position); });
      if (group == firsts.size()) {
        firsts.push_back(record.position);
        counts.push_back(0);
      }
      ++counts[group];
      record.hash = group;
    }
    std::size_t begin = 0;
    for (std::size_t& next : counts) begin += std::exchange(next, begin);
    for (const Record& record : records) positions[counts[record.hash]++] = record.position;
    begin = 0;
    for (std::size_t g = 0; g < firsts.size(); ++g) {
      records[g].hash = counts[g] - std::exchange(begin, counts[g]);
      // Relaxed: the end of the loop orders it before it is read.
      flags[firsts[g] / 64].fetch_or(std::uint64_t{1} << firsts[g] % 64, std::memory_order_relaxed);
    }
    return firsts.size();
  }

  const AlgorithmOptions& options_;
  I first_;
  LoopIndex count_;
  F& key_of_;
  Groups groups_;
};

struct GroupBy {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, GroupKey<I> F = std::identity>
  [[nodiscard]] Groups operator()(const AlgorithmOptions& options, I first, S last, F key_of = {}) const {
    const auto count = static_cast<LoopIndex>(last - first);
    return Grouping<I, F>(options, std::move(first), count, key_of).run();
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, GroupKey<I> F = std::identity>
  [[nodiscard]] Groups operator()(I first, S last, F key_of = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(key_of));
  }
  template <LoopRange R, GroupKey<std::ranges::iterator_t<R>> F = std::identity>
  [[nodiscard]] Groups operator()(const AlgorithmOptions& options, R&& range, F key_of = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(key_of));
  }
  template <LoopRange R, GroupKey<std::ranges::iterator_t<R>> F = std::identity>
  [[nodiscard]] Groups operator()(R&& range, F key_of = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(key_of));
  }
};

}  // namespace detail

/// Finds the items with equal keys: for each key `key_of(item)` a group, which has the positions of its items in the range,
/// in their order. The groups are in the order of their first items, whatever the number of threads.
///
/// group_by(range, key_of), group_by(first, last, key_of), and both with an AlgorithmOptions that leads. Keys are hashed
/// by std::hash and compared by ==; without `key_of` the items are the keys. Neither items nor keys are copied: the key of
/// a group is that of its first item.
///
/// Throws what `key_of`, the hash and the comparison throw, Stopped after a stop request, std::bad_alloc; the input is
/// only read. O(n) expected, with three calls of `key_of` for each item at most, and two for each comparison of keys
/// other than integers whose hashes are equal. Memory beside the result: 2 bytes for each item; where there are more
/// groups than a cache holds 16 instead of 2. Any thread. A key that most of many items share keeps one worker busy with
/// them, if other keys are many. If `key_of` gives an item another key at another call, each position is in some group.
///
/// After the hash joins of databases: C. Balkesen, J. Teubner, G. Alonso, M. T. Oezsu, "Main-memory hash joins on
/// multi-core CPUs: tuning to the underlying hardware", ICDE 2013.
/// @code
///   for (const auto group : blitz::group_by(people, &Person::city)) {
///     print(people[group.front()].city, group.size());
///     for (const std::size_t i : group) visit(people[i]);
///   }
/// @endcode
inline constexpr detail::GroupBy group_by{};

}  // namespace blitz
