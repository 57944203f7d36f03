/// @file
/// Filter: the engine of all that keeps some items, in their order, and drops the others: copy_if, remove, unique, stable
/// partitions.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/chain.hpp"
#include "blitz/detail/algorithm/flags.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// What is derived from it answers which items are kept, and moves them. A word of flags is asked for once, for 64 items.
/// A run is a number of words; its sum is how many of its items are kept. Runs of which the left is not known leave their
/// flags in memory: a bit for each item. Beside it there are 16 bytes for each of the least runs.
///
/// Of items that are cheap to write (kWritesAll) such a run leaves the kept ones themselves, in a ring with room for a few
/// runs of each thread, and for a quarter of all items at most: to write an item takes no longer than to keep its flag, and
/// later all are copied together, without a look at flags. A run's place in the ring is its position, modulo the ring's size;
/// it is free when all runs that had a part of it are done. A run leaves flags if its place is not free, if there may be no
/// room for all items, and if all of the run summed up before were kept, for such are copied a word at a time by flags, and
/// only once.
class BLITZ_API Filter : public Chain {
 public:
  struct Result {
    LoopIndex kept;  ///< the number of items kept
    LoopIndex end;   ///< the first item for which there was no room, or the number of items
  };

  /// Runs the filter; `filter` is a Filter. Throws Stopped after a stop request, and what flags() and move() throw.
  template <class F>
  static Result run(F& filter, const AlgorithmOptions& options) {
    Chain::run(filter, options);
    throw_if_stopped(options);
    return static_cast<const Filter&>(filter).result();
  }

 protected:
  /// What flag i of an item says.
  enum class Flag : unsigned char {
    kThis,  ///< whether the item is kept
    kNext   ///< whether the next item is kept; the first is
  };
  enum class Target : unsigned char {
    kElsewhere,
    kInput  ///< kept items are moved to the left among the items themselves
  };

  /// For `items` items of so many bytes. If they are cheap to write, `out` is where the kept ones go; otherwise null.
  /// Throws std::bad_alloc.
  Filter(const AlgorithmOptions& options, LoopIndex items, std::size_t bytes, Flag flag, Target target,
         void* out = nullptr);
  ~Filter() = default;

  /// There is room for so many items, kept ones and dropped ones.
  void set_room(LoopIndex kept, LoopIndex dropped = std::numeric_limits<LoopIndex>::max()) noexcept {
    room_kept_ = kept;
    room_dropped_ = dropped;
  }
  [[nodiscard]] LoopIndex items() const noexcept { return items_; }
  [[nodiscard]] Result result() const noexcept;

  bool run_whole(const Run& run) override;
  void sum_up(const Run& run) override;
  void link(const Run& run) override;
  bool finish(const Run& run) override;
  LoopIndex needed(const Run& run) const noexcept override;

 private:
  // A batch is a number of whole words, kBatchWords at most; the last one may have fewer items.

  /// The flags of the items [first, first + count), a batch.
  virtual void flag(LoopIndex first, LoopIndex count, FlagWord* flags) = 0;
  /// Moves those of the items of a batch whose bits are set to where the kept items are, from number `place` on, and does
  /// with the others what is to be done: of dropped items, there are first - place to the left.
  virtual void move(const FlagWord* kept, LoopIndex first, LoopIndex count, LoopIndex place) = 0;
  /// Of items that are cheap to write: copies those of a batch that are kept to the places from `to` on, but for those that
  /// are in their place. Returns how many are kept.
  virtual LoopIndex write(LoopIndex /*first*/, LoopIndex /*count*/, void* /*to*/) { return 0; }

  template <class FlagsOf>
  bool move_run(const Run& run, const FlagsOf& flags_of, LoopIndex& kept);
  [[nodiscard]] bool has_room(LoopIndex first, LoopIndex place, LoopIndex kept, LoopIndex dropped) const noexcept {
    return place + kept <= room_kept_ && first - place + dropped <= room_dropped_;
  }
  bool move_until_full(FlagWord* kept, LoopIndex first, LoopIndex place);
  [[nodiscard]] LoopIndex ring_size(const AlgorithmOptions& options) const;
  [[nodiscard]] bool gathers(const Run& run) const noexcept;
  /// The place of a run in the ring.
  [[nodiscard]] std::byte* gathered(const Run& run) const noexcept {
    return ring_.data() + run.first % ring_positions_ * kFlags * bytes_;
  }
  /// In words.
  [[nodiscard]] LoopIndex memory() const noexcept { return words_of(items_) + 2 * slots(); }
  [[nodiscard]] bool are_few() const noexcept { return memory() <= kFew; }
  [[nodiscard]] LoopIndex items_in(LoopIndex word, LoopIndex last) const noexcept;
  [[nodiscard]] FlagWord carry_into(LoopIndex word) const noexcept;
  const LoopIndex items_;
  const std::size_t bytes_;
  const Flag flag_;
  const Target target_;
  std::byte* const written_;  // the first place of what is cheap to write, or null
  LoopIndex room_kept_ = std::numeric_limits<LoopIndex>::max();
  LoopIndex room_dropped_ = std::numeric_limits<LoopIndex>::max();
  LoopIndex end_;  // this and the next are written by the one run that finds no room
  LoopIndex kept_at_end_ = 0;
  static constexpr std::size_t kFew = 64;
  std::array<FlagWord, kFew> few_;  // the memory of a filter of about a thousand items
  Scratch<FlagWord> many_;          // that of more
  FlagWord* const words_;           // of runs that were summed up, and the last word of each run
  LoopIndex* const left_;           // for each slot: the items kept to the left of the run
  LoopIndex* const sum_;  // for each slot: the flags that are set in the run, or its items in the ring and kGathered
  static constexpr LoopIndex kGathered = ~(~LoopIndex{0} >> 1);
  const LoopIndex ring_positions_;  // 0: there is none
  const Scratch<std::byte> ring_;
  Atomic<bool> kept_all_{false};  // of the run that was summed up last; written by its worker
};

/// Copies the items of a batch whose bits are set.
template <class I, class O>
BLITZ_ALWAYS_INLINE void copy_flagged(const FlagWord* flags, LoopIndex count, const I& in, O out) {
  for_flagged_runs(flags, count, [&](LoopIndex first, LoopIndex length) BLITZ_LAMBDA_INLINE {
    if (length == 1) {
      *out = *at(in, first);
      ++out;
    } else {
      out = std::ranges::copy_n(at(in, first), static_cast<std::iter_difference_t<I>>(length), std::move(out)).out;
    }
  });
}

/// Moves the items of a batch whose bits are set, to the left or not at all.
template <class I>
BLITZ_ALWAYS_INLINE void move_flagged(const FlagWord* flags, LoopIndex count, const I& batch, I out) {
  for_flagged_runs(flags, count, [&](LoopIndex first, LoopIndex length) BLITZ_LAMBDA_INLINE {
    const I from = at(batch, first);
    if (from == out) {
      out = at(out, length);
    } else if (length == 1) {
      *out = std::ranges::iter_move(from);
      ++out;
    } else {
      out = std::ranges::move(from, at(from, length), std::move(out)).out;
    }
  });
}

/// Keeps the items for which `wanted(iterator)` holds: copies them, or moves them together among the items themselves.
template <bool kMoves, class I, class O, class W>
class WantedFilter final : public Filter {
 public:
  WantedFilter(const AlgorithmOptions& options, const I& first, LoopIndex count, const O& out, LoopIndex room,
               const W& wanted)
      : Filter(options, count, sizeof(Item), Flag::kThis, kMoves ? Target::kInput : Target::kElsewhere,
               written_to(out)),
        first_(first),
        out_(out),
        wanted_(wanted) {
    set_room(room);
  }

 private:
  using Item = std::iter_value_t<I>;

  static void* written_to(const O& out) noexcept {
    if constexpr (kWritesAll<I, O>) return std::to_address(out);
    return nullptr;
  }
  void flag(LoopIndex first, LoopIndex count, FlagWord* flags) override {
    flags_of_items(at(first_, first), count, wanted_, flags);
  }
  void move(const FlagWord* kept, LoopIndex first, LoopIndex count, LoopIndex place) override {
    if constexpr (kMoves) {
      move_flagged(kept, count, at(first_, first), at(out_, place));
    } else {
      copy_flagged(kept, count, at(first_, first), at(out_, place));
    }
  }
  LoopIndex write(LoopIndex first, LoopIndex count, void* to) override {
    if constexpr (kWritesAll<I, O>) {
      auto* const out = static_cast<Item*>(to);
      if constexpr (kMoves) {
        if (out == std::to_address(at(first_, first))) {  // Nothing was dropped yet.
          LoopIndex stay = 0;
          while (stay != count && wanted_(at(first_, first + stay))) ++stay;
          if (stay == count) return count;
          return stay + write_wanted(at(first_, first + stay + 1), count - stay - 1, wanted_, out + stay);
        }
      }
      return write_wanted(at(first_, first), count, wanted_, out);
    }
    return 0;
  }

  const I first_;
  const O out_;
  const W wanted_;
};

}  // namespace blitz::detail
