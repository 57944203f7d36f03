/// The latch of a call into a pool, set by a worker of that pool. If the caller is a worker of any pool, it runs jobs of its
/// pool until then. A thread of no pool blocks.
///
/// Threads: set, once, any thread; wait, once, the thread that made the latch. After set the latch may have been destroyed.
#pragma once

#include <utility>

#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/job/latch.hpp"
#include "blitz/detail/sys/parker.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

class CallerLatch {
 public:
  /// `setter`: the pool with the workers that will set it; null if any thread may. `waiter`: the calling thread's worker; if
  /// null, the thread blocks.
  explicit CallerLatch(const PoolBase* setter = nullptr, WorkerBase* waiter = current_worker) noexcept
      : waiter_(waiter) {
    // A worker of another pool may return as soon as the latch is set, and its pool may end before the setter has woken it.
    if (waiter_ != nullptr && waiter_->pool() != setter) keep_alive_ = share(*waiter_->pool());
  }
  CallerLatch(const CallerLatch&) = delete;
  CallerLatch& operator=(const CallerLatch&) = delete;

  void set() noexcept {
    if (waiter_ == nullptr) {
      parker_.unpark();
      return;
    }
    const Shared<PoolBase> keep_alive = std::move(keep_alive_);
    WorkerBase* const waiter = waiter_;
    if (core_.set()) waiter->wake();
  }

  void wait() noexcept {
    if (waiter_ == nullptr) {
      parker_.park();
    } else {
      waiter_->wait_until(core_);
    }
  }

 private:
  WorkerBase* waiter_;
  Shared<PoolBase> keep_alive_;
  CoreLatch core_;
  Parker parker_;
};

}  // namespace blitz::detail
