/// The four-state latch: a worker waits for it by searching, and at last by sleeping; whoever sets it learns whether
/// the worker must be woken.
///
///   kUnset --get_sleepy--> kSleepy --fall_asleep--> kSleeping --woke--> kUnset
///      \_____________________|__________________________|____set____________> kSet   (for good)
///
/// Two states would not do: a worker that had probed the latch and was on its way to sleep would look to the setter
/// like one that is awake. kSleepy is that way.
///
/// Who may call what: set, once, anyone; probe, anyone; the others, the one worker that waits. After set the latch may
/// be gone: its owner may have seen it and returned.
///
/// Source: CoreLatch of rayon-core.
///
/// Pairs:
///   [set]  set: state_.exchange(release)  ->  probe: state_.load(acquire and more)
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

  /// Whether the latch has been set; if so, all that came before set() is visible. Sequentially consistent: whoever has
  /// just made a worker's slot vacant asks here whether a setter came by before and found nobody to wake.
  [[nodiscard]] bool probe() const noexcept { return state_.load(std::memory_order_seq_cst) == State::kSet; }  // [set]

  /// Sets it. Returns whether its worker is asleep, or about to be, and must be woken by the caller. Sequentially
  /// consistent, so that the caller may then look at the worker's own state.
  [[nodiscard]] bool set() noexcept {
    return state_.exchange(State::kSet, std::memory_order_seq_cst) == State::kSleeping;  // [set]
  }

  /// The worker is about to prepare for sleep. False if the latch is set.
  [[nodiscard]] bool get_sleepy() noexcept { return advance(State::kUnset, State::kSleepy); }

  /// The worker has prepared: from now on a setter wakes it. False if the latch is set.
  [[nodiscard]] bool fall_asleep() noexcept { return advance(State::kSleepy, State::kSleeping); }

  /// The worker is awake again, whatever woke it.
  void woke() noexcept {
    if (!probe()) (void)advance(State::kSleeping, State::kUnset);
  }

 private:
  enum class State : std::uint32_t { kUnset, kSleepy, kSleeping, kSet };

  bool advance(State from, State to) noexcept {
    State seen = from;
    if (state_.compare_exchange_strong(seen, to, std::memory_order_seq_cst)) return true;
    assert(seen == State::kSet);
    return false;
  }

  Atomic<State> state_{State::kUnset};  // written by the worker and, once, by the setter
};

static_assert(SleepableLatch<CoreLatch>);

}  // namespace blitz::detail
