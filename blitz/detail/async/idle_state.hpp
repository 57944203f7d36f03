/// The idle protocol of the async backend: searching, parking, waking and borrowing. blitz/policy.hpp describes the members of
/// an IdleProtocol. README.md in this folder has the protocol, and the proof that no wake-up is lost.
///
/// A slot is *parked* while its bit is set in the idle word. The thread that clears the bit claims the slot: a waker,
/// the slot's own runner that has found a job in the last check, or an outside thread that borrows it. A slot may be
/// borrowed if it is `vacant`: it has no runner, and its resident is blocked.
///
/// Threads:
///   all_awake, new_jobs, weigh_help, start_looking, work_found,
///   no_work_found, give_back                                        the slot's runner
///   adopt_resident, then first_search, before all others            the slot's resident
///   try_borrow                                                      a thread outside the pool
///   all others                                                      any thread
///
/// Pairs:
///   [park]    no_work_found, give_back: park, heavy fence, a look at all queues  <->  all_awake, work_found: push or move,
///                                                                            light fence, words' load
///   [inject]  give_back: park, injector load  <->  new_injected_jobs: push, seq_cst fence, words' load
///   [claim]   park (release)                   ->  claim, unpark (acquire): the claimer sees the runner's writes
///   [vacant]  sleep, give_back: vacant.store(release)  ->  try_borrow: vacant.load(acquire)
///   [latch]   give_back: park, resident_wanted load  <->  the resident's latch is set, or a job sent to its slot, then
///                                                        try_wake: words' load
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "blitz/detail/async/idle_word.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/sys/placement.hpp"
#include "blitz/detail/wake/fan_out.hpp"
#include "blitz/detail/wake/idle_slot.hpp"
#include "blitz/detail/wake/linger.hpp"
#include "blitz/detail/wake/wake_price.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

class IdleState {
 public:
  /// The limit of the default backend; nothing here depends on it.
  static constexpr std::size_t kMaxSlots = 0xffff;

  /// A worker's search for work, from start_looking to work_found.
  struct Search {
    std::size_t slot;
    bool counted;  ///< As searching. Otherwise enough workers search, and this one parks after one round.
    bool parked;   ///< The slot's bit is set, or a thread has cleared it to claim the slot.
    Idling idling{};
  };

  /// `slots` vacant slots. Throws std::bad_alloc.
  BLITZ_API explicit IdleState(std::size_t slots);

  // --- posting ---

  [[nodiscard]] bool all_awake() const noexcept {
    asymmetric_light_fence();  // [park]
    return !needs_wake(std::memory_order_relaxed);
  }

  void new_jobs() noexcept {
    if (!all_awake()) wake_one(Waker::kStaysBusy);
  }
  /// The runner of `slot` has `offered` jobs on offer. Wakes a worker if fewer than that many search.
  bool new_jobs(std::size_t slot, std::size_t offered) noexcept {
    asymmetric_light_fence();  // [park]
    const Idle now = idle(std::memory_order_relaxed);
    return now.parked > 0 && now.searching < offered && wake_one(slots_[slot].waker(), offered);
  }

  BLITZ_API void new_injected_jobs() noexcept;

  // --- searching ---

  [[nodiscard]] Search start_looking(std::size_t slot) noexcept { return {slot, try_search(slot), false}; }

  void adopt_resident(std::size_t slot) noexcept { slots_[slot].placement.adopt(); }

  void summon_by(void (*call)(void* team, std::size_t slot) noexcept, void* team) noexcept { summon_ = {call, team}; }
  [[nodiscard]] Search summoned(std::size_t slot) noexcept {
    slots_[slot].runner = &slots_[slot].guest;
    slots_[slot].vacant.store(false, std::memory_order_relaxed);  // [claim] publishes it.
    return {slot, true, false};
  }

  [[nodiscard]] Search first_search(std::size_t slot) noexcept {
    Slot& s = slots_[slot];
    Search search{slot, true, false};
    s.resident.park();
    begin_to_run(s, search);
    return search;
  }

  void work_found(Search& search) noexcept {
    if (search.parked) [[unlikely]]
      cancel_park(search);
    if (search.counted) word_of(search.slot).stop_searching();
    search.counted = false;
    asymmetric_light_fence();  // [park] This worker may have moved jobs to its own queue.
    // Sequentially consistent: if two workers stop searching concurrently, in different words, one of them sees no searcher.
    if (needs_wake(std::memory_order_seq_cst)) [[unlikely]]
      wake_one(Waker::kStaysBusy);
  }

  /// Yields, parks the slot, or blocks, depending on how long the search has lasted. The search after parking is the
  /// last check; it covers the injector, so `injected` is not needed.
  template <SleepableLatch Latch, class Injected>
  void no_work_found(Search& search, Latch& latch, Rest rest, Injected&& /*injected*/) noexcept {
    if (search.parked) {
      sleep(search, latch, rest);
      return;
    }
    if (search.counted && slots_[search.slot].linger(search.idling, search.slot, rest == Rest::kVacate, latch, price_))
      return;
    word_of(search.slot).park(bit_of(search.slot), search.counted);  // [park] [claim]
    search.counted = false;
    search.parked = true;
    asymmetric_heavy_fence();  // [park]
  }

  // --- waking ---

  BLITZ_API bool try_wake(std::size_t slot, Waker waker = Waker::kBlocks) noexcept;

  /// If fewer than `enough` workers search, claims a parked slot, slot 0 last, and has it search. Returns whether it did.
  BLITZ_COLD BLITZ_API bool wake_one(Waker waker, std::size_t enough = 1) noexcept;

  // --- borrowing ---

  [[nodiscard]] BLITZ_ALWAYS_INLINE bool try_borrow(std::size_t slot) noexcept {
    Slot& s = slots_[slot];
    if (!s.vacant.load(std::memory_order_acquire)) return false;   // [vacant]
    if (!word_of(slot).unpark(bit_of(slot))) return false;         // [claim]
    if (!s.vacant.load(std::memory_order_acquire)) [[unlikely]] {  // [vacant]
      return_claim(slot);
      return false;
    }
    s.vacant.store(false, std::memory_order_relaxed);  // [claim] publishes it.
    s.runner = &s.guest;
    return true;
  }

  template <class ResidentWanted, class Injected, class QueuesEmpty>
  void give_back(std::size_t slot, bool own_empty, const ResidentWanted& resident_wanted, Injected&& injected,
                 QueuesEmpty&& queues_empty) noexcept {
    Slot& s = slots_[slot];
    wait_a_moment_until([this]() noexcept { return num_idle() + 1 >= count_; });
    s.runner = &s.resident;
    if (!own_empty) [[unlikely]] {
      word_of(slot).add_searching();
      s.resident.unpark();
      return;
    }
    vacate(slot, false, resident_wanted, injected, queues_empty);
  }

  template <class ResidentWanted, class Injected, class QueuesEmpty>
  void retire(Search& search, const ResidentWanted& resident_wanted, Injected&& injected,
              QueuesEmpty&& queues_empty) noexcept {
    slots_[search.slot].runner = &slots_[search.slot].resident;
    vacate(search.slot, search.counted, resident_wanted, injected, queues_empty);
  }

  // --- for loops and statistics ---

  [[nodiscard]] Audience audience(std::size_t offered) const noexcept {
    const Idle now = idle(std::memory_order_relaxed);
    if (!wants_more(now.searching + now.parked, offered)) return Audience::kNobody;
    return now.searching > offered ? Audience::kSearches : Audience::kSleeps;
  }
  [[nodiscard]] Ticks weigh_help(std::size_t slot, Ticks work, std::uint64_t stolen) noexcept {
    return slots_[slot].weigh_help(work, stolen, count_ - num_parked(), price_);
  }

  [[nodiscard]] std::size_t num_searching() const noexcept { return idle().searching; }
  [[nodiscard]] std::size_t num_parked() const noexcept { return idle().parked; }
  [[nodiscard]] std::uint64_t times_slept(std::size_t slot) const noexcept {
    return slots_[slot].sleeps.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t times_woken(std::size_t slot) const noexcept {
    return slots_[slot].wakes.load(std::memory_order_relaxed);
  }
  [[nodiscard]] const Refusals& refusals(std::size_t slot) const noexcept { return slots_[slot].refusals; }

 private:
  /// The runner writes it while the slot is not parked. The idle word publishes these writes to the thread that claims the
  /// slot. The notification publishes them to the next runner.
  struct alignas(kCacheLine) Slot : IdleSlot {
    Atomic<bool> vacant{true};  // written by the runner; read by threads that want to borrow the slot
  };

  /// The runner of a slot leaves it. `searching`: the runner is counted as searching.
  template <class ResidentWanted, class Injected, class QueuesEmpty>
  BLITZ_ALWAYS_INLINE void vacate(std::size_t slot, bool searching, const ResidentWanted& resident_wanted,
                                  Injected& injected, QueuesEmpty& queues_empty) noexcept {
    slots_[slot].vacant.store(true, std::memory_order_release);  // [vacant]
    word_of(slot).park(bit_of(slot), searching);                 // [park] [inject] [claim] [latch]
    const bool alone = num_idle() == count_;
    // A slot that executes a job may have pushed others while none was parked. Jobs that it pushes from now on wake this slot.
    if (!alone) asymmetric_heavy_fence();  // [park]
    // The injector first: a job that has left it is in a worker's queue.
    const bool work_left = injected() || (!alone && !queues_empty());
    if (work_left || resident_wanted.probe()) [[unlikely]]
      try_wake(slot);
  }

  struct Idle {
    std::size_t searching = 0;
    std::size_t parked = 0;
  };

  /// Blocks until the slot is claimed; after the last check.
  template <SleepableLatch Latch>
  void sleep(Search& search, Latch& latch, Rest rest) noexcept {
    Slot& s = slots_[search.slot];
    // If the latch is set, the runner sees it, and work_found takes the slot back. A setter that finds the latch asleep
    // finds the slot parked, or claimed.
    if (!latch.get_sleepy() || !latch.fall_asleep()) return;
    // [vacant] From here to the notification this thread touches nothing that belongs to the runner.
    if (rest == Rest::kVacate) s.vacant.store(true, std::memory_order_release);
    Slot::count(s.sleeps);
    price_.sleeps(ticks_now());
    (rest == Rest::kVacate ? s.resident : *s.runner).park();
    begin_to_run(s, search);
    search.counted = true;  // By the thread that claimed the slot.
    search.parked = false;
    latch.woke();
  }

  BLITZ_COLD BLITZ_API void cancel_park(Search& search) noexcept;
  BLITZ_COLD BLITZ_API void return_claim(std::size_t slot) noexcept;
  [[nodiscard]] BLITZ_API bool try_search(std::size_t slot) noexcept;
  /// Each word is read once; README.md says why it suffices that all of its slots were idle then.
  [[nodiscard]] BLITZ_API Idle idle(std::memory_order order = std::memory_order_seq_cst) const noexcept;
  [[nodiscard]] std::size_t num_idle() const noexcept {
    const Idle now = idle();
    return now.searching + now.parked;
  }

  void notify(std::size_t slot, Waker waker) noexcept;

  /// The calling thread is the slot's runner again.
  void begin_to_run(Slot& s, Search& search) noexcept {
    s.vacant.store(false, std::memory_order_relaxed);  // [claim] publishes it.
    s.woken(search.idling, price_);
  }

  /// Returns whether no worker searches and a slot is parked.
  [[nodiscard]] bool needs_wake(std::memory_order order) const noexcept {
    const AtomicIdleWord* word = words_.get();
    const AtomicIdleWord* const end = word + words_count_;
    IdleWord all = word->load(order);
    while (++word != end) all = all | word->load(order);
    return all.any_parked() && !all.any_searching();
  }

  // Slot 0 has the last place, so a search for the lowest bit finds it last.
  [[nodiscard]] std::size_t place_of(std::size_t slot) const noexcept { return slot == 0 ? count_ - 1 : slot - 1; }
  [[nodiscard]] std::size_t slot_at(std::size_t place) const noexcept { return place == count_ - 1 ? 0 : place + 1; }
  [[nodiscard]] AtomicIdleWord& word_of(std::size_t slot) noexcept { return words_[place_of(slot) / IdleWord::kSlots]; }
  [[nodiscard]] std::size_t bit_of(std::size_t slot) const noexcept { return place_of(slot) % IdleWord::kSlots; }

  std::size_t count_;
  std::size_t most_searchers_;  // without those that were woken
  std::size_t words_count_;
  std::unique_ptr<AtomicIdleWord[]> words_;
  std::unique_ptr<Slot[]> slots_;
  Summoner summon_;
  static_assert(alignof(WakePrice) % kCacheLine == 0, "a push reads what is above, and the price is written often");
  WakePrice price_;
};

static_assert(IdleProtocol<IdleState>);

}  // namespace blitz::detail
