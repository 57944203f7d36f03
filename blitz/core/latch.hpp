/// The latch of a job that a worker of the same pool waits for. It is set once. After that it may be gone, so set reads
/// all that it needs before.
#pragma once

#include "blitz/core/core_latch.hpp"

namespace blitz::detail {

/// The part of a worker that a setter needs.
class Wakeable {
 public:
  /// The latch that this worker waits for was set, and found it asleep.
  virtual void wake() noexcept = 0;

 protected:
  ~Wakeable() = default;
};

class WorkerLatch {
 public:
  explicit WorkerLatch(Wakeable& owner) noexcept : owner_(&owner) {}

  void set() noexcept {
    Wakeable* const owner = owner_;
    if (core_.set()) owner->wake();
  }
  [[nodiscard]] CoreLatch& core() noexcept { return core_; }
  [[nodiscard]] const CoreLatch& core() const noexcept { return core_; }

 private:
  CoreLatch core_;
  Wakeable* owner_;
};

}  // namespace blitz::detail
