/// The inside of a TaskGroup: the count of its unfinished jobs, the threads that wait for it to be zero, the first
/// exception, and the request to stop.
///
/// The count and a bit, *guarded*, share a word. While the bit is set, because a thread waits on the list or an exception is
/// kept, the count falls to zero only under the mutex, which guards both. Otherwise no step takes it, so a worker that runs
/// the group's jobs itself pays for the count alone. README.md proves what follows.
///
/// Who may call what: begun, any thread; finished, once for each begun; wait, any number of threads at once.
///
/// Pairs:
///   [done]  finished: state_ read-modify-write (release)  ->  wait: state_.load (acquire)
#pragma once

#include <cstddef>
#include <exception>

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"
#include "blitz/core/caller_latch.hpp"
#include "blitz/core/pool_base.hpp"
#include "blitz/core/stop_request.hpp"

namespace blitz::detail {

class JobGroup {
 public:
  explicit JobGroup(PoolBase& pool) noexcept : pool_(pool) {}

  /// A job is about to be given to the pool. Relaxed: the caller waits itself, is a counted job, or orders its call
  /// before the waiter's.
  void begun() noexcept { state_.fetch_add(kJob, std::memory_order_relaxed); }

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
    explicit Waiter(const PoolBase& pool) noexcept : latch(&pool) {}
    CallerLatch latch;
    Waiter* next = nullptr;
  };

  static constexpr std::size_t kGuarded = 1;
  static constexpr std::size_t kJob = 2;

  void wait_here() noexcept;

  PoolBase& pool_;
  Atomic<std::size_t> state_{0};  // written by each thread that spawns a job, at each job's end, and under the mutex
  Mutex mutex_;                   // guards the next two
  Waiter* waiters_ = nullptr;     // in the frames of the waiting threads
  std::exception_ptr error_;
  StopRequest stop_;
};

}  // namespace blitz::detail
