/// The latches of a worker's wait. The worker searches for jobs and finally sleeps. The setter learns whether it must wake the
/// worker.
///
///   kUnset --get_sleepy--> kSleepy --fall_asleep--> kSleeping --woke--> kUnset
///      \_____________________|__________________________|____set____________> kSet   (final)
///
/// kSleepy is the state between the last probe and sleep: if a setter finds the worker there, the worker does not fall asleep.
///
/// Threads: set, once, any thread; probe, any thread; the others, only the waiting worker. After set the latch may have been
/// destroyed, because its owner may have seen it and returned. So set first reads everything that it needs.
///
/// Source: CoreLatch of rayon-core.
///
/// Pairs:
///   [set]  set: word_.exchange(release and more)  ->  probe: word_.load(acquire and more)
#pragma once

#include <cassert>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

/// Only the four states. They are the two lowest bits of a word; the bits above may hold the address of an aligned object until
/// the latch is set.
class CoreLatch {
 public:
  CoreLatch() noexcept = default;
  explicit CoreLatch(std::uintptr_t address) noexcept : word_(address) { assert((address & kStates) == 0); }
  CoreLatch(const CoreLatch&) = delete;
  CoreLatch& operator=(const CoreLatch&) = delete;

  /// Whether the latch is set; if so, everything before set() is visible. Sequentially consistent: a thread that has just made
  /// a slot vacant probes, and so sees a set() by a caller that found the slot still taken and woke nobody.
  [[nodiscard]] bool probe() const noexcept { return word_.load(std::memory_order_seq_cst) == kSet; }  // [set]

  /// Sets the latch. Returns whether its worker is asleep, or about to be, so that the caller must wake it. Sequentially
  /// consistent, so that the caller's next read of the slot's state is ordered after it.
  [[nodiscard]] bool set() noexcept {
    return (word_.exchange(kSet, std::memory_order_seq_cst) & kStates) == kSleeping;  // [set]
  }

  /// The worker begins to prepare for sleep. Returns false if the latch is set.
  [[nodiscard]] bool get_sleepy() noexcept { return advance(kUnset, kSleepy); }

  /// The worker has prepared: from now on a setter wakes it. Returns false if the latch is set.
  [[nodiscard]] bool fall_asleep() noexcept { return advance(kSleepy, kSleeping); }

  /// After fall_asleep has returned true: the worker is awake again, for any reason.
  void woke() noexcept { (void)advance(kSleeping, kUnset); }

  /// Only before another thread knows the latch; hence relaxed.
  void set_address(std::uintptr_t address) noexcept { word_.store(address, std::memory_order_relaxed); }
  /// That address; 0 once the latch is set. Relaxed: it does not change before.
  [[nodiscard]] std::uintptr_t address() const noexcept { return word_.load(std::memory_order_relaxed) & ~kStates; }

 private:
  enum State : std::uintptr_t { kUnset, kSleepy, kSleeping, kSet };
  static constexpr std::uintptr_t kStates = 3;

  bool advance(State from, State to) noexcept {
    const std::uintptr_t above = address();
    std::uintptr_t seen = above | from;
    if (word_.compare_exchange_strong(seen, above | to, std::memory_order_seq_cst)) return true;
    assert(seen == kSet);
    return false;
  }

  Atomic<std::uintptr_t> word_{kUnset};  // written by the worker, and once by the setter
};

static_assert(SleepableLatch<CoreLatch>);

/// For a job that a worker of the same pool waits for.
class WorkerLatch {
 public:
  /// Without an owner: set_owner must follow before another thread knows the latch.
  WorkerLatch() noexcept = default;
  explicit WorkerLatch(const OwnerTag& owner) noexcept : core_(reinterpret_cast<std::uintptr_t>(&owner)) {}
  void set_owner(const OwnerTag& owner) noexcept { core_.set_address(reinterpret_cast<std::uintptr_t>(&owner)); }

  BLITZ_API void set() noexcept;
  /// Only before the latch is set.
  [[nodiscard]] bool is_for(const WorkerBase& worker) const noexcept { return &owner().worker == &worker; }
  [[nodiscard]] CoreLatch& core() noexcept { return core_; }
  [[nodiscard]] const CoreLatch& core() const noexcept { return core_; }

 private:
  [[nodiscard]] const OwnerTag& owner() const noexcept { return *reinterpret_cast<const OwnerTag*>(core_.address()); }

  CoreLatch core_;
};

}  // namespace blitz::detail
