#include "blitz/algorithm/group_by.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <vector>

#include "blitz/detail/algorithm/columns.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/loop/pace.hpp"

namespace blitz::detail {

// Complexity: n items with g groups, on p threads, in c <= min(4 p, 512, n / 16384) pieces.
//
// Few groups in each piece: work T1 = O(n + c g). The tables of the pieces are merged in a tree, so the span is
// O(n / c + g log c), with g <= 32,768.
//
// Many groups: the items are distributed to q <= n / 4096 partitions. Work T1 = O(n), including c q counters, at most n / 8.
// Span O(n / c + n / 4096) unless some partition is much larger than others: one thread adds up a number per partition and per
// 65,536 items.

/// The groups of some items, in the order of their first items, and a hash table of the groups with open addressing. Not
/// thread-safe. Source: D. E. Knuth, "The Art of Computer Programming", 6.4.
class GroupTable {
 public:
  struct Group {
    LoopIndex first;    // the first item
    std::size_t count;  // the number of items; later the place of the next item
  };

  explicit GroupTable(const GroupKeys& keys) : keys_(keys) {}

  [[nodiscard]] std::vector<Group>& groups() noexcept { return groups_; }

  /// The number of the group of item i, which has this hash. Adds a new group with a count of 0 if there is none.
  [[nodiscard]] BLITZ_ALWAYS_INLINE std::size_t find_or_add(std::uint64_t hash, LoopIndex i) {
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

  /// Adds the groups of `right`, a table of items that come after the items of this one. `right` must not be searched
  /// afterwards. `numbers` gets the number here of each group of `right`. The count of each group of `right` becomes the
  /// previous count of the same group here.
  void take(GroupTable& right, std::vector<std::size_t>& numbers) {
    std::vector<std::uint64_t> hashes(right.groups_.size());
    for (const Slot& slot : right.slots_) {
      if (slot.group != kNone) hashes[slot.group] = slot.hash;
    }
    right.slots_ = {};
    numbers.reserve(hashes.size());
    for (std::size_t g = 0; g < hashes.size(); ++g) {
      Group& group = right.groups_[g];
      numbers.push_back(find_or_add(hashes[g], group.first));
      std::size_t& count = groups_[numbers.back()].count;
      count += std::exchange(group.count, count);
    }
  }

  /// Removes all groups, and shrinks the table.
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

/// One call of group_by. Few groups are found in one pass over the items, with a table per piece of the range. If a piece has
/// more groups than a cache-sized table can hold, the items are first partitioned by their hashes, so that each partition has
/// few groups.
class Grouping {
 public:
  Grouping(const AlgorithmOptions& options, LoopIndex count, const GroupKeys& keys)
      : options_(options),
        count_(count),
        keys_(keys),
        pieces_(group_pieces(count_, threads_of(options), grain_of(options, kLeastGroupPiece))),
        cut_(count, pieces_) {}

  [[nodiscard]] Groups run() {
    if (count_ == 0) return {};
    groups_.positions_ = Scratch<std::size_t>(count_);
    if (!group_in_pieces()) group_in_partitions();
    return std::move(groups_);
  }

 private:
  static constexpr std::size_t kMostGroupsInPiece = 4096;
  static constexpr std::size_t kMostGroups = 8 * kMostGroupsInPiece;  // in a table of several pieces

  /// Calls `f(i, hash)` for the items [first, last) until it returns true. All bits of the hash depend on the key; the highest
  /// bits depend on it most.
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

  /// Calls `f(i)` in parallel for the integers below a small `count`.
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
    Scratch<std::uint16_t> groups(count_);  // for each item: its group's number in its piece
    Atomic<bool> too_many{false};           // written by a piece that has too many groups
    for_each_index(pieces_, [&](LoopIndex p) {
      GroupTable& table = tables[p];
      for_each_hash(cut_.begin(p), cut_.begin(p + 1), [&](LoopIndex i, std::uint64_t hash) {
        const std::size_t group = table.find_or_add(hash, i);
        // Relaxed: an old value only costs a needless group; the end of the loop orders the last write.
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

    // Adjacent tables are merged into the left one. At the end the first table has all groups, in the order of their first
    // items.
    std::vector<std::vector<std::size_t>> numbers(pieces_);  // of a table's groups, in the table that it is merged into
    LoopIndex step = 1;
    const auto for_each_pair = [&](const auto& f) {
      for_each_index(ceil_div(pieces_ - step, 2 * step), [&](LoopIndex pair) {
        const LoopIndex right = (2 * pair + 1) * step;
        f(tables[right - step], tables[right], numbers[right]);
      });
    };
    for (; step < pieces_; step *= 2) {
      for_each_pair([&](GroupTable& left, GroupTable& right, std::vector<std::size_t>& numbers_in_left) {
        left.take(right, numbers_in_left);
        if (left.groups().size() > kMostGroups) too_many.store(true, std::memory_order_relaxed);
      });
      if (too_many.load(std::memory_order_relaxed)) return false;
    }
    std::vector<GroupTable::Group>& all = tables[0].groups();
    std::size_t* const positions = groups_.positions_.data();
    groups_.groups_ = Scratch<Groups::Group>(all.size());
    std::size_t begin = 0;
    for (std::size_t g = 0; g < all.size(); ++g) {
      std::construct_at(groups_.groups_.data() + g, positions + begin, all[g].count);
      begin += std::exchange(all[g].count, begin);
    }
    // Counts become the places of the first item of each group in each piece.
    while ((step /= 2) != 0) {
      for_each_pair([](GroupTable& left, GroupTable& right, const std::vector<std::size_t>& numbers_in_left) {
        for (std::size_t g = 0; g < numbers_in_left.size(); ++g)
          right.groups()[g].count += left.groups()[numbers_in_left[g]].count;
      });
    }
    for_each_index(pieces_, [&](LoopIndex p) {
      std::vector<GroupTable::Group> next = std::move(tables[p].groups());  // This thread frees it.
      for (LoopIndex i = cut_.begin(p); i != cut_.begin(p + 1); ++i) positions[next[groups.data()[i]].count++] = i;
    });
    return true;
  }

  // --- many groups ---

  /// An item of a partition.
  struct Record {
    std::uint64_t hash;  // later the item's group
    std::size_t position;
  };
  /// A bit per item: whether it is the first item of its group.
  using Flags = Scratch<Atomic<std::uint64_t>>;

  void group_in_partitions() {
    const int bits = group_partition_bits(count_);
    const std::size_t partitions = std::size_t{1} << bits;
    const auto partition_of = [shift = 64 - bits](std::uint64_t hash) { return hash >> shift; };

    // For each piece and partition: the place of the next record, and the number of records.
    Scratch<std::size_t> begins(pieces_ * partitions);
    Scratch<std::size_t> sizes(pieces_ * partitions);
    for_each_index(pieces_, [&](LoopIndex p) {
      std::size_t* const counts = begins.data() + p * partitions;
      std::uninitialized_fill_n(counts, partitions, std::size_t{0});
      for_each_hash(cut_.begin(p), cut_.begin(p + 1), [&](LoopIndex, std::uint64_t hash) {
        ++counts[partition_of(hash)];
        return false;
      });
      std::uninitialized_copy_n(counts, partitions, sizes.data() + p * partitions);
    });
    std::vector<std::size_t> edges(partitions + 1);  // of the partitions
    add_up_columns({.pool = options_.pool}, pieces_, partitions, begins.data(), edges.data());
    Scratch<Record> records(count_);
    for_each_index(pieces_, [&](LoopIndex p) {
      std::size_t* const next = begins.data() + p * partitions;
      std::size_t* const end = sizes.data() + p * partitions;
      for (std::size_t q = 0; q < partitions; ++q) end[q] += next[q];
      for_each_hash(cut_.begin(p), cut_.begin(p + 1), [&](LoopIndex i, std::uint64_t hash) {
        std::size_t q = partition_of(hash);
        // Only if a key has changed since the first pass. Then some other partition has room.
        while (next[q] == end[q]) [[unlikely]]
          q = (q + 1) % partitions;
        // The rotation moves the bits that select the partition to the end, because the table uses the first bits.
        std::construct_at(records.data() + next[q]++, std::rotl(hash, bits), i);
        return false;
      });
    });

    constexpr LoopIndex kBlock = 1024;  // words of flags
    Flags flags(count_ / 64 + 1);
    const LoopIndex blocks = ceil_div(LoopIndex{flags.size()}, kBlock);
    for_blocks({.pool = options_.pool}, flags.size(), kBlock, [&](LoopIndex first, LoopIndex last) {
      for (; first != last; ++first) std::construct_at(flags.data() + first, std::uint64_t{0});
    });
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

    // A group's number is the number of first items before its own first item: counted in blocks of words, then added up.
    std::vector<std::size_t> before_block(blocks);
    Scratch<std::size_t> before(flags.size());
    const auto for_each_block = [&](const auto& f) {
      for_blocks({.pool = options_.pool}, blocks, 1, [&](LoopIndex block, LoopIndex last) {
        for (; block != last; ++block)
          f(block, block * kBlock, std::min<LoopIndex>((block + 1) * kBlock, flags.size()));
      });
    };
    for_each_block([&](LoopIndex block, LoopIndex w, LoopIndex end) {
      for (; w != end; ++w) before_block[block] += static_cast<std::size_t>(std::popcount(word_of(flags, w)));
    });
    std::size_t groups = 0;
    for (std::size_t& of_block : before_block) groups += std::exchange(of_block, groups);
    for_each_block([&](LoopIndex block, LoopIndex w, LoopIndex end) {
      std::size_t sum = before_block[block];
      for (; w != end; ++w) {
        std::construct_at(before.data() + w, sum);
        sum += static_cast<std::size_t>(std::popcount(word_of(flags, w)));
      }
    });
    groups_.groups_ = Scratch<Groups::Group>(groups);
    for_each_index(partitions, [&](LoopIndex q) {
      const std::size_t* next = groups_.positions_.data() + edges[q];
      for (std::size_t g = 0; g < groups_of[q]; ++g) {
        const std::size_t size = records.data()[edges[q] + g].hash;
        const std::size_t w = *next / 64;
        const std::uint64_t lower = (std::uint64_t{1} << *next % 64) - 1;
        const std::size_t number =
            before.data()[w] + static_cast<std::size_t>(std::popcount(word_of(flags, w) & lower));
        std::construct_at(groups_.groups_.data() + number, next, size);
        next += size;
      }
    });
  }

  /// Call it after the loop that flags first items. Relaxed: the end of that loop orders the flags before this read.
  static std::uint64_t word_of(const Flags& flags, std::size_t word) {
    return flags.data()[word].load(std::memory_order_relaxed);
  }

  /// Writes the positions of a partition's items to `positions`, group by group, and flags the first item of each group. Stores
  /// the size of group g in record g. Returns the number of groups.
  static std::size_t group_partition(GroupTable& table, std::span<Record> records, std::size_t* positions,
                                     const Flags& flags) {
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
      // Relaxed: the end of the loop orders it before the reads.
      flags.data()[groups[g].first / 64].fetch_or(std::uint64_t{1} << groups[g].first % 64, std::memory_order_relaxed);
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
