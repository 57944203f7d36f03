/// The inside of a TaskGroup: the count of its unfinished jobs, the threads that wait for it to be zero, the first
/// exception, and the request to stop.
///
/// A thread that is no worker of the pool gives a job to a list, and a token to the injector. The job is run by a worker that
/// takes the token, or by a waiter that does not look into the injector: a guest (see registry.hpp).
///
/// The count and a bit, *guarded*, share a word. While the bit is set, because a thread waits on the list or an exception is
/// kept, the count falls to zero only under the mutex, which guards both. Otherwise no step takes it, so a worker that runs
/// the group's jobs itself pays for the count alone. README.md proves what follows.
///
/// Who may call what: begun, make_token and offer, any thread; finished, once for each begun; wait, any number of threads at
/// once.
///
/// Pairs:
///   [done]     finished: state_ read-modify-write (release)  ->  wait: state_.load (acquire)
///   [outside]  make_token: outside_.store (release)          ->  outside_jobs: outside_.load (acquire)
#pragma once

#include <cstddef>
#include <exception>

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"
#include "blitz/base/owned.hpp"
#include "blitz/core/caller_latch.hpp"
#include "blitz/core/fifo.hpp"
#include "blitz/core/heap_job.hpp"
#include "blitz/core/pool_base.hpp"
#include "blitz/core/stop_request.hpp"

namespace blitz::detail {

class JobGroup {
  struct OutsideJobs final : SharedObject {
    JobFifo list;
  };

 public:
  /// Stands in the injector for the oldest job of the list, which may be empty then. A detached job, and not one of the group.
  class Token final : public Job {
   public:
    explicit Token(Shared<OutsideJobs> jobs) noexcept : Job(&execute_it), jobs_(std::move(jobs)) {}

   private:
    BLITZ_API static void execute_it(Job* job, WorkerBase& worker) noexcept;

    Shared<OutsideJobs> jobs_;
  };

  explicit JobGroup(PoolBase& pool) noexcept : pool_(pool) {}
  JobGroup(const JobGroup&) = delete;
  JobGroup& operator=(const JobGroup&) = delete;
  // relaxed: all calls have ended.
  ~JobGroup() { const Shared<OutsideJobs> last(outside_.load(std::memory_order_relaxed)); }

  /// A job is about to be given to the pool. Relaxed: the caller waits itself, is a counted job, or orders its call
  /// before the waiter's.
  void begun() noexcept { state_.fetch_add(kJob, std::memory_order_relaxed); }

  /// By a thread that is no worker of the pool, and not in a forked child. Throws std::bad_alloc.
  [[nodiscard]] BLITZ_API HeapJob<Token> make_token();
  /// Gives the pool a job that has begun, and its token, which Detached has counted.
  BLITZ_API void offer(FifoJob* job, HeapJob<Token> token) noexcept;

  /// A job has ended. If it was the last the group may be gone.
  BLITZ_API void finished() noexcept;

  /// In a handler: keeps the exception if it is the first since one was taken.
  BLITZ_API void keep_exception() noexcept;

  /// See TaskGroup::wait. Returns the first exception, and withdraws a request to stop: nothing is left to be stopped.
  [[nodiscard]] BLITZ_API std::exception_ptr wait() noexcept;

  /// Whether no job is unfinished. Relaxed: it orders nothing, and wait() reads it again.
  [[nodiscard]] bool idle() const noexcept { return state_.load(std::memory_order_relaxed) < kJob; }

  [[nodiscard]] StopRequest& stop() noexcept { return stop_; }
  [[nodiscard]] const StopRequest& stop() const noexcept { return stop_; }

 private:
  struct Waiter {
    Waiter(const PoolBase& pool, bool it_claims) noexcept : latch(&pool), claims(it_claims) {}
    CallerLatch latch;
    Waiter* next = nullptr;
    const bool claims;   // it must be woken for a job of the list
    bool ended = false;  // no job is unfinished
  };

  static constexpr std::size_t kGuarded = 1;
  static constexpr std::size_t kJob = 2;

  /// `worker`: the calling thread's in the pool, or null.
  void wait_here(WorkerBase* worker, bool may_claim) noexcept;
  [[nodiscard]] OutsideJobs* outside_jobs() const noexcept {
    return outside_.load(std::memory_order_acquire);  // [outside]
  }
  [[nodiscard]] FifoJob* claim() noexcept {
    OutsideJobs* const jobs = outside_jobs();
    return jobs != nullptr ? jobs->list.pop(0) : nullptr;
  }
  [[nodiscard]] bool has_claimable() noexcept {
    OutsideJobs* const jobs = outside_jobs();
    return jobs != nullptr && !jobs->list.empty();
  }
  void wake_claimer() noexcept;

  PoolBase& pool_;
  Atomic<std::size_t> state_{0};  // written by each thread that spawns a job, at each job's end, and under the mutex
  Atomic<OutsideJobs*> outside_{nullptr};  // made with the first token, under the mutex; the group is one of its owners
  Mutex mutex_;                            // guards the next two
  Waiter* waiters_ = nullptr;              // in the frames of the waiting threads
  std::exception_ptr error_;
  StopRequest stop_;
};

}  // namespace blitz::detail
