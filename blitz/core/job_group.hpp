/// The inside of a TaskGroup: the count of its unfinished jobs, the threads that wait for it to be zero, the first
/// exception, and the request to stop.
///
/// Invariant: the count rises without a lock, and falls without one while something is left; it falls to zero only
/// under the mutex, which also guards the list of waiters. README.md proves what follows.
///
/// Who may call what: begun, any thread; finished, once for each begun; wait, any number of threads at once.
///
/// Pairs:
///   [done]  finished: unfinished_ read-modify-write (release)  ->  the last finished: unfinished_.fetch_sub (acquire)
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
  void begun() noexcept { unfinished_.fetch_add(1, std::memory_order_relaxed); }

  /// A job has ended. If it was the last the group may be gone.
  BLITZ_API void finished() noexcept;

  /// In a handler: keeps the exception if it is the first since one was taken.
  BLITZ_API void keep_exception() noexcept;

  /// See TaskGroup::wait. Returns the first exception, and withdraws a request to stop: nothing is left to be stopped.
  [[nodiscard]] BLITZ_API std::exception_ptr wait() noexcept;

  [[nodiscard]] StopRequest& stop() noexcept { return stop_; }
  [[nodiscard]] const StopRequest& stop() const noexcept { return stop_; }

 private:
  struct Waiter {
    explicit Waiter(const PoolBase& pool) : latch(pool) {}
    CallerLatch latch;
    Waiter* next = nullptr;
  };

  void wait_here() noexcept;
  /// Relaxed: a thread that reads 0 and acts on it holds the mutex, or locks it next.
  [[nodiscard]] bool idle() const noexcept { return unfinished_.load(std::memory_order_relaxed) == 0; }

  PoolBase& pool_;
  Atomic<std::size_t> unfinished_{0};  // written by each thread that spawns a job, and at each job's end
  Mutex mutex_;                        // guards the next two
  Waiter* waiters_ = nullptr;          // in the frames of the waiting threads
  std::exception_ptr error_;
  StopRequest stop_;
};

}  // namespace blitz::detail
