/// The state of a slot in the idle protocols of both backends: its threads block on its parkers, and its wake-ups are measured.
///
/// A waker calls unpark, after it has claimed the slot; the runner calls all other functions. The word of the protocol
/// publishes the writes of each to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/single_writer_counter.hpp"
#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/sys/parker.hpp"
#include "blitz/detail/sys/placement.hpp"
#include "blitz/detail/wake/linger.hpp"
#include "blitz/detail/wake/wake_price.hpp"

namespace blitz::detail {

/// In a team without residents: the function that takes the place of a wake-up of a resident. Constant once the team is used.
struct Summoner {
  explicit operator bool() const noexcept { return call != nullptr; }
  void operator()(std::size_t slot) const noexcept { call(team, slot); }

  void (*call)(void* team, std::size_t slot) noexcept = nullptr;
  void* team = nullptr;
};

/// The wake-ups that the runner of a slot refused, see WorkerStats. Written by the runner.
struct Refusals {
  SingleWriterCounter loops_too_short, joins_too_short, no_free_processor;
};

/// How long a runner has been without work.
struct Idling {
  unsigned rounds = 0;        ///< Searches since it began, or last slept.
  Ticks since = ticks_now();  ///< When it began, or the resident was last woken for work.
};

struct IdleSlot {
  /// The runner of `slot` has found nothing. Pauses, and returns true if it is to search on before it prepares to sleep. It
  /// `vacates` if it is the resident and has no job. In slot 0 it then prepares immediately, so that an outside caller finds the
  /// slot vacant sooner.
  template <class Latch>
  [[nodiscard]] bool linger(Idling& idling, std::size_t slot, bool vacates, const Latch& latch,
                            const WakePrice& price) noexcept {
    if (slot == 0 && vacates) return false;
    if (idling.rounds < rounds_of_search(slot)) {
      ++idling.rounds;
    } else if (!vacates || !patience.lasts(idling.since, price)) {
      return false;
    }
    pause_search(slot, latch);
    return true;
  }

  /// Wakes the thread that blocks on `parker`. If a waker that stays busy wakes a resident for work, the resident is sent to
  /// another processor, and the wake-up is timed. The caller of a series is also such a waker.
  void unpark(Parker& parker, Waker waker, WakePrice& price) noexcept {
    count(wakes);
    if (waker == Waker::kBlocks || &parker != &resident) return parker.unpark();
    for_series = waker == Waker::kCallsAgain;
    const Ticks began = wake_began = ticks_now();
    placement.keep_off_this_processor();
    parker.unpark();
    price.learn_cost(ticks_between(began, ticks_now()), began);
  }

  /// The runner runs again.
  void woken(Idling& idling, WakePrice& price) noexcept {
    idling.rounds = 0;
    if (runner != &resident) return;
    placement.restore();
    if (const Ticks began = std::exchange(wake_began, 0)) {
      const Ticks now = ticks_now();
      price.learn(ticks_between(began, now), ticks_between(idling.since, began));
      patience.woken(idling.since, began, for_series);
      idling.since = now;
    }
  }

  /// See policy::ThriftyIdle. `awake`: the number of slots with a running thread.
  [[nodiscard]] Ticks weigh_help(Ticks work, std::uint64_t stolen, std::size_t awake, WakePrice& price) noexcept {
    if (price.is_crowded_out(work, awake)) {
      refusals.no_free_processor.add();
      return 0;
    }
    const Ticks now = ticks_now();
    if (!price.weigh(work, now) && !series.add(work, price, stolen, now)) {
      refusals.loops_too_short.add();
      return 0;
    }
    return price.at(now).delay();
  }
  /// The runner wakes a worker, and goes on.
  [[nodiscard]] Waker waker() noexcept { return series.take_promise() ? Waker::kCallsAgain : Waker::kStaysBusy; }

  /// For statistics. Relaxed: a count.
  static void count(Atomic<std::uint64_t>& events) noexcept { events.fetch_add(1, std::memory_order_relaxed); }

  Placement placement;  // of the resident
  Patience patience;    // the resident's
  // These two are written by a waker with work, and read by the woken resident.
  Ticks wake_began = 0;  // 0: woken otherwise
  bool for_series = false;
  Series series;  // the runner's
  Refusals refusals;
  Atomic<std::uint64_t> sleeps{0};
  Atomic<std::uint64_t> wakes{0};
  Parker resident;             // blocks the slot's own thread
  Parker guest;                // blocks a thread that has borrowed the slot and waits for a latch
  Parker* runner = &resident;  // blocks the runner, which writes it
};

}  // namespace blitz::detail
