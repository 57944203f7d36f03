/// The policy to compare others with: queues under a mutex, and an idle protocol under one mutex.
///
/// It is slow, and meant to be seen to be right. In the idle protocol a count of all pushes does away with lost wake-ups:
/// a worker that has found nothing goes to sleep only if nothing was pushed since it began to look, and the test and the
/// falling asleep are one step. A push wakes one sleeper unless somebody searches already; the last searcher to find a
/// job wakes the next.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "blitz/core/registry_impl.hpp"
#include "blitz/policy.hpp"

namespace blitz_test {

using blitz::detail::Job;

/// Jobs in the order of their pushes.
class ReferenceQueue {
 public:
  struct Place {};

  void push(Job* job) noexcept {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
    ++pushed_;
  }
  template <class Injector>
  Place push(Job* job, Injector& /*overflow*/) {
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
  [[nodiscard]] bool take_back(Place /*place*/) noexcept { return false; }
  /// A thief's.
  [[nodiscard]] Job* take_oldest() noexcept {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) return nullptr;
    Job* const job = jobs_.front();
    jobs_.pop_front();
    ++taken_;
    return job;
  }
  [[nodiscard]] Job* take() noexcept { return take_oldest(); }
  [[nodiscard]] std::size_t size() const noexcept {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::uint64_t pushed() const noexcept {
    const std::lock_guard lock(mutex_);
    return pushed_;
  }
  [[nodiscard]] std::uint64_t taken() const noexcept {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Job*> jobs_;
  std::uint64_t pushed_ = 0;
  std::uint64_t taken_ = 0;
};

/// The mutex may be held while a queue is asked whether it is empty; a queue never asks back.
class ReferenceIdle {
 public:
  static constexpr std::size_t kMaxSlots = 0xffff;

  struct Search {
    std::size_t slot;
    std::uint64_t seen;  // the pushes there had been when the search began
  };

  explicit ReferenceIdle(std::size_t slots) : slots_(slots), sleeping_(slots) {}

  void new_jobs() noexcept {
    const std::lock_guard lock(mutex_);
    ++pushes_;
    if (searching_ == 0) wake_any();
  }
  void new_injected_jobs() noexcept { new_jobs(); }

  [[nodiscard]] Search start_looking(std::size_t slot) noexcept {
    const std::lock_guard lock(mutex_);
    ++searching_;
    return {slot, pushes_};
  }
  void adopt_resident(std::size_t /*slot*/) noexcept {}
  [[nodiscard]] Search first_search(std::size_t slot) noexcept {
    std::unique_lock lock(mutex_);
    wait_for_slot(lock, slots_[slot]);
    return {slot, pushes_};
  }
  void work_found(Search& /*search*/) noexcept {
    const std::lock_guard lock(mutex_);
    if (--searching_ == 0) wake_any();
  }
  template <class Latch, class Injected>
  void no_work_found(Search& search, Latch& latch, blitz::detail::Rest rest, Injected&& injected) noexcept {
    std::unique_lock lock(mutex_);
    if (search.seen == pushes_ && !injected() && latch.get_sleepy() && latch.fall_asleep()) {
      Slot& slot = slots_[search.slot];
      --searching_;
      ++sleeping_;
      ++slot.slept;
      if (rest == blitz::detail::Rest::kVacate) {
        slot.state = State::kVacant;
        wait_for_slot(lock, slot);
      } else {
        slot.state = State::kAsleep;
        slot.changed.wait(lock, [&] { return slot.state == State::kAwake; });
      }
      latch.wake_up();
    }
    search.seen = pushes_;
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
    --sleeping_;
    return true;
  }
  template <class Latch, class Injected, class QueuesEmpty>
  void give_back(std::size_t slot, bool /*own_empty*/, const Latch& latch, Injected&& injected,
                 QueuesEmpty&& queues_empty) noexcept {
    const std::lock_guard lock(mutex_);
    Slot& s = slots_[slot];
    s.lent = false;
    s.state = State::kVacant;
    ++sleeping_;
    if (latch.probe() || injected() || !queues_empty()) wake(s);
  }

  [[nodiscard]] bool somebody_idle() const noexcept {
    const std::lock_guard lock(mutex_);
    return searching_ + sleeping_ > 0;
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
    kVacant   // nobody runs it, its resident blocks
  };

  struct Slot {
    State state = State::kVacant;
    bool lent = false;  // the runner is an outside thread; the resident blocks meanwhile
    std::condition_variable changed{};
    std::uint64_t slept = 0;
    std::uint64_t woken = 0;
  };

  /// The rest is called with the mutex held.

  static void wait_for_slot(std::unique_lock<std::mutex>& lock, Slot& slot) {
    slot.changed.wait(lock, [&] { return slot.state == State::kAwake && !slot.lent; });
  }
  bool wake(Slot& slot) {
    if (slot.state == State::kAwake) return false;
    slot.state = State::kAwake;
    ++slot.woken;
    --sleeping_;
    ++searching_;
    slot.changed.notify_all();
    return true;
  }
  /// Slot 0 last: outside callers look for it.
  void wake_any() {
    for (std::size_t i = slots_.size(); sleeping_ > 0 && i-- > 0;) {
      if (wake(slots_[i])) return;
    }
  }

  mutable std::mutex mutex_;  // guards all below
  std::vector<Slot> slots_;
  std::uint64_t pushes_ = 0;
  std::size_t sleeping_;       // slots asleep or vacant
  std::size_t searching_ = 0;  // slots awake that execute no job
};

class ReferenceFinder {
 public:
  using Sources = blitz::detail::Sources<ReferenceQueue, ReferenceQueue>;

  explicit ReferenceFinder(std::uint64_t /*seed*/) noexcept {}

  [[nodiscard]] Job* find_work(Sources& sources) noexcept {
    if (Job* const job = sources.own.take_newest()) return job;
    for (std::size_t i = 1; i < sources.count; ++i) {
      ++steals_tried_;
      if (Job* const job = sources.queue((sources.slot + i) % sources.count).take_oldest()) {
        ++stolen_;
        return job;
      }
    }
    Job* const job = sources.injector.take_oldest();
    if (job != nullptr) ++injected_taken_;
    return job;
  }

  [[nodiscard]] std::uint64_t steals_tried() const noexcept { return steals_tried_; }
  [[nodiscard]] std::uint64_t stolen() const noexcept { return stolen_; }
  [[nodiscard]] std::uint64_t injected_taken() const noexcept { return injected_taken_; }

 private:
  std::atomic<std::uint64_t> steals_tried_{0};
  std::atomic<std::uint64_t> stolen_{0};
  std::atomic<std::uint64_t> injected_taken_{0};
};

struct ReferencePolicy {
  using Injector = ReferenceQueue;
  using LocalQueue = ReferenceQueue;
  using Idle = ReferenceIdle;
  using Finder = ReferenceFinder;
};

static_assert(blitz::Policy<ReferencePolicy>);

}  // namespace blitz_test
