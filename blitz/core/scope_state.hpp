/// What a scope is made of: the count of its unfinished jobs, their first exception, the request to stop, and the wait.
///
/// The count is in two parts, so that spawning and finishing where the scope was opened costs no atomic operation:
/// `own_`, for its owner's thread alone, and `shared_`, for all others. `shared_` begins with a bias that keeps it away
/// from zero. When the owner has nothing of the scope left in its own queue, it adds its part to the other's and takes
/// the bias away; from then on `shared_` is the count of all unfinished jobs, and whoever brings it to zero sets the
/// latch.
///
/// Source of the biased count: biased reference counting, J. Choi, T. Shull, J. Torrellas, PACT 2018.
///
/// Pairs:
///   [done]  finished: shared_.fetch_sub(release)  ->  finished, wait: shared_ read (acquire)
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <utility>

#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"
#include "blitz/base/export.hpp"
#include "blitz/core/caller_latch.hpp"
#include "blitz/core/stop_request.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

class ScopeState {
 public:
  /// `owner`: the calling thread's worker, of `pool`; or null, for a caller that is none of that pool's. Throws
  /// std::bad_alloc, if a stop is possible.
  ScopeState(PoolBase& pool, WorkerBase* owner, const std::stop_token& stop)
      : pool_(pool), owner_(owner), latch_(pool) {
    if (stop.stop_possible()) outer_stop_ = std::make_unique<std::stop_callback<StopInner>>(stop, StopInner{&stop_});
  }
  ScopeState(const ScopeState&) = delete;
  ScopeState& operator=(const ScopeState&) = delete;

  [[nodiscard]] PoolBase& pool() const noexcept { return pool_; }

  /// A job is about to be spawned by `worker`, null if the caller is none.
  void begun(const WorkerBase* worker) noexcept {
    if (is_owner(worker)) {
      ++own_;
    } else {
      shared_.fetch_add(1, std::memory_order_relaxed);  // The caller belongs to a job that is counted.
    }
  }
  /// A job has ended on `worker`. If it was the last the scope may be gone.
  void finished(const WorkerBase& worker) noexcept {
    if (is_owner(&worker)) {
      --own_;
    } else if (shared_.fetch_sub(1, std::memory_order_acq_rel) == 1) {  // [done]
      latch_.set();
    }
  }
  /// A job has not come about after all.
  void withdrawn(const WorkerBase* worker) noexcept {
    if (is_owner(worker)) {
      --own_;
    } else {
      shared_.fetch_sub(1, std::memory_order_relaxed);  // Not the last: the caller's own is counted, or the bias.
    }
  }

  /// In a handler: keeps the exception if it is the first.
  void keep_exception() noexcept {
    // Relaxed: [done] orders error_ before its use.
    if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
  }

  /// The owner, or the thread that has none, at the end of the body: until every job has ended.
  BLITZ_API void wait() noexcept;
  /// After wait().
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
    return worker == owner_ && owner_ != nullptr && !own_is_shared_;
  }

  static constexpr std::int64_t kBias = std::int64_t{1} << 62;

  // Read by all, and seldom written.
  PoolBase& pool_;
  WorkerBase* const owner_;
  Atomic<bool> failed_{false};
  std::exception_ptr error_;  // written once, by whoever set failed_
  CallerLatch latch_;
  StopRequest stop_;
  std::unique_ptr<std::stop_callback<StopInner>> outer_stop_;  // it may make the request until it is gone

  // The owner's line, written at each of its spawns, and ...
  alignas(kCacheLine) std::int64_t own_ = 0;
  bool own_is_shared_ = false;
  // ... the others', at each of theirs, and at the end of each job that was taken from the owner.
  alignas(kCacheLine) Atomic<std::int64_t> shared_{kBias};
};

}  // namespace blitz::detail
