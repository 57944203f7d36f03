/// The state of a scope: the count of its unfinished jobs, their first exception, the request to stop, and the wait.
///
/// The count has two parts, so that a spawn and a job's end on the owner's thread need no atomic read-modify-write: `own_` is
/// for the owner only, `shared_` for all other threads. `shared_` begins with a bias that keeps it away from zero. When the
/// owner's queue has no job of the scope left, the owner adds `own_` to `shared_` and subtracts the bias. From then on
/// `shared_` is the count of all unfinished jobs, and the decrement that brings it to zero sets the latch.
///
/// Threads: run, wait and rethrow, the thread that made the object; all others, a job of the scope, or a thread that knows that
/// one is running.
///
/// Source of the biased count: biased reference counting, J. Choi, T. Shull, J. Torrellas, PACT 2018.
///
/// Pairs:
///   [done]  finished: shared_.fetch_sub(release)  ->  finished, wait: shared_ read (acquire)
#pragma once

#include <cstdint>
#include <exception>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/detail/job/stop_request.hpp"
#include "blitz/detail/worker/caller_latch.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

/// Aborts, with a message, a program that spawns in a scope after its end.
[[noreturn]] BLITZ_COLD BLITZ_API void end_for_ended_scope() noexcept;

class ScopeState {
 public:
  /// `owner`: the calling thread's worker of `pool`; null if it is none. Throws std::bad_alloc, if a stop is possible.
  ScopeState(PoolBase& pool, WorkerBase* owner, const std::stop_token& stop)
      : pool_(pool), owner_(owner), latch_(&pool) {
    if (stop.stop_possible()) outer_stop_ = Owned(new std::stop_callback(stop, StopInner{&stop_}));
  }

  [[nodiscard]] PoolBase& pool() const noexcept { return pool_; }

  /// A job is about to be spawned. `worker`: the calling thread's worker of the pool, or null.
  void begun(const WorkerBase* worker) noexcept {
    if (is_owner(worker)) {
      ++own_;
    } else {
      // Relaxed: a job that runs, or the body, is counted, so this does not start from zero.
      const std::int64_t before = shared_.fetch_add(1, std::memory_order_relaxed);
      if (before <= 0) [[unlikely]]
        end_for_ended_scope();
    }
  }
  /// A job has ended on `worker`, or was not spawned after all. If it was the last, the scope may have been destroyed on
  /// return.
  void finished(const WorkerBase& worker) noexcept {
    if (is_owner(&worker)) {
      --own_;
    } else if (shared_.fetch_sub(1, std::memory_order_acq_rel) == 1) {  // [done]
      latch_.set();
    }
  }
  /// In a handler: stores the exception if it is the first.
  void keep_exception() noexcept {
    // Relaxed: [done] orders error_ before its use.
    if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
  }

  /// Once, on the thread that made this: calls `body(scope)`, waits until every job has ended, and returns the result of the
  /// body or rethrows the first exception.
  template <class Scope, class F>
  CallResult<F, Scope&> run(Scope& scope, F&& body) {
    using R = CallResult<F, Scope&>;
    [[maybe_unused]] ValueOf<R> value = [&]() -> ValueOf<R> {
      try {
        return call_value(std::forward<F>(body), scope);
      } catch (...) {
        keep_exception();
        wait();
        rethrow();
        throw;  // Not reached: there is one to rethrow.
      }
    }();
    wait();
    rethrow();
    if constexpr (!std::is_void_v<R>) return std::forward<ValueOf<R>>(value);
  }

  BLITZ_API void wait() noexcept;
  void rethrow() {
    if (failed_.load(std::memory_order_relaxed)) [[unlikely]]
      std::rethrow_exception(std::exchange(error_, nullptr));
  }

  [[nodiscard]] StopRequest& stop() noexcept { return stop_; }
  [[nodiscard]] const StopRequest& stop() const noexcept { return stop_; }

 private:
  struct StopInner {
    StopRequest* inner;
    void operator()() const noexcept { inner->request(); }
  };

  [[nodiscard]] bool is_owner(const WorkerBase* worker) const noexcept {
    return worker != nullptr && worker == owner_ && !own_is_shared_;
  }

  static constexpr std::int64_t kBias = std::int64_t{1} << 62;

  // Read by all threads, and seldom written.
  PoolBase& pool_;
  WorkerBase* const owner_;
  Atomic<bool> failed_{false};
  std::exception_ptr error_;  // written once, by the thread that sets failed_
  CallerLatch latch_;
  StopRequest stop_;
  Owned<std::stop_callback<StopInner>> outer_stop_;  // calls stop_.request() until it is destroyed

  // The owner's line: written at each of its spawns, and at the end of each job that it runs.
  alignas(kCacheLine) std::int64_t own_ = 0;
  bool own_is_shared_ = false;
  // The other threads' line: written at each of their spawns, and at the end of each job that they run.
  alignas(kCacheLine) Atomic<std::int64_t> shared_{kBias};
};

}  // namespace blitz::detail
