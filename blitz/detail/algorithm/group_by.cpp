#include "blitz/algorithm/group_by.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <vector>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/loop/pace.hpp"

namespace blitz::detail {

/// The groups of some items, in the order of their first ones, and a hash table of them by open addressing. For one thread;
/// D. E. Knuth, "The Art of Computer Programming", 6.4.
class GroupTable {
 public:
  struct Group {
    LoopIndex first;    // item
    std::size_t count;  // of its items; then where the next one goes
  };

  explicit GroupTable(const GroupKeys& keys) : keys_(keys) {}

  [[nodiscard]] std::vector<Group>& groups() noexcept { return groups_; }

  /// The number of the group of item i, whose hash this is; a new group, without items, if there is none.
  [[nodiscard]] std::size_t find_or_add(std::uint64_t hash, LoopIndex i) {
    for (std::size_t place = hash >> shift_;; place = (place + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[place];
      if (slot.group == kNone) {
        slot = {hash, groups_.size()};
        groups_.push_back({i, 0});
        if (groups_.size() > slots_.size() / 2) grow();
        return groups_.size() - 1;
      }
      if (slot.hash == hash && (keys_.equal == nullptr || keys_.equal(keys_, groups_[slot.group].first, i))) {
        return slot.group;
      }
    }
  }

  /// Makes it empty, and small again.
  void clear() {
    groups_.clear();
    slots_.assign(kFewestSlots, {});
    shift_ = kFirstShift;
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

  const GroupKeys& keys_;
  std::vector<Group> groups_;
  std::vector<Slot> slots_{kFewestSlots};
  int shift_ = kFirstShift;
};

/// One run of group_by. Few groups are found in one pass over the items, in a table for each piece of the range. If a
/// piece has more than a table that fits in a cache can hold, the items are first partitioned by their hashes, so that the
/// groups of one partition are few.
class Grouping {
 public:
  Grouping(const AlgorithmOptions& options, LoopIndex count, const GroupKeys& keys)
      : options_(options),
        count_(count),
        keys_(keys),
        pieces_(std::clamp<LoopIndex>(count_ / grain_of(options, kLeastPiece), 1, 4 * threads_of(options))),
        cut_(count, pieces_) {}

  [[nodiscard]] Groups run() {
    if (count_ == 0) return {};
    groups_.positions_ = Scratch<std::size_t>(count_);
    if (!group_in_pieces()) group_in_partitions();
    return std::move(groups_);
  }

 private:
  static constexpr LoopIndex kLeastPiece = LoopIndex{1} << 14;
  static constexpr std::size_t kMostGroupsInPiece = 4096;
  static constexpr LoopIndex kPartition = LoopIndex{1} << 13;  // items: their records fit in a second-level cache

  /// Calls `f(i, hash)` for the items [first, last), until it returns true. All bits of the hash depend on the key, the
  /// highest ones most.
  template <class F>
  void for_each_hash(LoopIndex first, LoopIndex last, const F& f) const {
    constexpr LoopIndex kHashes = 64;
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 by the golden ratio: Fibonacci hashing
    std::array<std::uint64_t, kHashes> hashes;
    while (first != last) {
      const LoopIndex count = std::min(last - first, kHashes);
      keys_.hash(keys_, first, count, hashes.data());
      for (LoopIndex i = 0; i != count; ++i) {
        if (f(first + i, (hashes[i] ^ hashes[i] >> 32) * kOdd)) return;
      }
      first += count;
    }
  }

  /// Calls `f(i)` for the integers below `count`, which are few.
  template <class F>
  void for_each_index(LoopIndex count, const F& f) const {
    for_blocks({.stop = options_.stop, .pool = options_.pool}, count, 1, [&](LoopIndex first, LoopIndex last) {
      for (; first != last; ++first) f(first);
    });
    throw_if_stopped(options_);
  }

  // --- few groups ---

  /// Returns false if there are too many groups.
  bool group_in_pieces() {
    std::vector<GroupTable> tables(pieces_, GroupTable(keys_));
    Scratch<std::uint16_t> groups(count_);  // of each item, as its piece numbers them
    Atomic<bool> too_many{false};           // written by a piece that has too many groups
    for_each_index(pieces_, [&](LoopIndex p) {
      GroupTable& table = tables[p];
      for_each_hash(cut_.begin(p), cut_.begin(p + 1), [&](LoopIndex i, std::uint64_t hash) {
        const std::size_t group = table.find_or_add(hash, i);
        // Relaxed: an old value costs a needless group and no more; the end of the loop orders the last write.
        if (table.groups()[group].count++ == 0 &&
            (group == kMostGroupsInPiece || too_many.load(std::memory_order_relaxed))) {
          too_many.store(true, std::memory_order_relaxed);
          return true;
        }
        groups.data()[i] = static_cast<std::uint16_t>(group);
        return false;
      });
    });
    if (too_many.load(std::memory_order_relaxed)) return false;

    // The groups of all pieces, in the order of their first items; of each the pieces that have items of it.
    GroupTable all(keys_);
    std::vector<std::vector<std::size_t>> numbers(pieces_);  // of the groups of each piece
    for (LoopIndex p = 0; p < pieces_; ++p) {
      for (GroupTable::Group& group : tables[p].groups()) {
        for_each_hash(group.first, group.first + 1, [&](LoopIndex i, std::uint64_t hash) {
          numbers[p].push_back(all.find_or_add(hash, i));
          return true;
        });
        std::size_t& count = all.groups()[numbers[p].back()].count;
        count += std::exchange(group.count, count);
      }
    }
    std::size_t* const positions = groups_.positions_.data();
    groups_.groups_ = Scratch<Groups::Group>(all.groups().size());
    std::size_t* next = positions;
    for (std::size_t g = 0; g < all.groups().size(); ++g) {
      std::construct_at(groups_.groups_.data() + g, next, all.groups()[g].count);
      next += all.groups()[g].count;
    }
    for_each_index(pieces_, [&](LoopIndex p) {
      std::vector<GroupTable::Group>& its_groups = tables[p].groups();
      for (std::size_t g = 0; g < its_groups.size(); ++g) {
        its_groups[g].count += static_cast<std::size_t>(groups_[numbers[p][g]].data() - positions);
      }
      for (LoopIndex i = cut_.begin(p); i != cut_.begin(p + 1); ++i) {
        positions[its_groups[groups.data()[i]].count++] = i;
      }
    });
    return true;
  }

  // --- many groups ---

  /// An item in its partition.
  struct Record {
    std::uint64_t hash;  // then the item's group
    std::size_t position;
  };
  /// Which positions are those of first items.
  using Flags = std::vector<Atomic<std::uint64_t>>;

  void group_in_partitions() {
    const int bits = std::max(static_cast<int>(std::bit_width(count_ / kPartition)), 1);
    const std::size_t partitions = std::size_t{1} << bits;
    const auto partition_of = [shift = 64 - bits](std::uint64_t hash) { return hash >> shift; };

    // Where each piece's records of each partition begin, and end.
    std::vector<std::size_t> begins(pieces_ * partitions);
    std::vector<std::size_t> ends(pieces_ * partitions);
    for_each_index(pieces_, [&](LoopIndex p) {
      std::size_t* const counts = begins.data() + p * partitions;
      for_each_hash(cut_.begin(p), cut_.begin(p + 1), [&](LoopIndex, std::uint64_t hash) {
        ++counts[partition_of(hash)];
        return false;
      });
    });
    std::vector<std::size_t> edges{0};  // of the partitions
    std::size_t begin = 0;
    for (std::size_t q = 0; q < partitions; ++q) {
      for (LoopIndex p = 0; p < pieces_; ++p) {
        begin += std::exchange(begins[p * partitions + q], begin);
        ends[p * partitions + q] = begin;
      }
      edges.push_back(begin);
    }
    Scratch<Record> records(count_);
    for_each_index(pieces_, [&](LoopIndex p) {
      std::size_t* const next = begins.data() + p * partitions;
      const std::size_t* const end = ends.data() + p * partitions;
      for_each_hash(cut_.begin(p), cut_.begin(p + 1), [&](LoopIndex i, std::uint64_t hash) {
        std::size_t q = partition_of(hash);
        // Only if a key is another one than before: then some other partition has room.
        while (next[q] == end[q]) [[unlikely]]
          q = (q + 1) % partitions;
        // The bits that tell the partition come last: the table of a partition goes by the first ones.
        std::construct_at(records.data() + next[q]++, std::rotl(hash, bits), i);
        return false;
      });
    });

    Flags flags(count_ / 64 + 1);
    std::vector<std::size_t> groups_of(partitions);
    fold_blocks(
        {.stop = options_.stop, .pool = options_.pool}, partitions, 1, [this] { return GroupTable(keys_); },
        [&](GroupTable& table, LoopIndex first, LoopIndex last) {
          for (; first != last; ++first) {
            const std::span all(records.data() + edges[first], edges[first + 1] - edges[first]);
            groups_of[first] = group_partition(table, all, groups_.positions_.data() + edges[first], flags);
          }
        },
        [](GroupTable&, GroupTable&&) {});

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
  static std::size_t group_partition(GroupTable& table, std::span<Record> records, std::size_t* positions,
                                     Flags& flags) {
    table.clear();
    std::vector<GroupTable::Group>& groups = table.groups();
    for (Record& record : records) {
      record.hash = table.find_or_add(record.hash, record.position);
      ++groups[record.hash].count;
    }
    std::size_t begin = 0;
    for (auto& group : groups) begin += std::exchange(group.count, begin);
    for (const Record& record : records) positions[groups[record.hash].count++] = record.position;
    begin = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      records[g].hash = groups[g].count - std::exchange(begin, groups[g].count);
      // Relaxed: the end of the loop orders it before it is read.
      flags[groups[g].first / 64].fetch_or(std::uint64_t{1} << groups[g].first % 64, std::memory_order_relaxed);
    }
    return groups.size();
  }

  const AlgorithmOptions& options_;
  const LoopIndex count_;
  const GroupKeys& keys_;
  const LoopIndex pieces_;
  const Pieces cut_;
  Groups groups_;
};

Groups group_items(const AlgorithmOptions& options, LoopIndex count, const GroupKeys& keys) {
  return Grouping(options, count, keys).run();
}

}  // namespace blitz::detail
