#include "blitz/detail/async/idle_state.hpp"

#include <algorithm>
#include <optional>

namespace blitz::detail {

IdleState::IdleState(std::size_t slots)
    : count_(slots),
      most_searchers_((slots + 1) / 2 + kSearchersBesidesHalf),
      words_count_((slots + IdleWord::kSlots - 1) / IdleWord::kSlots),
      words_(std::make_unique<AtomicIdleWord[]>(words_count_)),
      slots_(std::make_unique<Slot[]>(slots)) {
  for (std::size_t i = 0; i < words_count_; ++i) {
    words_[i].begin(std::min(slots - i * IdleWord::kSlots, IdleWord::kSlots));
  }
}

void IdleState::new_injected_jobs() noexcept {
  seq_cst_fence();  // [inject]
  if (needs_wake(std::memory_order_seq_cst)) wake_one(Waker::kBlocks);
}

bool IdleState::try_search(std::size_t slot) noexcept {
  AtomicIdleWord& mine = word_of(slot);
  std::size_t others = 0;
  for (std::size_t i = 0; i < words_count_; ++i) {
    if (&words_[i] != &mine) others += words_[i].load(std::memory_order_relaxed).searching();
  }
  return mine.try_search(most_searchers_, others);
}

bool IdleState::try_wake(std::size_t slot, Waker waker) noexcept {
  if (!word_of(slot).claim(bit_of(slot))) return false;
  notify(slot, waker);
  return true;
}

bool IdleState::wake_one(Waker waker, std::size_t enough) noexcept {
  for (std::size_t i = 0; i < words_count_; ++i) {
    if (const std::optional<std::size_t> bit = words_[i].claim_any(enough)) {
      notify(slot_at(i * IdleWord::kSlots + *bit), waker);
      return true;
    }
  }
  return false;
}

void IdleState::notify(std::size_t slot, Waker waker) noexcept {
  Slot& s = slots_[slot];
  if (s.runner == &s.resident && summon_) return summon_(slot);
  s.unpark(*s.runner, waker, price_);
}

void IdleState::cancel_park(Search& search) noexcept {
  search.parked = false;
  if (word_of(search.slot).unpark(bit_of(search.slot))) return;
  // A waker was faster: this worker is counted as searching, and must take the notification.
  Slot& s = slots_[search.slot];
  Slot::count(s.sleeps);  // Each wake-up ends one sleep.
  s.runner->park();
  begin_to_run(s, search);
  search.counted = true;
}

void IdleState::return_claim(std::size_t slot) noexcept {
  // The slot has been run since it was seen vacant, and its runner has parked it again: to that runner this is a
  // wake-up.
  word_of(slot).add_searching();
  notify(slot, Waker::kBlocks);
}

IdleState::Idle IdleState::idle(std::memory_order order) const noexcept {
  Idle sum;
  for (std::size_t i = 0; i < words_count_; ++i) {
    const IdleWord word = words_[i].load(order);
    sum.searching += word.searching();
    sum.parked += word.parked();
  }
  return sum;
}

}  // namespace blitz::detail
