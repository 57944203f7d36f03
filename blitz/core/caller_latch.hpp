/// The latch for whoever makes a call: a worker of some pool, which does that pool's work meanwhile, or a thread of none,
/// which blocks.
#pragma once

#include <memory>
#include <utility>

#include "blitz/base/parker.hpp"
#include "blitz/core/core_latch.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

class CallerLatch {
 public:
  /// For the calling thread. `setter`: the pool whose workers will set it. `waiter`: the worker that waits; null for a thread
  /// that blocks.
  explicit CallerLatch(const PoolBase& setter, WorkerBase* waiter = current_worker) : waiter_(waiter) {
    // A worker of another pool may go on, to that pool's end, as soon as the latch is set.
    if (waiter_ != nullptr && waiter_->pool() != &setter) keep_alive_ = waiter_->keep_alive();
  }
  CallerLatch(const CallerLatch&) = delete;
  CallerLatch& operator=(const CallerLatch&) = delete;

  /// Once. Afterwards the latch may be gone.
  void set() noexcept {
    if (waiter_ == nullptr) {
      parker_.unpark();
      return;
    }
    const std::shared_ptr<void> keep_alive = std::move(keep_alive_);
    WorkerBase* const waiter = waiter_;
    if (core_.set()) waiter->wake();
  }

  /// Once, by the thread that made the latch.
  void wait() noexcept {
    if (waiter_ == nullptr) {
      parker_.park();
    } else {
      waiter_->wait_until(core_);
    }
  }

 private:
  WorkerBase* waiter_;
  std::shared_ptr<void> keep_alive_;
  CoreLatch core_;
  Parker parker_;
};

}  // namespace blitz::detail
