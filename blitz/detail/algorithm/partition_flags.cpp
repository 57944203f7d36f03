#include "blitz/detail/algorithm/partition_flags.hpp"

#include <utility>

namespace blitz::detail {

PartitionFlags::PartitionFlags(LoopIndex items)
    : items_(items),
      batches_(items / kBatch + (items % kBatch != 0 ? 1 : 0)),
      many_(batches_ <= 1 ? 0 : static_cast<std::size_t>(batches_ * kBatchWords + batches_ + 1)),
      words_(batches_ <= 1 ? few_.data() : many_.data()),
      before_(words_ + batches_ * kBatchWords) {}

void PartitionFlags::count_batch(LoopIndex i) noexcept {
  LoopIndex front = 0;
  for (LoopIndex word = 0; word < kBatchWords; ++word) {
    front += static_cast<LoopIndex>(std::popcount(words_[i * kBatchWords + word]));
  }
  before_[i] = front;
}

void PartitionFlags::count() noexcept {
  LoopIndex front = 0;
  for (LoopIndex i = 0; i < batches_; ++i) front += std::exchange(before_[i], front);
  before_[batches_] = front;
  kept_in_front_ = front_of(front);
}

LoopIndex PartitionFlags::front_of(LoopIndex items) const noexcept {
  LoopIndex front = before_[items / kBatch];
  for (LoopIndex word = items / kBatch * kBatchWords; word < items / kFlags; ++word) {
    front += static_cast<LoopIndex>(std::popcount(words_[word]));
  }
  if (items % kFlags == 0) return front;
  return front + static_cast<LoopIndex>(std::popcount(words_[items / kFlags] & low_flags(items % kFlags)));
}

template <bool kFlag>
PartitionFlags::Cursor PartitionFlags::find(LoopIndex rank) const noexcept {
  const auto word_at = [this](LoopIndex word) { return kFlag ? words_[word] : ~words_[word]; };
  const auto rank_of = [this](LoopIndex batch) { return kFlag ? before_[batch] : batch * kBatch - before_[batch]; };
  // The last batch that starts at this rank or a lower one.
  LoopIndex low = 0;
  for (LoopIndex high = batches_; high - low > 1;) {
    const LoopIndex middle = low + (high - low) / 2;
    (rank_of(middle) <= rank ? low : high) = middle;
  }
  rank -= rank_of(low);
  LoopIndex word = low * kBatchWords;
  for (;; ++word) {
    const auto here = static_cast<LoopIndex>(std::popcount(word_at(word)));
    if (rank < here) break;
    rank -= here;
  }
  FlagWord left = word_at(word);
  for (; rank > 0; --rank) left &= left - 1;
  return {words_, word, left};
}

template PartitionFlags::Cursor PartitionFlags::find<false>(LoopIndex rank) const noexcept;
template PartitionFlags::Cursor PartitionFlags::find<true>(LoopIndex rank) const noexcept;

}  // namespace blitz::detail
