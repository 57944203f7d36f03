/// Room for one item, the newest that its owner has pushed: the owner, who has just written to it, takes it first, while
/// it is still in its cache.
///
/// A newer item evicts an older one, which then goes to the queue behind. An owner that only ever ran its newest job
/// would let the others wait for ever, when two jobs keep pushing each other; so within one tick it polls the slot at
/// most kPollsPerTick times. After that the item waits behind those of the queue, in the order in which it would stand
/// there if it had been evicted.
///
/// Who may call what: put, take_if, poll and begin_tick, the owner; take and empty, anyone. So no item is ever stuck
/// with an owner that is busy, or asleep.
///
/// Only the owner fills the slot. An item leaves it by an exchange, its owner's or a thief's: one of them gets it.
///
/// Source: the LIFO slot of Tokio's multi-threaded scheduler; that thieves may take from it is ours.
///
/// Pairs:
///   [item]  put: item_ store or exchange (release)  ->  take: item_.exchange(acquire)
#pragma once

#include "blitz/base/atomic.hpp"

namespace blitz::detail {

template <class T>
class LifoSlot {
 public:
  static constexpr unsigned kPollsPerTick = 3;

  LifoSlot() = default;
  LifoSlot(const LifoSlot&) = delete;
  LifoSlot& operator=(const LifoSlot&) = delete;

  /// Puts `item` in. Returns the one that it evicts, which is the caller's again; null if the slot was empty.
  [[nodiscard]] T* put(T* item) noexcept {
    if (item_.load(std::memory_order_relaxed) == nullptr) {  // Nobody else fills it.
      item_.store(item, std::memory_order_release);          // [item]
      return nullptr;
    }
    return item_.exchange(item, std::memory_order_release);  // [item]
  }

  /// Takes `item` out if it is still here.
  [[nodiscard]] bool take_if(T* item) noexcept {
    // Relaxed: the owner itself has put it in.
    return item_.compare_exchange_strong(item, nullptr, std::memory_order_relaxed, std::memory_order_relaxed);
  }

  /// Takes what is there; null if there is nothing.
  [[nodiscard]] T* take() noexcept {
    if (item_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return item_.exchange(nullptr, std::memory_order_acquire);  // [item]
  }

  /// As take, for the owner in search of a job, and not more often than kPollsPerTick within one tick.
  [[nodiscard]] T* poll() noexcept {
    if (polls_ == kPollsPerTick) return nullptr;
    T* const item = take();
    if (item != nullptr) ++polls_;
    return item;
  }
  void begin_tick() noexcept { polls_ = 0; }

  /// What is there at this moment.
  [[nodiscard]] bool holds(const T* item) const noexcept { return item_.load(std::memory_order_relaxed) == item; }
  [[nodiscard]] bool empty() const noexcept { return item_.load(std::memory_order_acquire) == nullptr; }

 private:
  Atomic<T*> item_{nullptr};  // filled by the owner, emptied by anyone
  unsigned polls_ = 0;        // the owner's
};

}  // namespace blitz::detail
