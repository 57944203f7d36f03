/// The four-state latch of a wait: the worker searches for jobs, and at last sleeps; the setter learns whether it must
/// wake the worker.
///
///   kUnset --get_sleepy--> kSleepy --fall_asleep--> kSleeping --woke--> kUnset
///      \_____________________|__________________________|____set____________> kSet   (for good)
///
/// kSleepy is the way from the last probe to sleep: a worker that a setter finds there does not fall asleep.
///
/// Who may call what: set, once, any thread; probe, any thread; the others, the worker that waits. After set the latch
/// may be gone: its owner may have seen it and returned.
///
/// Source: CoreLatch of rayon-core.
///
/// Pairs:
///   [set]  set: state_.exchange(release and more)  ->  probe: state_.load(acquire and more)
#pragma once

#include <cassert>
#include <cstdint>

#include "blitz/base/atomic.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

class CoreLatch {
 public:
  CoreLatch() = default;
  CoreLatch(const CoreLatch&) = delete;
  CoreLatch& operator=(const CoreLatch&) = delete;

  /// Whether the latch is set; if so, all that came before set() is visible. Sequentially consistent: a thread that has
  /// just made a slot vacant probes, and so sees a set() whose caller found the slot still taken and woke nobody.
  [[nodiscard]] bool probe() const noexcept { return state_.load(std::memory_order_seq_cst) == State::kSet; }  // [set]

  /// Sets the latch. Returns whether its worker is asleep, or about to be, so that the caller must wake it.
  /// Sequentially consistent, so that the caller then reads the state of the worker's slot in order.
  [[nodiscard]] bool set() noexcept {
    return state_.exchange(State::kSet, std::memory_order_seq_cst) == State::kSleeping;  // [set]
  }

  /// The worker begins to prepare for sleep. False: the latch is set.
  [[nodiscard]] bool get_sleepy() noexcept { return advance(State::kUnset, State::kSleepy); }

  /// The worker has prepared: from now on a setter wakes it. False: the latch is set.
  [[nodiscard]] bool fall_asleep() noexcept { return advance(State::kSleepy, State::kSleeping); }

  /// After fall_asleep has returned true: tells the latch that its worker is awake again, for any reason.
  void woke() noexcept { (void)advance(State::kSleeping, State::kUnset); }

 private:
  enum class State : std::uint32_t { kUnset, kSleepy, kSleeping, kSet };

  bool advance(State from, State to) noexcept {
    State seen = from;
    if (state_.compare_exchange_strong(seen, to, std::memory_order_seq_cst)) return true;
    assert(seen == State::kSet);
    return false;
  }

  Atomic<State> state_{State::kUnset};  // written by the worker, and once by the setter
};

static_assert(SleepableLatch<CoreLatch>);

}  // namespace blitz::detail
