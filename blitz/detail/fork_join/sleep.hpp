/// The idle protocol of the default backend: progressive sleep with a jobs-event counter (JEC), and the claim by which
/// a slot is woken or borrowed. blitz/policy.hpp describes the members of an IdleProtocol; README.md beside this file
/// has the protocol, and the proof that no wake-up is lost.
///
/// In short: a worker that finds nothing yields for 32 rounds, announces itself, searches once more, registers as sleeping
/// unless a job was posted since the announcement, looks at the injector, and blocks. If no other slot searches, it makes a
/// heavy fence before that last search, and if only the registration shows this, it undoes the registration. A poster makes the
/// JEC active, and wakes one slot if some sleep and none searches; the poster of a join's half, which its owner runs before it
/// sleeps, does so only if that is worth a wake-up. A worker that finds a job passes the wake-up on.
///
/// The state of a slot:
///
///           runner: sleep()              runner: no job, no waker
///   kAwake ----------------> kDrowsy ------------------------> kAsleep   its runner is blocked, waiting for a latch
///      ^                        |                          \-> kVacant   it has no runner; its resident is blocked
///      |                        |                                  |
///      +------------------------+----------------------------------+
///        claimed, by one compare-exchange: by a waker, or from kVacant by an outside thread that borrows the slot
///
/// A thread that claims a slot from kAsleep or kVacant to wake it counts it as searching and subtracts it from the `sleeping` count.
/// After a claim from kDrowsy the runner does so, when it fails to fall asleep.
///
/// Who may call what:
///   all_awake, new_jobs, new_half, fork_ended, weigh_help,
///   start_looking, work_found, no_work_found, give_back             the slot's runner
///   adopt_resident, then first_search, before all else              the slot's resident
///   try_borrow                                                      a thread outside the pool
///   all others                                                      any thread
///
/// Pairs:
///   [announce]  the last searcher: JEC sleepy, heavy fence, search  <->  all_awake: push, light fence, counters load
///   [inject]    sleep, give_back: registration, injector load    <->  new_injected_jobs: push, counters load
///   [claim]     sleep, give_back: state exchange (release)        ->  try_wake, try_borrow: state exchange (acquire)
///   [register]  sleep, give_back: state kDrowsy, registration     ->  try_wake: counters load, then state load
///   [latch]     give_back: state exchange, resident_wanted load  <->  the resident's latch is set, or a job sent to its
///                                                                      slot, then try_wake: state load
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/fork_join/atomic_counters.hpp"
#include "blitz/detail/fork_join/searchers.hpp"
#include "blitz/detail/sys/placement.hpp"
#include "blitz/detail/wake/fan_out.hpp"
#include "blitz/detail/wake/fork_history.hpp"
#include "blitz/detail/wake/idle_slot.hpp"
#include "blitz/detail/wake/linger.hpp"
#include "blitz/detail/wake/wake_price.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

class Sleep {
 public:
  static constexpr std::size_t kMaxSlots = AtomicCounters::kMaxSlots;

  /// One worker's search for work, from start_looking to work_found.
  struct Search {
    std::size_t slot;
    std::uint64_t jec = 0;     ///< Valid once announced.
    bool announced = false;    ///< At the next round the worker sleeps, unless something is posted.
    bool looked_last = false;  ///< That round's search sees each job whose poster has not seen the announcement.
    Idling idling{};
  };

  /// `slots` vacant slots. Throws std::bad_alloc.
  BLITZ_API explicit Sleep(std::size_t slots, std::uint64_t first_jec = 0);
  Sleep(const Sleep&) = delete;
  Sleep& operator=(const Sleep&) = delete;

  // --- posting ---

  /// Without asymmetric fences never true: post makes the full fence then.
  [[nodiscard]] bool all_awake() const noexcept { return counters_.all_awake(); }

  void new_jobs() noexcept {
    if (!all_awake()) post(Waker::kStaysBusy, 1);
  }
  /// The runner of `slot` has `offered` jobs on offer. Wakes a worker if fewer search than enough_searchers().
  bool new_jobs(std::size_t slot, std::size_t offered) noexcept {
    return !all_awake() && post(slots_[slot].waker(), offered);
  }

  /// The result of new_half.
  struct HalfOffer {
    bool woke = false;      ///< A worker was woken.
    bool is_timed = false;  ///< fork_ended is to be called.
    unsigned skips = 0;     ///< The next halves, so many at most and until fork_ended, are withheld without a call.
  };
  /// Replaces new_jobs for a job that the runner will take back or wait for, if not all are awake. It need not wake a worker,
  /// because the owner runs the half before it sleeps. `stolen`: see policy::ThriftyIdle.
  BLITZ_API HalfOffer new_half(std::size_t slot, const Job* half, std::uint64_t stolen) noexcept;
  /// The fork that offered this half has ended, or thrown. `stolen`: the half had been taken, usually by another worker. Called
  /// for each timed offer, and perhaps for others.
  void fork_ended(std::size_t slot, const Job* half, bool stolen) noexcept { forks_[slot].end(half, stolen); }

  BLITZ_API void new_injected_jobs() noexcept;

  // --- searching ---

  [[nodiscard]] Search start_looking(std::size_t slot) noexcept {
    searchers_.add(slot);
    return {.slot = slot};
  }

  void adopt_resident(std::size_t slot) noexcept { slots_[slot].placement.adopt(); }

  void summon_by(void (*call)(void* team, std::size_t slot) noexcept, void* team) noexcept { summon_ = {call, team}; }
  [[nodiscard]] Search summoned(std::size_t slot) noexcept {
    slots_[slot].runner = &slots_[slot].guest;
    return {.slot = slot};
  }

  [[nodiscard]] Search first_search(std::size_t slot) noexcept {
    Slot& s = slots_[slot];
    Search search{.slot = slot};
    s.resident.park();
    s.woken(search.idling, price_);
    return search;
  }

  void work_found(Search& search) noexcept {
    searchers_.sub(search.slot);
    // In this order: a slot that registers after this look sees that this one does not search.
    if (counters_.load().sleeping() > 0 && !searchers_.more_than(0)) wake_any(Waker::kStaysBusy);
  }

  /// Yields, announces, or sleeps, depending on how long the search has lasted.
  template <SleepableLatch Latch, class Injected>
  void no_work_found(Search& search, Latch& latch, Rest rest, Injected&& injected) noexcept {
    if (search.announced) {
      sleep(search, latch, rest, injected);
    } else if (!slots_[search.slot].linger(search.idling, search.slot, rest == Rest::kVacate, latch, price_)) {
      // No yield after this: until the worker has registered, the next post must change the counters.
      const Counters counters = counters_.announce_sleepy();
      search.jec = counters.jec();
      search.announced = true;
      search.looked_last = false;
      if (!searchers_.more_than(1)) look_last(search, counters);
    }
  }

  // --- waking ---

  BLITZ_API bool try_wake(std::size_t slot, Waker waker = Waker::kBlocks) noexcept;

  /// Wakes one sleeping slot, slot 0 only if no other sleeps. Returns whether there was one.
  BLITZ_API bool wake_any(Waker waker = Waker::kBlocks) noexcept;

  // --- borrowing ---

  [[nodiscard]] bool try_borrow(std::size_t slot) noexcept {
    Slot& s = slots_[slot];
    auto expected = State::kVacant;
    if (s.state.load(std::memory_order_relaxed) != expected) return false;
    // [claim]
    if (!s.state.compare_exchange_strong(expected, State::kAwake, std::memory_order_seq_cst)) return false;
    counters_.sub_sleeping();
    s.runner = &s.guest;
    return true;
  }

  template <class ResidentWanted, class Injected, class QueuesEmpty>
  void give_back(std::size_t slot, bool own_empty, const ResidentWanted& resident_wanted, Injected&& injected,
                 QueuesEmpty&& queues_empty) noexcept {
    if (others_sleep(counters_.load())) [[likely]]
      return give_back_now(slot, own_empty, resident_wanted, injected, queues_empty);
    give_back_later<ByValue<ResidentWanted>>(slot, own_empty, resident_wanted, injected, queues_empty);
  }

  template <class ResidentWanted, class Injected, class QueuesEmpty>
  void retire(Search& search, const ResidentWanted& resident_wanted, Injected&& injected,
              QueuesEmpty&& queues_empty) noexcept {
    Slot& s = slots_[search.slot];
    s.runner = &s.resident;
    s.state.store(State::kDrowsy, std::memory_order_release);
    searchers_.sub(search.slot);
    const Counters counters = counters_.add_sleeping();  // [register] [inject]
    if (counters.sleeping() == count_) return leave(s, search.slot, resident_wanted, injected);
    leave_active<const ResidentWanted&>(s, search.slot, resident_wanted, injected, queues_empty);
  }

  // --- for loops and statistics ---

  [[nodiscard]] Audience audience(std::size_t offered) const noexcept {
    const std::size_t sleeping = counters_.hint().sleeping(), searching = searchers_.hint();
    if (!wants_more(sleeping + searching, offered)) return Audience::kNobody;
    return searching > enough_searchers(offered, num_active(sleeping, searching)) ? Audience::kSearches
                                                                                  : Audience::kSleeps;
  }
  [[nodiscard]] Ticks weigh_help(std::size_t slot, Ticks work, std::uint64_t stolen) noexcept {
    return slots_[slot].weigh_help(work, stolen, count_ - counters_.hint().sleeping(), price_);
  }

  [[nodiscard]] Counters counters() const noexcept { return counters_.load(); }
  [[nodiscard]] std::size_t num_searching() const noexcept { return searchers_.hint(); }
  [[nodiscard]] std::size_t num_parked() const noexcept { return counters_.hint().sleeping(); }
  /// For HotWorker.
  [[nodiscard]] const AtomicCounters& word() const noexcept { return counters_; }
  [[nodiscard]] std::uint64_t times_slept(std::size_t slot) const noexcept {
    return slots_[slot].sleeps.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t times_woken(std::size_t slot) const noexcept {
    return slots_[slot].wakes.load(std::memory_order_relaxed);
  }
  [[nodiscard]] const Refusals& refusals(std::size_t slot) const noexcept { return slots_[slot].refusals; }

 private:
  enum class State : std::uint32_t { kAwake, kDrowsy, kAsleep, kVacant };

  /// `runner` is written while kAwake, and read by a claim from kAsleep.
  struct alignas(kCacheLine) Slot : IdleSlot {
    Atomic<State> state{State::kVacant};  // written by the runner and by the thread that claims the slot
  };

  /// Before the last search of the last searcher. While all other slots sleep, all posters have looked at the counters; one that
  /// becomes active changes the counters first.
  void look_last(Search& search, Counters counters) noexcept {
    if (!others_sleep(counters)) asymmetric_heavy_fence();  // [announce]
    search.looked_last = true;
  }

  /// Whether all slots except that of the caller, which does not, sleep.
  [[nodiscard]] bool others_sleep(Counters counters) const noexcept { return counters.sleeping() + 1 == count_; }

  /// The number of active slots, the caller's among them. A hint: they were counted one after another.
  [[nodiscard]] std::size_t num_active(std::size_t sleeping, std::size_t searching) const noexcept {
    return count_ > sleeping + searching ? count_ - sleeping - searching : 1;
  }

  template <SleepableLatch Latch, class Injected>
  void sleep(Search& search, Latch& latch, Rest rest, Injected&& injected) noexcept {
    Slot& s = slots_[search.slot];
    if (!latch.get_sleepy()) return;
    // Before the latch sleeps: a setter that finds it asleep must be able to claim the slot.
    s.state.store(State::kDrowsy, std::memory_order_seq_cst);
    if (!latch.fall_asleep()) {
      s.state.store(State::kAwake, std::memory_order_release);
      return;
    }
    if (!try_register(search)) {
      s.state.store(State::kAwake, std::memory_order_release);
      latch.woke();
      return;
    }
    auto expected = State::kDrowsy;
    const State asleep = rest == Rest::kVacate ? State::kVacant : State::kAsleep;
    // [claim]
    if (!injected() && s.state.compare_exchange_strong(expected, asleep, std::memory_order_seq_cst)) {
      Slot::count(s.sleeps);
      price_.sleeps(ticks_now());
      (rest == Rest::kVacate ? s.resident : *s.runner).park();
      s.woken(search.idling, price_);
    } else {
      unregister(search.slot);
      s.state.store(State::kAwake, std::memory_order_release);
      search.idling.rounds = 0;
      pause_search(search.slot, latch);  // The resident of slot 0 would search without a pause.
    }
    latch.woke();
    search.announced = false;
  }

  /// The slot is counted as sleeping, no longer as searching. If no other slot searches then, it must have looked last. If it has
  /// not, or if a job was posted since its announcement, it searches again.
  [[nodiscard]] bool try_register(Search& search) noexcept {
    searchers_.sub(search.slot);  // First: a poster that sees this slot search must be one that it has not overlooked.
    if (!counters_.try_add_sleeping(search.jec)) {  // [register] [inject]
      searchers_.add(search.slot);
      search.announced = false;  // One search, then a new announcement.
      return false;
    }
    if (search.looked_last || searchers_.more_than(0)) return true;
    unregister(search.slot);
    look_last(search, counters_.load());
    return false;
  }
  void unregister(std::size_t slot) noexcept {
    searchers_.add(slot);
    counters_.sub_sleeping();
  }

  template <class T>
  using ByValue = std::conditional_t<std::is_copy_constructible_v<T>, T, const T&>;

  /// Waits a moment until another slot searches, or all sleep, so that it is known that the slot may be left. Out of line, and with
  /// arguments that can be copied by value: so all calls of give_back are tail calls, and it saves no registers.
  template <class ResidentWanted, class Injected, class QueuesEmpty>
  BLITZ_COLD void give_back_later(std::size_t slot, bool own_empty, ResidentWanted resident_wanted, Injected injected,
                                  QueuesEmpty queues_empty) noexcept {
    wait_a_moment_until([this]() noexcept { return others_sleep(counters_.load()) || searchers_.more_than(0); });
    give_back_now(slot, own_empty, resident_wanted, injected, queues_empty);
  }
  template <class ResidentWanted, class Injected, class QueuesEmpty>
  BLITZ_ALWAYS_INLINE void give_back_now(std::size_t slot, bool own_empty, const ResidentWanted& resident_wanted,
                                         const Injected& injected, const QueuesEmpty& queues_empty) noexcept {
    Slot& s = slots_[slot];
    s.runner = &s.resident;
    if (!own_empty) [[unlikely]] {
      searchers_.add(slot);
      s.resident.unpark();
      return;
    }
    s.state.store(State::kDrowsy, std::memory_order_release);
    const Counters counters = counters_.add_sleeping();  // [register] [inject]
    if (counters.sleeping() == count_) [[likely]]
      return leave(s, slot, resident_wanted, injected);
    leave_active<ByValue<ResidentWanted>>(s, slot, resident_wanted, injected, queues_empty);
  }

  /// The end of give_back, for a slot that is drowsy and registered.
  template <class ResidentWanted, class Injected>
  BLITZ_ALWAYS_INLINE void leave(Slot& s, std::size_t slot, const ResidentWanted& resident_wanted,
                                 const Injected& injected) noexcept {
    auto expected = State::kDrowsy;
    // [claim] [latch]
    if (injected() || !s.state.compare_exchange_strong(expected, State::kVacant, std::memory_order_seq_cst))
        [[unlikely]]
      return hand_over(s);
    if (resident_wanted.probe()) [[unlikely]]
      try_wake(slot);  // [latch]
  }
  /// The end of give_back while some slot does not sleep. Unless one searches, an active one may have pushed jobs while none slept.
  /// What it pushes from now on wakes this slot.
  template <class ResidentWanted, class Injected, class QueuesEmpty>
  BLITZ_COLD void leave_active(Slot& s, std::size_t slot, ResidentWanted resident_wanted, Injected injected,
                               QueuesEmpty queues_empty) noexcept {
    if (!searchers_.more_than(0)) {
      asymmetric_heavy_fence();
      if (!queues_empty()) return hand_over(s);
    }
    leave(s, slot, resident_wanted, injected);
  }

  BLITZ_COLD BLITZ_API bool post(Waker waker, std::size_t offered) noexcept;
  bool post_and_wake(Waker waker, std::size_t offered) noexcept;
  BLITZ_COLD BLITZ_API void hand_over(Slot& slot) noexcept;

  AtomicCounters counters_;
  std::size_t count_;
  Searchers searchers_;
  OwnedArray<Slot> slots_;
  Summoner summon_;
  OwnedArray<ForkHistory> forks_;  // each the runner's of that slot; apart, so that slots are small
  static_assert(alignof(WakePrice) % kCacheLine == 0, "a push reads what is above, and the price is written often");
  WakePrice price_;
};

}  // namespace blitz::detail
