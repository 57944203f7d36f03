/// The latches that end a wait. Each is set once; after set it may be gone, so set reads all it needs before.
#pragma once

#include <memory>
#include <utility>

#include "blitz/base/parker.hpp"
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

/// For a worker that waits for a job of another pool. As soon as the latch is set that worker may go on, to the end of
/// its pool, so the setter holds on to what it still has to wake.
class CrossLatch {
 public:
  CrossLatch(Wakeable& owner, std::shared_ptr<void> keep_alive) noexcept
      : owner_(&owner), keep_alive_(std::move(keep_alive)) {}

  void set() noexcept {
    const std::shared_ptr<void> keep_alive = std::move(keep_alive_);
    Wakeable* const owner = owner_;
    if (core_.set()) owner->wake();
  }
  [[nodiscard]] CoreLatch& core() noexcept { return core_; }

 private:
  CoreLatch core_;
  Wakeable* owner_;
  std::shared_ptr<void> keep_alive_;
};

/// For a thread outside every pool: it blocks.
class ThreadLatch {
 public:
  void set() noexcept { parker_.unpark(); }
  void wait() noexcept { parker_.park(); }

 private:
  Parker parker_;
};

}  // namespace blitz::detail
