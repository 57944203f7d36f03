/// A slot for the newest item: the owner, which has just written the item, takes it first, while it is in its cache.
///
/// A newer item evicts an older one, which goes to the queue. If the owner always ran its newest job, two jobs that keep
/// pushing each other would starve the rest. So the owner polls the slot at most kPollsPerTick times in a tick. After that the
/// item waits until the queue is empty, as if it had been evicted.
///
/// Threads: put, take_if, poll and begin_tick, only the owner; all others, any thread. So no item waits for an owner that is
/// busy or asleep.
///
/// Only the owner fills the slot. An item leaves it by an exchange, so either the owner or one thief gets it.
///
/// Source: the LIFO slot of Tokio's multi-threaded scheduler. Unlike there, thieves may take from it.
///
/// Pairs:
///   [item]  put: item_ store or exchange (release)  ->  take: item_.exchange(acquire)
#pragma once

#include "blitz/detail/base/atomic.hpp"

namespace blitz::detail {

template <class T>
class LifoSlot {
 public:
  static constexpr unsigned kPollsPerTick = 3;

  /// Returns the evicted item, or null if the slot was empty.
  [[nodiscard]] T* put(T* item) noexcept {
    if (item_.load(std::memory_order_relaxed) == nullptr) {  // No other thread fills it.
      item_.store(item, std::memory_order_release);          // [item]
      return nullptr;
    }
    return item_.exchange(item, std::memory_order_release);  // [item]
  }

  [[nodiscard]] bool take_if(T* item) noexcept {
    // Relaxed: the owner itself put it in.
    return item_.compare_exchange_strong(item, nullptr, std::memory_order_relaxed, std::memory_order_relaxed);
  }

  [[nodiscard]] T* take() noexcept {
    if (item_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return item_.exchange(nullptr, std::memory_order_acquire);  // [item]
  }

  /// take() for the owner in search of a job; null after kPollsPerTick items in this tick.
  [[nodiscard]] T* poll() noexcept {
    if (polls_ == kPollsPerTick) return nullptr;
    T* const item = take();
    if (item != nullptr) ++polls_;
    return item;
  }
  void begin_tick() noexcept { polls_ = 0; }

  [[nodiscard]] bool holds(const T* item) const noexcept { return item_.load(std::memory_order_relaxed) == item; }
  [[nodiscard]] bool empty() const noexcept { return item_.load(std::memory_order_acquire) == nullptr; }

 private:
  Atomic<T*> item_{nullptr};  // filled by the owner, emptied by any thread
  unsigned polls_ = 0;        // in this tick; the owner's
};

}  // namespace blitz::detail
