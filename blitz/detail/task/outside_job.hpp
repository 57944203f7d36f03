/// A job of a group from a thread outside the pool: it is in the injector and on a list of the group. The first thread that
/// takes it from one of the two runs it.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/task/heap_job.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

class OutsideJob : public Job {
 public:
  OutsideJob(const OutsideJob&) = delete;
  OutsideJob& operator=(const OutsideJob&) = delete;

  /// Whether the job has begun, so that the next thread that takes it will not run it. Relaxed: it orders nothing.
  [[nodiscard]] bool has_begun() const noexcept { return (state_.load(std::memory_order_relaxed) & kBegun) != 0; }
  /// For the thread that has taken it. Relaxed: the injector or the list's mutex has published the closure.
  void run_once(WorkerBase& worker) noexcept {
    if ((state_.fetch_or(kBegun, std::memory_order_relaxed) & kBegun) == 0) run_(*this, worker);
  }
  /// After the job was taken from the injector or from the list. `worker`: the worker that the calling thread runs, or null.
  /// Release and acquire: all uses happen before the end.
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
  Atomic<unsigned> state_{2 * kOwner};  // the number of its owners, and kBegun; written by the threads that take it
};

/// Like SpawnedJob, except that the closure is destroyed after its call, and the job's memory is freed later.
template <class F, class O>
class SpawnedOutsideJob final : public OutsideJob {
 public:
  template <class G>
  SpawnedOutsideJob(O owner, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : OutsideJob(&run_it, &free_it), owner_(owner), f_(std::in_place, std::forward<G>(f)) {}

 private:
  static void run_it(OutsideJob& job, WorkerBase& worker) noexcept {
    auto& self = static_cast<SpawnedOutsideJob&>(job);
    const O owner = self.owner_;
    try {
      owner.call(*self.f_);
    } catch (...) {
      owner.failed(worker);
    }
    self.f_.reset();
    owner.finished(worker);
  }
  static void free_it(OutsideJob& job, WorkerBase* worker) noexcept {
    destroy_heap_job(static_cast<SpawnedOutsideJob*>(&job), worker);
  }

  [[no_unique_address]] const O owner_;
  std::optional<F> f_;
};

}  // namespace blitz::detail
