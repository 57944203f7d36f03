/// The idle protocol of the default backend: progressive sleep over the counters and the jobs-event counter, and the
/// claim by which a slot is woken, or borrowed.
///
/// README.md beside this file has the protocol in words and the proof that no wake-up is lost. In short: a worker that
/// finds nothing yields for 32 rounds, announces itself sleepy, makes a heavy fence, searches once more, registers as
/// sleeping unless something was posted since the announcement, looks at the injector, and blocks. A poster makes the
/// JEC active, and wakes one slot if some sleep and none searches. Whoever finds a job passes the wake-up on.
///
/// A slot's state says who may make it run:
///
///           runner: sleep()              runner: nothing came
///   kAwake ----------------> kDrowsy ------------------------> kAsleep   its runner is blocked, waiting for a latch
///      ^                        |                          \-> kVacant   nobody runs it; its resident is blocked
///      |                        |                                  |
///      +------------------------+----------------------------------+
///        any waker, or (from kVacant) an outside thread that borrows the slot: one compare-exchange, one winner
///
/// Leaving kAsleep or kVacant takes the slot out of the `sleeping` count, and is done by the one who claimed it;
/// leaving kDrowsy leaves the count to the runner, who finds out when it cannot fall asleep.
///
/// Who may call what:
///   new_jobs, start_looking, work_found, no_work_found, give_back   the slot's runner
///   adopt_resident, then first_search, before all else              the slot's resident
///   try_borrow                                                      a thread outside the pool
///   all others                                                      any thread
///
/// Pairs:
///   [announce]  no_work_found: JEC sleepy, heavy fence, search   <->  new_jobs: push, light fence, counters load
///   [inject]    sleep, give_back: registration, injector load    <->  new_injected_jobs: push, counters load
///   [claim]     sleep, give_back: state exchange (release)        ->  try_wake, try_borrow: state exchange (acquire)
///   [register]  sleep, give_back: state kDrowsy, registration     ->  try_wake: counters load, then state load
///   [latch]     give_back: state exchange, resident_wanted load  <->  the resident's latch is set, or a job sent to its
///                                                                      slot, then try_wake: state load
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "blitz/base/asymmetric_fence.hpp"
#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"
#include "blitz/base/export.hpp"
#include "blitz/base/linger.hpp"
#include "blitz/base/parker.hpp"
#include "blitz/base/placement.hpp"
#include "blitz/fork_join/atomic_counters.hpp"
#include "blitz/fork_join/watchman.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

class Sleep {
 public:
  static constexpr std::size_t kMaxSlots = AtomicCounters::kMaxSlots;

  /// After this many failed attempts to sleep in one search, each defeated by a post whose job was already gone, the worker
  /// becomes the watchman: another worker pushes and pops tiny jobs.
  static constexpr unsigned kMissedPosts = 4;

  /// One worker's search for work, from start_looking to work_found.
  struct Search {
    std::size_t slot;
    unsigned rounds = 0;     ///< Searches since it began, or last slept.
    std::uint32_t jec = 0;   ///< Valid once announced.
    bool announced = false;  ///< At the next round the worker sleeps, unless something is posted.
    bool again = false;      ///< The worker has slept, or tried to.
    bool woken = false;      ///< The search began with a wake-up, and has found nothing yet.
    unsigned missed = 0;     ///< How often something was posted between announcement and sleep.
    Watchman::Watch watch = {};
  };

  /// `slots` vacant slots. Throws std::bad_alloc.
  BLITZ_API explicit Sleep(std::size_t slots, std::uint32_t first_jec = 0);
  Sleep(const Sleep&) = delete;
  Sleep& operator=(const Sleep&) = delete;

  // --- posting ---

  /// A worker has pushed a job on its own queue.
  void new_jobs() noexcept {
    compiler_fence();  // [announce] The light fence; where there is none to be had, quiet_ leads to a full one.
    if (counters_.new_jobs_needed(quiet_)) [[unlikely]]
      post();
  }

  /// Somebody has pushed a job on the injector.
  BLITZ_API void new_injected_jobs() noexcept;

  // --- searching ---

  /// The runner of `slot` has no job.
  [[nodiscard]] Search start_looking(std::size_t slot) noexcept {
    counters_.add_inactive();
    return {.slot = slot};
  }

  /// The resident of `slot`, before first_search and before the pool is used.
  void adopt_resident(std::size_t slot) noexcept { slots_[slot].placement.adopt(); }

  /// The resident of `slot` waits, once, until its slot is first claimed for it: all slots begin vacant.
  [[nodiscard]] Search first_search(std::size_t slot) noexcept {
    Slot& s = slots_[slot];
    s.resident.park();
    s.placement.restore();
    return {.slot = slot, .woken = true};
  }

  /// The search found a job, or what its runner waits for has come. Must be called before the job runs: the job may be
  /// long, and others may wait behind it.
  void work_found(Search& search) noexcept {
    if (search.watch.on || search.woken) [[unlikely]] {
      slots_[search.slot].score.in_time();
      watchman_.end(search.watch);
      search.woken = false;
    }
    const Counters counters = counters_.sub_inactive();
    if (counters.sleeping() > 0 && counters.awake_but_idle() == 0) wake_any(Waker::kStaysBusy);
  }

  /// The search found nothing: yields, announces, or sleeps, according to how long this has been going on. After its
  /// return the runner probes its latch and searches again. `injected` tells whether there may be a job that is in no
  /// worker's queue: in the injector, or sent to this slot.
  template <SleepableLatch Latch, class Injected>
  void no_work_found(Search& search, Latch& latch, Rest rest, Injected&& injected) noexcept {
    if (search.woken) [[unlikely]]
      slots_[search.slot].score.late_wake();
    search.woken = false;
    if (search.rounds < (search.again ? kRoundsOfSearch : rounds_of_search(search.slot, rest == Rest::kVacate))) {
      ++search.rounds;
      pause_search(search.slot);
    } else if (!search.announced) {
      if (rest == Rest::kVacate && watchman_.nap(search.watch, slots_[search.slot].score)) return;
      // No yield after this: until the worker has registered, each post must change the counters.
      search.jec = counters_.announce_sleepy();
      asymmetric_heavy_fence();  // [announce]
      search.announced = true;
    } else {
      sleep(search, latch, rest, injected);
    }
  }

  // --- waking ---

  /// Makes `slot` run if it sleeps. Returns whether this call did.
  BLITZ_API bool try_wake(std::size_t slot, Waker waker = Waker::kBlocks) noexcept;

  /// Makes one sleeping slot run, the last resort being slot 0. Returns whether there was one.
  BLITZ_API bool wake_any(Waker waker = Waker::kBlocks) noexcept;

  // --- borrowing ---

  /// Claims `slot` for the calling thread if it is vacant: the thread is then its runner, and executes a job.
  [[nodiscard]] bool try_borrow(std::size_t slot) noexcept {
    Slot& s = slots_[slot];
    auto expected = State::kVacant;
    if (s.state.load(std::memory_order_relaxed) != expected) return false;
    // [claim]
    if (!s.state.compare_exchange_strong(expected, State::kAwake, std::memory_order_seq_cst)) return false;
    counters_.leave_vacant();
    s.runner = &s.guest;
    return true;
  }

  /// Ends a borrowing. If anything is left to do, the slot goes to its resident, and else it is vacant again.
  ///
  /// `own_empty`: the slot's own queue is empty. `resident_wanted.probe()`: its resident is to end, or has been sent
  /// something. `injected`: as above. `queues_empty`: tells whether all queues are empty; asked only while another slot
  /// executes a job.
  template <class ResidentWanted, class Injected, class QueuesEmpty>
  void give_back(std::size_t slot, bool own_empty, const ResidentWanted& resident_wanted, Injected&& injected,
                 QueuesEmpty&& queues_empty) noexcept {
    Slot& s = slots_[slot];
    wait_a_moment_until([this]() noexcept { return counters_.load().inactive() + 1 >= count_; });
    s.runner = &s.resident;
    if (!own_empty) [[unlikely]] {
      counters_.add_inactive();
      s.resident.unpark();
      return;
    }
    s.state.store(State::kDrowsy, std::memory_order_release);
    const Counters counters = counters_.enter_vacant();  // [register] [inject]
    bool leave = true;
    if (counters.inactive() < count_) {
      // Somebody executes a job, and may have pushed others while nobody slept. What it pushes from now on wakes.
      asymmetric_heavy_fence();
      leave = queues_empty();
    }
    auto expected = State::kDrowsy;
    // [claim] [latch]
    if (leave && !injected() && s.state.compare_exchange_strong(expected, State::kVacant, std::memory_order_seq_cst))
        [[likely]] {
      if (resident_wanted.probe()) [[unlikely]]
        try_wake(slot);  // [latch]
      return;
    }
    hand_over(s);
  }

  // --- for loops, statistics and tests ---

  /// Whether some slot executes no job: a hint that work offered now would be taken.
  [[nodiscard]] bool somebody_idle() const noexcept { return counters_.somebody_inactive(); }

  [[nodiscard]] Counters counters() const noexcept { return counters_.load(); }
  [[nodiscard]] std::uint64_t times_slept(std::size_t slot) const noexcept {
    return slots_[slot].sleeps.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t times_woken(std::size_t slot) const noexcept {
    return slots_[slot].wakes.load(std::memory_order_relaxed);
  }

 private:
  enum class State : std::uint32_t { kAwake, kDrowsy, kAsleep, kVacant };

  struct alignas(kCacheLine) Slot {
    Atomic<State> state{State::kVacant};  // see above
    Parker resident;                      // the slot's own thread blocks here
    Placement placement;                  // of the resident
    Parker guest;                         // a thread that borrowed the slot, and waits for a latch, blocks here
    // Where the slot's runner blocks: written by the runner while kAwake, read by whoever claims it from kAsleep.
    Parker* runner = &resident;
    Watchman::Score score;  // the resident's
    Atomic<std::uint64_t> sleeps{0};
    Atomic<std::uint64_t> wakes{0};
  };

  template <SleepableLatch Latch, class Injected>
  void sleep(Search& search, Latch& latch, Rest rest, Injected&& injected) noexcept {
    Slot& s = slots_[search.slot];
    if (!latch.get_sleepy()) return;
    // A setter that finds the latch asleep must find the slot drowsy at least.
    s.state.store(State::kDrowsy, std::memory_order_seq_cst);
    if (!latch.fall_asleep()) {
      s.state.store(State::kAwake, std::memory_order_release);
      return;
    }
    if (!counters_.try_add_sleeping(search.jec)) {  // [register] [inject]
      s.state.store(State::kAwake, std::memory_order_release);
      latch.woke();
      search.announced = false;  // Something was posted: one search, and a new announcement.
      if (rest == Rest::kVacate && ++search.missed >= kMissedPosts) s.score.kept_awake();
      return;
    }
    auto expected = State::kDrowsy;
    const State asleep = rest == Rest::kVacate ? State::kVacant : State::kAsleep;
    // [claim]
    if (!injected() && s.state.compare_exchange_strong(expected, asleep, std::memory_order_seq_cst)) {
      count(s.sleeps);
      (rest == Rest::kVacate ? s.resident : *s.runner).park();
      if (s.runner == &s.resident) s.placement.restore();
      search.woken = rest == Rest::kVacate;
    } else {
      counters_.sub_sleeping();
      s.state.store(State::kAwake, std::memory_order_release);
    }
    latch.woke();
    search.rounds = 0;
    search.missed = 0;
    search.announced = false;
    search.again = true;
  }

  static void count(Atomic<std::uint64_t>& events) noexcept { events.fetch_add(1, std::memory_order_relaxed); }

  BLITZ_COLD BLITZ_API void post() noexcept;
  void post_and_wake(Waker waker) noexcept;
  BLITZ_COLD BLITZ_API void hand_over(Slot& slot) noexcept;

  AtomicCounters counters_;
  std::uint32_t quiet_;  // what new_jobs compares with; constant
  std::size_t count_;
  std::unique_ptr<Slot[]> slots_;
  Watchman watchman_;
};

}  // namespace blitz::detail
