/// @file
/// The flags of the items of an unstable partition, and the pairs of items to exchange.
#pragma once

#include <array>
#include <bit>
#include <cstddef>

#include "blitz/detail/algorithm/flags.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// A bit per item: whether the item belongs to the front. `front()` items do. The number of the first front() items that do not
/// belong there equals the number of the other items that do: `misplaced()`. To partition, exchange pair k of these for all k,
/// in any order.
///
/// First several threads write the flags of all batches, and call count_batch() for each. Then one thread calls count(), which
/// adds up one number per 512 items. Afterwards the object is const.
class BLITZ_API PartitionFlags {
 public:
  /// Throws std::bad_alloc.
  explicit PartitionFlags(LoopIndex items);

  [[nodiscard]] LoopIndex items() const noexcept { return items_; }
  [[nodiscard]] LoopIndex batches() const noexcept { return batches_; }
  /// The words of a batch, which the caller writes. Bits after the last item must be 0.
  [[nodiscard]] FlagWord* batch(LoopIndex i) noexcept { return words_ + i * kBatchWords; }

  void count_batch(LoopIndex i) noexcept;
  void count() noexcept;
  [[nodiscard]] LoopIndex front() const noexcept { return before_[batches_]; }
  [[nodiscard]] LoopIndex misplaced() const noexcept { return front() - kept_in_front_; }

  /// Calls `f(i, j)` for the pairs [first, last): i < j, item i does not belong to the front, and item j does.
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
    FlagWord left;  // the remaining bits of this word

    template <bool kFlag>
    BLITZ_ALWAYS_INLINE LoopIndex next() noexcept {
      while (left == 0) left = kFlag ? words[++word] : ~words[++word];
      const auto bit = static_cast<LoopIndex>(std::countr_zero(left));
      left &= left - 1;
      return word * kFlags + bit;
    }
  };

  /// A cursor to the items with bit kFlag, starting with number `rank` of them.
  template <bool kFlag>
  [[nodiscard]] Cursor find(LoopIndex rank) const noexcept;
  /// The number of the first `items` items that belong to the front.
  [[nodiscard]] LoopIndex front_of(LoopIndex items) const noexcept;

  const LoopIndex items_;
  const LoopIndex batches_;
  LoopIndex kept_in_front_ = 0;  // the number of the first front() items that belong there
  static constexpr std::size_t kFew = kBatchWords + 2;
  std::array<FlagWord, kFew> few_;  // the memory for one batch
  Scratch<FlagWord> many_;          // the memory for more batches
  FlagWord* const words_;
  LoopIndex* const before_;  // for each batch and the end: the number of items before it that belong to the front
};

extern template PartitionFlags::Cursor PartitionFlags::find<false>(LoopIndex rank) const noexcept;
extern template PartitionFlags::Cursor PartitionFlags::find<true>(LoopIndex rank) const noexcept;

}  // namespace blitz::detail
