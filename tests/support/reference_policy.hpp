/// A policy to compare others with: queues with a mutex, and an idle protocol with one mutex and condition variables. It is
/// slow, and simple enough to be obviously correct. It is written like a user's program, only against blitz/custom_policy.hpp.
///
/// No wake-up is lost, because of (I): *while an announced job waits and a slot sleeps, a slot searches*. A searching slot is
/// awake and will not sleep before it has looked into every queue. These steps could break (I), and do not; each is one step
/// with the mutex held:
///   - a job is announced: a slot is woken if none searches;
///   - the last searcher finds a job, or its latch was set: it wakes another slot;
///   - a searcher falls asleep, or a borrower leaves its slot: only if nothing was announced since its search began, or
///     if all queues are empty. So no announced job waits at that moment.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include <blitz/custom_policy.hpp>

namespace blitz_test {

using blitz::policy::Audience;
using blitz::policy::Job;

/// Jobs in the order of their pushes. Serves as a worker's queue and as the injector.
class ReferenceQueue {
 public:
  struct Place {};

  void push(Job* job) noexcept {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
  }
  template <class Injector>
  Place push(Job* job, Injector& /*overflow*/) noexcept {
    push(job);
    return {};
  }
  [[nodiscard]] Job* take_newest() noexcept {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) return nullptr;
    Job* const job = jobs_.back();
    jobs_.pop_back();
    return job;
  }
  /// The oldest job.
  [[nodiscard]] Job* take() noexcept {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) return nullptr;
    Job* const job = jobs_.front();
    jobs_.pop_front();
    return job;
  }
  [[nodiscard]] bool take_if_newest(Place /*place*/) noexcept { return false; }
  [[nodiscard]] bool empty() const noexcept {
    const std::lock_guard lock(mutex_);
    return jobs_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Job*> jobs_;
};

/// A thread may call a queue's empty(), or the function that summons a thread of the pool, while it holds the mutex. A queue never
/// calls back, and the function takes only the mutexes of the pool's own team.
class ReferenceIdle {
 public:
  static constexpr std::size_t kMaxSlots = 0xffff;

  struct Search {
    std::size_t slot;
    std::uint64_t announced;  // announced_ when the search began
  };

  explicit ReferenceIdle(std::size_t slots) : slots_(slots), asleep_(slots) {}

  void new_jobs() noexcept {
    const std::lock_guard lock(mutex_);
    ++announced_;
    if (searching_ == 0) wake_any();
  }
  void new_injected_jobs() noexcept { new_jobs(); }

  void adopt_resident(std::size_t /*slot*/) noexcept {}
  [[nodiscard]] Search first_search(std::size_t slot) noexcept {
    std::unique_lock lock(mutex_);
    wait_as_resident(lock, slots_[slot]);
    return {slot, announced_};
  }
  [[nodiscard]] Search start_looking(std::size_t slot) noexcept {
    const std::lock_guard lock(mutex_);
    ++searching_;
    return {slot, announced_};
  }
  void work_found(Search& /*search*/) noexcept {
    const std::lock_guard lock(mutex_);
    if (--searching_ == 0) wake_any();
  }
  template <class Latch, class Injected>
  void no_work_found(Search& search, Latch& latch, blitz::policy::Rest rest, Injected&& injected) noexcept {
    std::unique_lock lock(mutex_);
    if (search.announced == announced_ && !injected() && latch.get_sleepy() && latch.fall_asleep()) {
      Slot& slot = slots_[search.slot];
      --searching_;
      ++asleep_;
      ++slot.slept;
      if (rest == blitz::policy::Rest::kVacate) {
        slot.state = State::kVacant;
        wait_as_resident(lock, slot);
      } else {
        slot.state = State::kAsleep;
        slot.changed.wait(lock, [&] { return slot.state == State::kAwake; });
      }
      latch.woke();
    }
    search.announced = announced_;
  }

  bool try_wake(std::size_t slot) noexcept {
    const std::lock_guard lock(mutex_);
    return wake(slots_[slot]);
  }
  [[nodiscard]] bool try_borrow(std::size_t slot) noexcept {
    const std::lock_guard lock(mutex_);
    Slot& s = slots_[slot];
    if (s.state != State::kVacant) return false;
    s.state = State::kAwake;
    s.lent = true;
    --asleep_;
    return true;
  }
  template <class Resident, class Injected, class QueuesEmpty>
  void give_back(std::size_t slot, bool own_empty, const Resident& resident, Injected&& injected,
                 QueuesEmpty&& queues_empty) noexcept {
    const std::lock_guard lock(mutex_);
    Slot& s = slots_[slot];
    s.state = State::kVacant;
    s.lent = false;
    ++asleep_;
    if (!own_empty || resident.probe() || injected() || !queues_empty()) wake(s);
  }

  void summon_by(void (*call)(void*, std::size_t) noexcept, void* team) noexcept {
    summon_ = call;
    team_ = team;
  }
  [[nodiscard]] Search summoned(std::size_t slot) noexcept {
    const std::lock_guard lock(mutex_);
    return {slot, announced_};
  }
  template <class Resident, class Injected, class QueuesEmpty>
  void retire(Search& search, const Resident& resident, Injected&& injected, QueuesEmpty&& queues_empty) noexcept {
    const std::lock_guard lock(mutex_);
    Slot& s = slots_[search.slot];
    --searching_;
    s.state = State::kVacant;
    ++asleep_;
    if (resident.probe() || injected() || !queues_empty()) wake(s);
  }

  [[nodiscard]] Audience audience(std::size_t offered) const noexcept {
    const std::lock_guard lock(mutex_);
    if (searching_ > offered) return Audience::kSearches;
    return searching_ + asleep_ > offered ? Audience::kSleeps : Audience::kNobody;
  }
  /// Slots asleep or vacant.
  [[nodiscard]] std::size_t asleep() const noexcept {
    const std::lock_guard lock(mutex_);
    return asleep_;
  }
  /// Slots awake that execute no job.
  [[nodiscard]] std::size_t searching() const noexcept {
    const std::lock_guard lock(mutex_);
    return searching_;
  }
  [[nodiscard]] std::uint64_t times_slept(std::size_t slot) const noexcept {
    const std::lock_guard lock(mutex_);
    return slots_[slot].slept;
  }
  [[nodiscard]] std::uint64_t times_woken(std::size_t slot) const noexcept {
    const std::lock_guard lock(mutex_);
    return slots_[slot].woken;
  }

 private:
  enum class State : unsigned char {
    kAwake,
    kAsleep,  // its runner blocks, in the middle of a job
    kVacant   // no thread runs it; its resident blocks
  };

  struct Slot {
    State state = State::kVacant;
    bool lent = false;  // the runner is an outside thread; the resident blocks
    std::condition_variable changed{};
    std::uint64_t slept = 0;
    std::uint64_t woken = 0;
  };

  // The functions below are called with the mutex held.

  static void wait_as_resident(std::unique_lock<std::mutex>& lock, Slot& slot) {
    slot.changed.wait(lock, [&] { return slot.state == State::kAwake && !slot.lent; });
  }
  /// The slot's runner or resident, or a summoned thread, continues with a search.
  bool wake(Slot& slot) {
    if (slot.state == State::kAwake) return false;
    const bool is_vacant = std::exchange(slot.state, State::kAwake) == State::kVacant;
    --asleep_;
    ++searching_;
    if (is_vacant && summon_ != nullptr) {
      summon_(team_, static_cast<std::size_t>(&slot - slots_.data()));
    } else {
      ++slot.woken;
      slot.changed.notify_all();
    }
    return true;
  }
  /// Slot 0 last, because outside callers look for it.
  void wake_any() {
    for (std::size_t i = slots_.size(); asleep_ > 0 && i-- > 0;) {
      if (wake(slots_[i])) return;
    }
  }

  mutable std::mutex mutex_;  // guards all below
  std::vector<Slot> slots_;
  std::uint64_t announced_ = 0;  // jobs
  std::size_t asleep_;           // slots asleep or vacant
  std::size_t searching_ = 0;    // slots awake that execute no job
  // In a team without residents, see SummoningIdle.
  void (*summon_)(void* team, std::size_t slot) noexcept = nullptr;
  void* team_ = nullptr;
};

class ReferenceFinder {
 public:
  explicit ReferenceFinder(std::uint64_t /*seed*/) noexcept {}

  [[nodiscard]] Job* find_work(blitz::policy::Sources<ReferenceQueue, ReferenceQueue>& sources) noexcept {
    if (Job* const job = sources.own.take_newest()) return job;
    for (std::size_t i = 1; i < sources.count; ++i) {
      if (Job* const job = sources.queue((sources.slot + i) % sources.count).take()) return job;
    }
    return sources.injector.take();
  }
};

struct ReferencePolicy {
  using Injector = ReferenceQueue;
  using LocalQueue = ReferenceQueue;
  using Idle = ReferenceIdle;
  using Finder = ReferenceFinder;
};

/// Not a SummoningIdle: nobody helps a second caller.
struct UnhelpedIdle : ReferenceIdle {
  using ReferenceIdle::ReferenceIdle;
  void summon_by(void (*call)(void*, std::size_t) noexcept, void* team) = delete;
};
struct UnhelpedPolicy : ReferencePolicy {
  using Idle = UnhelpedIdle;
};

static_assert(blitz::Policy<ReferencePolicy> && blitz::policy::SummoningIdle<ReferenceIdle>);
static_assert(blitz::Policy<UnhelpedPolicy> && !blitz::policy::SummoningIdle<UnhelpedIdle>);

}  // namespace blitz_test
