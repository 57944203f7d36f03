/// A job of a group from a thread outside the pool: it is in the injector and on a list of the group, and is run by the first
/// thread that takes it from one of the two.
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include "blitz/base/atomic.hpp"
#include "blitz/core/heap_job.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

class OutsideJob : public Job {
 public:
  OutsideJob(const OutsideJob&) = delete;
  OutsideJob& operator=(const OutsideJob&) = delete;

  /// Relaxed: a hint that the job will not be run by the next that takes it.
  [[nodiscard]] bool has_begun() const noexcept { return (state_.load(std::memory_order_relaxed) & kBegun) != 0; }
  /// By its taker. Relaxed: the injector, or the list's mutex, has passed on the closure.
  void run_once(WorkerBase& worker) noexcept {
    if ((state_.fetch_or(kBegun, std::memory_order_relaxed) & kBegun) == 0) run_(*this, worker);
  }
  /// The injector, or the list, has it no more. `worker`: the one that the calling thread runs, or null. Release and acquire: all
  /// use happens before the end.
  void release(WorkerBase* worker) noexcept {
    if (state_.fetch_sub(kOwner, std::memory_order_acq_rel) == kOwner + kBegun) free_(*this, worker);
  }

  OutsideJob* younger = nullptr;  // in the list

 protected:
  using Run = void (*)(OutsideJob& job, WorkerBase& worker) noexcept;
  using Free = void (*)(OutsideJob& job, WorkerBase* worker) noexcept;

  OutsideJob(Run run, Free free) noexcept : Job(&execute_it), run_(run), free_(free) {}
  ~OutsideJob() = default;

 private:
  static constexpr unsigned kBegun = 1;
  static constexpr unsigned kOwner = 2;

  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto& self = static_cast<OutsideJob&>(*job);
    self.run_once(worker);
    self.release(&worker);
  }

  const Run run_;
  const Free free_;
  Atomic<unsigned> state_{2 * kOwner};
};

/// As SpawnedJob, which has it that the closure's end comes before the owner's.
template <class F, class O>
class SpawnedOutsideJob final : public OutsideJob {
 public:
  template <class G>
  SpawnedOutsideJob(O owner, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : OutsideJob(&run_it, &free_it), owner_(owner) {
    std::construct_at(&f_, std::forward<G>(f));
  }
  /// Of one that was not given to the pool the closure is destroyed here.
  ~SpawnedOutsideJob() {
    if (!has_begun()) std::destroy_at(&f_);
  }

 private:
  static void run_it(OutsideJob& job, WorkerBase& worker) noexcept {
    auto& self = static_cast<SpawnedOutsideJob&>(job);
    const O owner = self.owner_;
    try {
      owner.call(self.f_);
    } catch (...) {
      owner.failed(worker);
    }
    std::destroy_at(&self.f_);
    owner.finished(worker);
  }
  static void free_it(OutsideJob& job, WorkerBase* worker) noexcept {
    destroy_heap_job(static_cast<SpawnedOutsideJob*>(&job), worker);
  }

  [[no_unique_address]] const O owner_;
  union {
    F f_;
  };
};

}  // namespace blitz::detail
