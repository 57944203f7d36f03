/// @file
/// The flags of the items of an unstable partition, and the pairs of items to be exchanged.
#pragma once

#include <array>
#include <bit>
#include <cstddef>

#include "blitz/detail/algorithm/flags.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// A bit for each item, which says whether it belongs to the front. If `front()` items do, then as many of the first
/// front() items do not as of the others do: `misplaced()`. Pair k of these is to be exchanged, for all k, in any order.
///
/// First several threads write the flags of all batches, and call count_batch() for each; then one calls count(), which adds
/// up a number for 512 items; then all is const.
class BLITZ_API PartitionFlags {
 public:
  /// Throws std::bad_alloc.
  explicit PartitionFlags(LoopIndex items);

  [[nodiscard]] LoopIndex items() const noexcept { return items_; }
  [[nodiscard]] LoopIndex batches() const noexcept { return batches_; }
  /// The words of a batch, to be written; all bits of items that do not exist are to be 0.
  [[nodiscard]] FlagWord* batch(LoopIndex i) noexcept { return words_ + i * kBatchWords; }

  void count_batch(LoopIndex i) noexcept;
  void count() noexcept;
  [[nodiscard]] LoopIndex front() const noexcept { return before_[batches_]; }
  [[nodiscard]] LoopIndex misplaced() const noexcept { return front() - kept_in_front_; }

  /// Calls `f(i, j)` for the pairs [first, last): item i belongs behind, and j to the front, and i < j.
  template <class F>
  void for_each_pair(LoopIndex first, LoopIndex last, const F& f) const {
    Cursor behind = find<false>(first);
    Cursor front = find<true>(kept_in_front_ + first);
    for (; first != last; ++first) f(behind.next<false>(), front.next<true>());
  }

 private:
  struct Cursor {
    const FlagWord* words;
    LoopIndex word;
    FlagWord left;  // of this word

    template <bool kFlag>
    BLITZ_ALWAYS_INLINE LoopIndex next() noexcept {
      while (left == 0) left = kFlag ? words[++word] : ~words[++word];
      const auto bit = static_cast<LoopIndex>(std::countr_zero(left));
      left &= left - 1;
      return word * kFlags + bit;
    }
  };

  /// To the items whose bit is kFlag, from number `rank` on.
  template <bool kFlag>
  [[nodiscard]] Cursor find(LoopIndex rank) const noexcept;
  /// How many of the first `items` belong to the front.
  [[nodiscard]] LoopIndex front_of(LoopIndex items) const noexcept;

  const LoopIndex items_;
  const LoopIndex batches_;
  LoopIndex kept_in_front_ = 0;  // of the first front() items
  static constexpr std::size_t kFew = kBatchWords + 2;
  std::array<FlagWord, kFew> few_;  // the memory for one batch
  Scratch<FlagWord> many_;          // that for more
  FlagWord* const words_;
  LoopIndex* const before_;  // for each batch, and the end: how many items before it belong to the front
};

extern template PartitionFlags::Cursor PartitionFlags::find<false>(LoopIndex rank) const noexcept;
extern template PartitionFlags::Cursor PartitionFlags::find<true>(LoopIndex rank) const noexcept;

}  // namespace blitz::detail
