/// The latch of a job that a worker of the same pool waits for. It is set once. After that it may be gone, so set reads
/// all that it needs before.
#pragma once

#include "blitz/core/core_latch.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

class WorkerLatch {
 public:
  explicit WorkerLatch(WorkerBase& owner) noexcept : owner_(&owner) {}

  void set() noexcept {
    WorkerBase* const owner = owner_;
    if (core_.set()) owner->wake();
  }
  [[nodiscard]] CoreLatch& core() noexcept { return core_; }
  [[nodiscard]] const CoreLatch& core() const noexcept { return core_; }

 private:
  CoreLatch core_;
  WorkerBase* owner_;
};

}  // namespace blitz::detail
