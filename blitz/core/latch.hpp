/// The latches that end a wait. Each is set once; after set it may be gone, so set reads all it needs before.
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

/// For a worker that waits for a job of its own pool.
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
