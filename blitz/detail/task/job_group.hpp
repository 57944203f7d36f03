/// The state of a TaskGroup: the count of its unfinished jobs, the threads that wait for it to be zero, the first exception,
/// and the request to stop.
///
/// A job from a thread outside the pool is in the injector and on a list of the group. It is run by a worker, or by a waiter
/// that does not look into the injector: a guest (see registry.hpp).
///
/// The count and a bit, *guarded*, share a word. The bit is set while a thread waits on the list or an exception is stored.
/// While it is set, the count falls to zero only under the mutex, which guards both. Otherwise no step takes the mutex, so a
/// worker that runs the group's jobs itself pays only for the count. detail/worker/README.md has the proofs.
///
/// Threads: begun and inject, any thread; finished, once for each begun; wait, any number of threads concurrently.
///
/// Pairs:
///   [done]  finished: state_ read-modify-write (release)  ->  wait: state_.load (acquire)
#pragma once

#include <cstddef>
#include <exception>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/job/stop_request.hpp"
#include "blitz/detail/task/outside_job.hpp"
#include "blitz/detail/worker/caller_latch.hpp"
#include "blitz/detail/worker/pool_base.hpp"

namespace blitz::detail {

class JobGroup {
 public:
  explicit JobGroup(PoolBase& pool) noexcept : pool_(pool) {}
  JobGroup(const JobGroup&) = delete;
  JobGroup& operator=(const JobGroup&) = delete;
  ~JobGroup() {
    if (oldest_ != nullptr) drop_begun();
  }

  /// A job is about to be given to the pool. Relaxed: the caller waits itself, is a counted job, or orders its call
  /// before the waiter's.
  void begun() noexcept { state_.fetch_add(kJob, std::memory_order_relaxed); }

  /// For a thread that is not a worker of the pool: gives the pool a counted job.
  BLITZ_API void inject(OutsideJob* job) noexcept;

  /// A job has ended. If it was the last, the group may have been destroyed on return.
  BLITZ_API void finished() noexcept;

  /// In a handler: stores the exception if it is the first since the last one was taken.
  BLITZ_API void keep_exception() noexcept;

  /// See TaskGroup::wait. Returns the first exception, and withdraws a request to stop, because no job is left to stop.
  [[nodiscard]] BLITZ_API std::exception_ptr wait() noexcept;

  /// Whether all jobs have ended. Relaxed: it orders nothing, and wait() reads it again.
  [[nodiscard]] bool idle() const noexcept { return state_.load(std::memory_order_relaxed) < kJob; }

  [[nodiscard]] StopRequest& stop() noexcept { return stop_; }
  [[nodiscard]] const StopRequest& stop() const noexcept { return stop_; }

 private:
  struct Waiter {
    Waiter(const PoolBase& pool, bool it_claims) noexcept : latch(&pool), claims(it_claims) {}
    CallerLatch latch;
    Waiter* next = nullptr;
    const bool claims;   // it must be woken for a job from outside
    bool ended = false;  // no job is unfinished
  };

  static constexpr std::size_t kGuarded = 1;
  static constexpr std::size_t kJob = 2;

  /// `worker`: the calling thread's worker in the pool, or null.
  void wait_here(WorkerBase* worker, bool may_claim) noexcept;
  [[nodiscard]] OutsideJob* claim() noexcept;
  /// Removes the oldest jobs of the list that have begun.
  BLITZ_API void drop_begun() noexcept;

  PoolBase& pool_;
  Atomic<std::size_t> state_{0};  // written by each thread that spawns a job, at each job's end, and under the mutex
  Mutex mutex_;                   // guards the next four
  Waiter* waiters_ = nullptr;     // in the frames of the waiting threads
  OutsideJob* oldest_ = nullptr;  // the list of the jobs from outside
  OutsideJob* newest_ = nullptr;
  std::exception_ptr error_;
  StopRequest stop_;
};

}  // namespace blitz::detail
