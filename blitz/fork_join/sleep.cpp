#include "blitz/fork_join/sleep.hpp"

#include <algorithm>

namespace blitz::detail {
namespace {

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Sleep::Sleep(std::size_t slots, std::uint32_t first_jec)
    : counters_(slots, first_jec),
      quiet_(asymmetric_fences_available() ? AtomicCounters::kQuiet : AtomicCounters::kNever),
      count_(slots),
      slots_(std::make_unique<Slot[]>(slots)) {}

void Sleep::post() noexcept {
  asymmetric_light_fence();  // [announce]
  post_and_wake(Waker::kStaysBusy);
}

void Sleep::post_and_wake(Waker waker) noexcept {
  const Counters counters = counters_.post();
  // One, however many jobs wait: whoever finds one wakes the next.
  if (counters.sleeping() > 0 && counters.awake_but_idle() == 0) wake_any(waker);
}

void Sleep::new_injected_jobs() noexcept {
  post_and_wake(Waker::kBlocks);  // [inject]
  // The one awake worker may be napping: an outside caller is waiting for this job, and has nothing else to do.
  if (watched_.load(std::memory_order_acquire)) watchman_.unpark();
}

bool Sleep::try_wake(std::size_t slot, Waker waker) noexcept {
  Slot& s = slots_[slot];
  State state = s.state.load(std::memory_order_seq_cst);
  // [claim] [latch]
  while (state != State::kAwake) {
    if (!s.state.compare_exchange_weak(state, State::kAwake, std::memory_order_seq_cst)) continue;
    if (state == State::kDrowsy) return true;  // It finds out when it tries to fall asleep, and searches again.
    Parker& parker = state == State::kVacant ? s.resident : *s.runner;
    counters_.sub_sleeping();
    count(s.woken);
    if (waker == Waker::kStaysBusy && &parker == &s.resident) s.placement.keep_off_this_processor();
    parker.unpark();
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
  counters_.sub_sleeping();
  slot.state.store(State::kAwake, std::memory_order_release);
  slot.resident.unpark();
}

void Sleep::note_success(Search& search) noexcept {
  int& late = slots_[search.slot].late;
  if (late > 0) --late;
  search.woken = false;
  if (search.watching) watched_.store(false, std::memory_order_release);
  search.watching = false;
}

void Sleep::note_late_wake(Search& search) noexcept {
  int& late = slots_[search.slot].late;
  late = late < 6 ? late + 2 : 8;  // Twice what a wake-up in time takes away.
  search.woken = false;
}

bool Sleep::keeps_watch(Search& search) noexcept {
  int& late = slots_[search.slot].late;
  if (!search.watching) {
    if (late <= 0 || watched_.exchange(true, std::memory_order_acquire)) return false;
    search.watching = true;
    search.watch_end = now_ns() + std::chrono::nanoseconds(kWatch).count();
  }
  if (now_ns() < search.watch_end) {
    watchman_.park_for(search.nap);
    search.nap = std::min(2 * search.nap, kLongNap);
    return true;
  }
  late = -kForgiven;
  search.watching = false;
  watched_.store(false, std::memory_order_release);
  return false;
}

}  // namespace blitz::detail
