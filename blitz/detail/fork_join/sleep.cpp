#include "blitz/detail/fork_join/sleep.hpp"

namespace blitz::detail {

Sleep::Sleep(std::size_t slots, std::uint64_t first_jec)
    : counters_(slots, first_jec, asymmetric_fences_available() ? AtomicCounters::kQuiet : AtomicCounters::kNever),
      count_(slots),
      searchers_(slots),
      slots_(make_array<Slot>(slots)),
      forks_(make_array<ForkHistory>(slots)) {}

bool Sleep::post(Waker waker, std::size_t offered) noexcept {
  asymmetric_light_fence();  // [announce]
  return post_and_wake(waker, offered);
}

Sleep::HalfOffer Sleep::new_half(std::size_t slot, const Job* half, std::uint64_t stolen) noexcept {
  const Counters counters = counters_.hint();
  // Where nobody need be woken, and no worker is about to sleep, there is nothing to withhold.
  if (!counters.sleepy() && (counters.sleeping() == 0 || searchers_.more_than(0)))
    return {.woke = post(Waker::kStaysBusy, 1)};
  ForkHistory& forks = forks_[slot];
  HalfOffer offer;
  const auto code = reinterpret_cast<std::uintptr_t>(half->execute);
  IdleSlot& own = slots_[slot];
  if (forks.begin(half, code, price_, own.series, stolen, ticks_now())) {
    offer.woke = post(own.waker(), 1);
  } else {
    own.refusals.joins_too_short.add();
  }
  offer.is_timed = forks.is_timed(half);
  offer.skips = forks.skips();
  return offer;
}

bool Sleep::post_and_wake(Waker waker, std::size_t offered) noexcept {
  const Counters counters = counters_.make_active();
  if (counters.sleeping() == 0) return false;
  std::size_t enough = offered;
  if (offered > 1) enough = enough_searchers(offered, num_active(counters.sleeping(), searchers_.hint()));
  return !searchers_.more_than(enough - 1) && wake_any(waker);
}

void Sleep::new_injected_jobs() noexcept {
  post_and_wake(Waker::kBlocks, 1);  // [inject]
}

bool Sleep::try_wake(std::size_t slot, Waker waker) noexcept {
  Slot& s = slots_[slot];
  State state = s.state.load(std::memory_order_seq_cst);
  // [claim] [latch]
  while (state != State::kAwake) {
    if (!s.state.compare_exchange_weak(state, State::kAwake, std::memory_order_seq_cst)) continue;
    if (state == State::kDrowsy) return true;  // Its runner fails to fall asleep, and searches again.
    Parker& parker = state == State::kVacant ? s.resident : *s.runner;
    unregister(slot);
    if (&parker == &s.resident && summon_) {
      summon_(slot);
    } else {
      s.unpark(parker, waker, price_);
    }
    return true;
  }
  return false;
}

bool Sleep::wake_any(Waker waker) noexcept {
  for (std::size_t slot = 1; slot < count_; ++slot) {
    if (try_wake(slot, waker)) return true;
  }
  return try_wake(0, waker);
}

void Sleep::hand_over(Slot& slot) noexcept {
  const auto index = static_cast<std::size_t>(&slot - slots_.get());
  unregister(index);
  slot.state.store(State::kAwake, std::memory_order_release);
  summon_ ? summon_(index) : slot.resident.unpark();
}

}  // namespace blitz::detail
