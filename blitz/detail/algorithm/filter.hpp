/// @file
/// Filter: the engine of algorithms that keep some items, in order, and drop the others: copy_if, remove, unique, stable
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

/// A derived class decides which items are kept, and moves them. It computes each word of flags, for 64 items, once. A run is a
/// number of words; its sum is the number of its kept items. A run with unknown left stores its flags: one bit per item. In
/// addition there are 16 bytes per run of minimum length.
///
/// If items are cheap to write (kWritesAll), a run with unknown left stores the kept items themselves in a ring instead. The
/// ring has room for a few runs per thread, and for at most a quarter of all items. Writing an item takes no longer than
/// storing its flag, and later the items are copied in one block without reading flags. The place of a run in the ring is its
/// position modulo the size of the ring. The place is free when all runs that used a part of it are done. A run stores flags if
/// its place is not free, if the output may be too small for all items, or if the run summed up before kept all its items: then
/// flags copy whole words at a time, and each item only once.
class BLITZ_API Filter : public Chain {
 public:
  struct Result {
    LoopIndex kept;  ///< the number of items kept
    LoopIndex end;   ///< the first item without room, or the number of items
  };

  /// Runs the filter; `filter` is a Filter. Throws Stopped after a stop request, and the exceptions of flag(), move() and
  /// write().
  template <class F>
  static Result run(F& filter, const AlgorithmOptions& options) {
    Chain::run(filter, options);
    throw_if_stopped(options);
    return static_cast<const Filter&>(filter).result();
  }

 protected:
  /// The meaning of the flag of an item.
  enum class Flag : unsigned char {
    kThis,  ///< whether the item is kept
    kNext   ///< whether the next item is kept; the first is
  };
  enum class Target : unsigned char {
    kElsewhere,
    kInput  ///< kept items are moved to the left among the items themselves
  };

  /// For `items` items of `bytes` bytes. If they are cheap to write, `out` is the destination of the kept items; otherwise
  /// null. Throws std::bad_alloc.
  Filter(const AlgorithmOptions& options, LoopIndex items, std::size_t bytes, Flag flag, Target target,
         void* out = nullptr);
  ~Filter() = default;

  /// Sets the number of kept items and of dropped items that the outputs have room for.
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
  // A batch is a number of whole words, at most kBatchWords. The last batch may have fewer items.

  /// Writes the flags of the items [first, first + count), a batch, to `flags`.
  virtual void flag(LoopIndex first, LoopIndex count, FlagWord* flags) = 0;
  /// Moves the items of a batch with bits set in `kept` to the kept items, starting at number `place`. Handles the dropped
  /// items of the batch; first - place dropped items are to the left.
  virtual void move(const FlagWord* kept, LoopIndex first, LoopIndex count, LoopIndex place) = 0;
  /// For items that are cheap to write: copies the kept items of a batch to `to`, except those that are already in place.
  /// Returns the number of kept items.
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
  /// The size of the memory for flags and sums, in words.
  [[nodiscard]] LoopIndex memory() const noexcept { return words_of(items_) + 2 * slots(); }
  [[nodiscard]] bool are_few() const noexcept { return memory() <= kFew; }
  [[nodiscard]] LoopIndex items_in(LoopIndex word, LoopIndex last) const noexcept;
  [[nodiscard]] FlagWord carry_into(LoopIndex word) const noexcept;
  const LoopIndex items_;
  const std::size_t bytes_;
  const Flag flag_;
  const Target target_;
  std::byte* const written_;  // the output of items that are cheap to write, or null
  LoopIndex room_kept_ = std::numeric_limits<LoopIndex>::max();
  LoopIndex room_dropped_ = std::numeric_limits<LoopIndex>::max();
  LoopIndex end_;  // this and the next member are written by the only run that finds no room
  LoopIndex kept_at_end_ = 0;
  static constexpr std::size_t kFew = 64;
  std::array<FlagWord, kFew> few_;  // the memory of a filter of about a thousand items
  Scratch<FlagWord> many_;          // the memory of a larger filter
  FlagWord* const words_;           // the flags of runs that were summed up, and the last word of each run
  LoopIndex* const left_;           // for each slot: the items kept to the left of the run
  LoopIndex* const sum_;  // for each slot: the flags that are set in the run, or its items in the ring and kGathered
  static constexpr LoopIndex kGathered = ~(~LoopIndex{0} >> 1);
  const LoopIndex ring_positions_;  // the size of the ring in words; 0: no ring
  const Scratch<std::byte> ring_;
  Atomic<bool> kept_all_{false};  // whether the run summed up last kept all items; written by its worker
};

/// Copies the flagged items of a batch.
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

/// Moves the flagged items of a batch to the left, except those that are already in place.
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

/// Keeps the items with `wanted(iterator)`: copies them to an output, or moves them to the left within the range.
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
        if (out == std::to_address(at(first_, first))) {  // No item has been dropped yet.
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
