#include "blitz/detail/algorithm/filter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace blitz::detail {

namespace {

constexpr LoopIndex kRunsInRing = 4;  // per thread

/// The number of set bits in `words` words.
LoopIndex count_flags(const FlagWord* flags, LoopIndex words) noexcept {
  LoopIndex count = 0;
  for (LoopIndex i = 0; i < words; ++i) count += static_cast<LoopIndex>(std::popcount(flags[i]));
  return count;
}

}  // namespace

Filter::Filter(const AlgorithmOptions& options, LoopIndex items, std::size_t bytes, Flag flag, Target target, void* out)
    : Chain(words_of(items), words_of(least_run(options, items, bytes)), false),
      items_(items),
      bytes_(bytes),
      flag_(flag),
      target_(target),
      written_(static_cast<std::byte*>(out)),
      end_(items),
      many_(are_few() ? 0 : static_cast<std::size_t>(memory())),
      words_(are_few() ? few_.data() : many_.data()),
      left_(words_ + words_of(items)),
      sum_(left_ + slots()),
      ring_positions_(ring_size(options)),
      ring_(ring_positions_ * kFlags * bytes) {
  left_[slot(0)] = 0;
}

/// In words: the size of a few runs per thread with the algorithm's own grain, at most a quarter of the items. `min_grain`
/// makes runs longer, but not the ring. There is no ring if it cannot hold a run.
LoopIndex Filter::ring_size(const AlgorithmOptions& options) const {
  if (written_ == nullptr || are_few()) return 0;
  const LoopIndex its_run = words_of(least_run({.pool = options.pool}, items_, bytes_));
  const LoopIndex size = std::min(kRunsInRing * threads_of(options) * its_run, words_of(items_) / 4);
  return grain() <= size ? size : 0;
}

/// The number of items of the words [word, last).
LoopIndex Filter::items_in(LoopIndex word, LoopIndex last) const noexcept {
  return std::min(last * kFlags, items_) - word * kFlags;
}

/// With Flag::kNext: the flag of the first item of this word, which is in the word before.
FlagWord Filter::carry_into(LoopIndex word) const noexcept {
  if (flag_ == Flag::kThis) return 0;
  return word == 0 ? 1 : words_[word - 1] >> (kFlags - 1);
}

template <class FlagsOf>
bool Filter::move_run(const Run& run, const FlagsOf& flags_of, LoopIndex& kept) {
  FlagWord carry = carry_into(run.first);
  for (LoopIndex word = run.first; word != run.last;) {
    const LoopIndex next_word = std::min(word + kBatchWords, run.last);
    const LoopIndex count = items_in(word, next_word);
    const LoopIndex first = word * kFlags;
    std::array<FlagWord, kBatchWords> bits;
    flags_of(word, next_word, bits.data());
    if (flag_ == Flag::kNext) {
      for (LoopIndex i = 0; i < next_word - word; ++i) {
        const FlagWord next = bits[i] >> (kFlags - 1);
        bits[i] = bits[i] << 1 | carry;
        carry = next;
      }
    }
    const LoopIndex more = count_flags(bits.data(), next_word - word);
    if (!has_room(first, kept, more, count - more)) [[unlikely]]
      return move_until_full(bits.data(), first, kept);
    move(bits.data(), first, count, kept);
    kept += more;
    word = next_word;
  }
  return false;
}

/// Moves as many items of a batch as there is room for, and records the end.
bool Filter::move_until_full(FlagWord* kept, LoopIndex first, LoopIndex place) {
  if (place > room_kept_ || first - place > room_dropped_) return true;  // The end is further to the left.
  LoopIndex room[] = {room_dropped_ - (first - place), room_kept_ - place};
  LoopIndex fit = 0;
  while (room[kept[fit / kFlags] >> fit % kFlags & 1]-- > 0) ++fit;
  kept[fit / kFlags] &= low_flags(fit % kFlags);
  end_ = first + fit;
  kept_at_end_ = place + count_flags(kept, fit / kFlags + 1);
  move(kept, first, fit, place);
  return true;
}

bool Filter::run_whole(const Run& run) {
  LoopIndex kept = left_[slot(run.first)];
  LoopIndex done = run.first;
  while (written_ != nullptr && done != run.last) {
    const LoopIndex next = std::min(done + kBatchWords, run.last);
    const LoopIndex count = items_in(done, next);
    if (!has_room(done * kFlags, kept, count, count)) break;
    kept += write(done * kFlags, count, written_ + kept * bytes_);
    done = next;
  }
  const auto ask = [this, &run](LoopIndex word, LoopIndex last, FlagWord* bits) {
    flag(word * kFlags, items_in(word, last), bits);
    if (last == run.last) words_[last - 1] = bits[last - 1 - word];
  };
  const bool ends = move_run({done, run.last}, ask, kept);
  if (ends) kept = room_kept_ + 1;  // So no run to the right finds room, whatever it keeps.
  left_[slot(run.last)] = kept;
  return ends;
}

/// Whether the run writes to the ring when it is summed up.
bool Filter::gathers(const Run& run) const noexcept {
  if (ring_positions_ == 0 || kept_all_.load(std::memory_order_relaxed)) return false;  // A hint: both ways are right.
  return run.first % ring_positions_ + (run.last - run.first) <= ring_positions_ &&
         run.last - done_below() <= ring_positions_ && has_room(0, 0, items_, items_);
}

void Filter::sum_up(const Run& run) {
  const bool gather = gathers(run);
  LoopIndex kept = 0;
  for (LoopIndex word = run.first; word != run.last;) {
    const LoopIndex last = std::min(word + kBatchWords, run.last);
    const LoopIndex count = items_in(word, last);
    if (gather) {
      kept += write(word * kFlags, count, gathered(run) + kept * bytes_);
    } else {
      flag(word * kFlags, count, words_ + word);
      kept += count_flags(words_ + word, last - word);
    }
    word = last;
  }
  sum_[slot(run.first)] = gather ? kept | kGathered : kept;
  const bool all = kept == items_in(run.first, run.last);
  if (all != kept_all_.load(std::memory_order_relaxed)) kept_all_.store(all, std::memory_order_relaxed);
}

void Filter::link(const Run& run) {
  LoopIndex sum = sum_[slot(run.first)] & ~kGathered;
  if (flag_ == Flag::kNext) sum = sum + carry_into(run.first) - (words_[run.last - 1] >> (kFlags - 1));
  left_[slot(run.last)] = left_[slot(run.first)] + sum;
}

bool Filter::finish(const Run& run) {
  LoopIndex kept = left_[slot(run.first)];
  if (const LoopIndex sum = sum_[slot(run.first)]; (sum & kGathered) != 0) {
    const LoopIndex count = sum & ~kGathered;
    // Items that are in place are not written: the run to the right may be reading the last of them.
    const bool stay = target_ == Target::kInput && kept + count == run.first * kFlags + items_in(run.first, run.last);
    if (!stay) std::memcpy(written_ + kept * bytes_, gathered(run), count * bytes_);
    return false;
  }
  const auto look_up = [this](LoopIndex word, LoopIndex last, FlagWord* bits) {
    std::copy(words_ + word, words_ + last, bits);
  };
  return move_run(run, look_up, kept);
}

LoopIndex Filter::needed(const Run& run) const noexcept {
  if (target_ == Target::kElsewhere) return 0;
  const LoopIndex kept = left_[slot(run.first)];
  return std::min(run.first, words_of(kept + (run.last - run.first) * kFlags));
}

Filter::Result Filter::result() const noexcept {
  return {end_ < items_ ? kept_at_end_ : left_[slot(words_of(items_))], end_};
}

}  // namespace blitz::detail
