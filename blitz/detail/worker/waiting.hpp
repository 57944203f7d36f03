/// A worker's wait when it may not take every job that it finds: it sleeps *apart*.
///
/// It blocks without being counted as idle: for its policy's idle protocol it executes a job. README.md ("Standing apart")
/// lists the cases, and proves that no wake-up is lost.
///
/// Threads: sleep and try_sleep, only the slot's runner; all others, any thread.
///
/// Pairs:
///   [apart]  sleep: state_ store, then the check of reasons  <->  a signaller: its reason, then wake: state_ load
///   [all]    enter: count_, then wake_unless_all             <->  try_sleep: state_ store, then the check: all
#pragma once

#include <cstddef>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/job/latch.hpp"
#include "blitz/detail/sys/parker.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

/// One worker's part.
class ApartSlot {
 public:
  /// kUnlessAll: the worker wakes if all others are apart.
  enum class State : unsigned char { kAwake, kApart, kUnlessAll };

  /// Blocks until the latch is set or wake() is called, but not if `reason_to_stay_awake()` is true.
  template <class Test>
  void sleep(State how, CoreLatch& latch, Test& reason_to_stay_awake) noexcept {
    if (!latch.get_sleepy()) return;
    // A signaller publishes its reason, then reads state_. If it reads kAwake, the check below sees the reason. If not,
    // it unparks, and the runner looks for reasons again after it has stored kAwake.
    state_.store(how, std::memory_order_seq_cst);  // [apart]
    if (latch.fall_asleep()) {
      if (!reason_to_stay_awake()) parker_.park();
      latch.woke();
    }
    state_.store(State::kAwake, std::memory_order_seq_cst);  // [apart]
  }
  /// Wakes the runner if it sleeps here, or is about to. Returns whether it does.
  bool wake() noexcept {
    if (state_.load(std::memory_order_seq_cst) == State::kAwake) return false;  // [apart]
    parker_.unpark();
    return true;
  }
  /// Like wake, only for a runner that sleeps as kUnlessAll.
  void wake_unless_all() noexcept {
    if (state_.load(std::memory_order_seq_cst) == State::kUnlessAll) parker_.unpark();  // [all]
  }

 private:
  Atomic<State> state_{State::kAwake};  // written by the runner, read by signallers
  Parker parker_;
};

/// The pool's part: the number of workers that are apart, and the number that may work.
class BLITZ_API ApartWorkers {
 public:
  explicit ApartWorkers(std::size_t workers);

  [[nodiscard]] std::size_t max_concurrency() const noexcept {
    return max_concurrency_.load(std::memory_order_seq_cst);
  }
  /// 1 to the number of workers; throws std::invalid_argument otherwise.
  void set_max_concurrency(std::size_t count);
  [[nodiscard]] bool is_surplus(std::size_t slot) const noexcept { return slot >= max_concurrency(); }

  /// The worker of `slot` sleeps apart; see ApartSlot::sleep.
  template <class Test>
  void sleep(std::size_t slot, CoreLatch& latch, Test&& reason_to_stay_awake) noexcept {
    enter();
    slots_[slot].sleep(ApartSlot::State::kApart, latch, reason_to_stay_awake);
    leave();
  }
  /// Like sleep, with one more reason to stay awake: all others are apart. If they already are, it returns false immediately.
  template <class Test>
  [[nodiscard]] bool try_sleep(std::size_t slot, CoreLatch& latch, Test&& reason_to_stay_awake) noexcept {
    if (count_.fetch_add(1, std::memory_order_seq_cst) + 1 == workers_) {
      leave();
      return false;
    }
    const auto reason = [&]() noexcept { return all() || reason_to_stay_awake(); };
    slots_[slot].sleep(ApartSlot::State::kUnlessAll, latch, reason);
    leave();
    return true;
  }
  /// Must follow the publication of a reason for that worker to stay awake.
  bool wake(std::size_t slot) noexcept { return slots_[slot].wake(); }

  /// Before and after the sleep of a worker if its thread blocks elsewhere.
  void enter() noexcept;
  void leave() noexcept { count_.fetch_sub(1, std::memory_order_seq_cst); }

  [[nodiscard]] std::size_t count() const noexcept { return count_.load(std::memory_order_seq_cst); }
  [[nodiscard]] bool all() const noexcept { return count() == workers_; }  // [all]

 private:
  const std::size_t workers_;
  const OwnedArray<ApartSlot> slots_;
  Atomic<std::size_t> max_concurrency_;  // written by set_max_concurrency, read by each worker after each job
  // Written by workers before and after they sleep apart: in another cache line than the words that are read after each job.
  alignas(kCacheLine) Atomic<std::size_t> count_{0};
};

/// While it lives, workers count as apart in their teams, because their thread works or waits elsewhere: `first`, which may be
/// null, and the workers below it (WorkerBase::below), up to but excluding `end`. Each counts once, even if several objects of
/// this class count it.
class CountedApart {
 public:
  BLITZ_API explicit CountedApart(WorkerBase* first, const WorkerBase* end = nullptr) noexcept;
  BLITZ_API ~CountedApart();
  CountedApart(const CountedApart&) = delete;
  CountedApart& operator=(const CountedApart&) = delete;

 private:
  WorkerBase* const first_;
  const WorkerBase* const end_;
};

/// While it lives, `worker` does not count as apart: its thread has returned to it.
class NotCountedApart {
 public:
  explicit NotCountedApart(WorkerBase& worker) noexcept;
  ~NotCountedApart();
  NotCountedApart(const NotCountedApart&) = delete;
  NotCountedApart& operator=(const NotCountedApart&) = delete;

 private:
  WorkerBase& worker_;
  const std::size_t count_;
};

/// A wait at the limit of nested waits, or in a surplus slot: runs the jobs in the worker's own queue and its mail, and sleeps
/// apart when there are none. Returns true if the latch is set. Returns false if all others are apart, so that the worker
/// must look for work like any other.
[[nodiscard]] BLITZ_API bool wait_apart(WorkerBase& worker, CoreLatch& latch) noexcept;

/// The resident of a surplus slot without a job: runs its mail, and sleeps apart when there is none, until the slot is not
/// surplus or the latch is set. It leaves the jobs in its queue to the others.
BLITZ_API void stay_apart(WorkerBase& worker, CoreLatch& latch) noexcept;

}  // namespace blitz::detail
