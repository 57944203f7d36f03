/// @file
/// Filter: the engine of all that keeps some items, in their order, and drops the others: copy_if, remove, unique, stable
/// partitions.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "blitz/algorithm/chain.hpp"
#include "blitz/algorithm/flags.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/scratch.hpp"
#include "blitz/base/export.hpp"

namespace blitz::detail {

/// What is derived from it answers which items are kept, and moves them. A word of flags is asked for once, for 64 items.
/// A run is a number of words; its sum is how many of its items are kept. Runs of which the left is not known leave their
/// flags in memory: a bit for each item. There is no other memory, but 16 bytes for each of the least runs.
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

  /// For `items` items of so many bytes. Throws std::bad_alloc.
  Filter(const AlgorithmOptions& options, LoopIndex items, std::size_t bytes, Flag flag, Target target);
  ~Filter() = default;

  /// There is room for so many items, kept ones and dropped ones.
  void set_room(LoopIndex kept, LoopIndex dropped = std::numeric_limits<LoopIndex>::max()) noexcept {
    room_kept_ = kept;
    room_dropped_ = dropped;
  }
  [[nodiscard]] LoopIndex items() const noexcept { return items_; }

  /// flag() and move() of a batch at once, with flags of kThis, for which there is room whatever is kept. Returns how many are.
  virtual LoopIndex flag_and_move(LoopIndex first, LoopIndex count, LoopIndex place);

 private:
  // A batch is a number of whole words, kBatchWords at most; the last one may have fewer items.

  /// The flags of the items [first, first + count), a batch.
  virtual void flag(LoopIndex first, LoopIndex count, FlagWord* flags) = 0;
  /// Moves those of the items of a batch whose bits are set to where the kept items are, from number `place` on, and does
  /// with the others what is to be done: of dropped items, there are first - place to the left.
  virtual void move(const FlagWord* kept, LoopIndex first, LoopIndex count, LoopIndex place) = 0;

  bool run_whole(const Run& run) override;
  void sum_up(const Run& run) override;
  void link(const Run& run) override;
  bool finish(const Run& run) override;
  LoopIndex needed(const Run& run) const noexcept override;

  template <class FlagsOf>
  bool move_run(const Run& run, const FlagsOf& flags_of, LoopIndex& kept);
  [[nodiscard]] bool has_room(LoopIndex first, LoopIndex place, LoopIndex kept, LoopIndex dropped) const noexcept {
    return place + kept <= room_kept_ && first - place + dropped <= room_dropped_;
  }
  bool move_until_full(FlagWord* kept, LoopIndex first, LoopIndex place);
  /// In words.
  [[nodiscard]] LoopIndex memory() const noexcept { return words_of(items_) + 2 * slots(); }
  [[nodiscard]] LoopIndex items_in(LoopIndex word, LoopIndex last) const noexcept;
  [[nodiscard]] FlagWord carry_into(LoopIndex word) const noexcept;
  [[nodiscard]] Result result() const noexcept;

  const LoopIndex items_;
  const Flag flag_;
  const Target target_;
  LoopIndex room_kept_ = std::numeric_limits<LoopIndex>::max();
  LoopIndex room_dropped_ = std::numeric_limits<LoopIndex>::max();
  LoopIndex end_;  // this and the next are written by the one run that finds no room
  LoopIndex kept_at_end_ = 0;
  static constexpr std::size_t kFew = 64;
  std::array<FlagWord, kFew> few_;  // the memory of a filter of about a thousand items
  Scratch<FlagWord> many_;          // that of more
  FlagWord* const words_;           // of runs that were summed up, and the last word of each run
  LoopIndex* const left_;           // for each slot: the items kept to the left of the run
  LoopIndex* const sum_;            // for each slot: the flags that are set in the run
};

}  // namespace blitz::detail
