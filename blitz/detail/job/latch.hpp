/// The latches of a worker's wait. The worker searches for jobs, and at last sleeps; the setter learns whether it must
/// wake the worker.
///
///   kUnset --get_sleepy--> kSleepy --fall_asleep--> kSleeping --woke--> kUnset
///      \_____________________|__________________________|____set____________> kSet   (for good)
///
/// kSleepy is the way from the last probe to sleep: a worker that a setter finds there does not fall asleep.
///
/// Who may call what: set, once, any thread; probe, any thread; the others, the worker that waits. After set the latch
/// may be gone: its owner may have seen it and returned. So set reads all that it needs before.
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

/// The four states alone. They are the two lowest bits of a word, above which the latch's owner may keep the address of
/// an aligned object until the latch is set.
class CoreLatch {
 public:
  CoreLatch() noexcept = default;
  explicit CoreLatch(std::uintptr_t address) noexcept : word_(address) { assert((address & kStates) == 0); }
  CoreLatch(const CoreLatch&) = delete;
  CoreLatch& operator=(const CoreLatch&) = delete;

  /// Whether the latch is set; if so, all that came before set() is visible. Sequentially consistent: a thread that has
  /// just made a slot vacant probes, and so sees a set() whose caller found the slot still taken and woke nobody.
  [[nodiscard]] bool probe() const noexcept { return word_.load(std::memory_order_seq_cst) == kSet; }  // [set]

  /// Sets the latch. Returns whether its worker is asleep, or about to be, so that the caller must wake it.
  /// Sequentially consistent, so that the caller then reads the state of the worker's slot in order.
  [[nodiscard]] bool set() noexcept {
    return (word_.exchange(kSet, std::memory_order_seq_cst) & kStates) == kSleeping;  // [set]
  }

  /// The worker begins to prepare for sleep. False: the latch is set.
  [[nodiscard]] bool get_sleepy() noexcept { return advance(kUnset, kSleepy); }

  /// The worker has prepared: from now on a setter wakes it. False: the latch is set.
  [[nodiscard]] bool fall_asleep() noexcept { return advance(kSleepy, kSleeping); }

  /// After fall_asleep has returned true: tells the latch that its worker is awake again, for any reason.
  void woke() noexcept { (void)advance(kSleeping, kUnset); }

  /// While no other thread knows the latch. Hence relaxed.
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
  /// Without an owner: set_owner follows, while no other thread knows the latch.
  WorkerLatch() noexcept = default;
  explicit WorkerLatch(const OwnerTag& owner) noexcept : core_(reinterpret_cast<std::uintptr_t>(&owner)) {}
  void set_owner(const OwnerTag& owner) noexcept { core_.set_address(reinterpret_cast<std::uintptr_t>(&owner)); }

  BLITZ_API void set() noexcept;
  /// Before it is set.
  [[nodiscard]] bool is_for(const WorkerBase& worker) const noexcept { return &owner().worker == &worker; }
  [[nodiscard]] CoreLatch& core() noexcept { return core_; }
  [[nodiscard]] const CoreLatch& core() const noexcept { return core_; }

 private:
  [[nodiscard]] const OwnerTag& owner() const noexcept { return *reinterpret_cast<const OwnerTag*>(core_.address()); }

  CoreLatch core_;
};

}  // namespace blitz::detail
