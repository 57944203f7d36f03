/// The interface of the library's atomic.hpp, with each operation on the simulated machine.
///
/// An atomic stores its value in place and has its size, so that the cache lines have the same contents as in a real build.
/// Outside of a simulated thread it is a plain variable.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "bench/simulation/machine.hpp"

namespace blitz::detail {

template <class T>
class Atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  using Where = simulation::Where;
  using Order = std::memory_order;

 public:
  using value_type = T;

  constexpr Atomic() noexcept = default;
  constexpr Atomic(T value) noexcept : value_(value) {}  // NOLINT: as std::atomic
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;
  constexpr ~Atomic() {
    if (std::is_constant_evaluated()) return;
    if (simulation::Machine* const machine = simulation::Machine::current()) machine->forget(&value_);
  }

  T load(Order, Where where = Where::current()) const noexcept {
    simulation::Machine* const machine = simulation::Machine::current();
    if (machine == nullptr) return value_;
    machine->load(&value_, where);
    T value = value_;
    machine->forward(&value_, &value, sizeof value);
    return value;
  }

  /// As on x86, a sequentially consistent store is an exchange.
  void store(T value, Order order, Where where = Where::current()) noexcept {
    if (order == std::memory_order_seq_cst) {
      modify(where);
    } else if (simulation::Machine* const machine = simulation::Machine::current()) {
      if (machine->store(&value_, &value, sizeof value, where)) return;
    }
    value_ = value;
  }

  T exchange(T value, Order, Where where = Where::current()) noexcept {
    modify(where);
    const T old = value_;
    value_ = value;
    return old;
  }

  bool compare_exchange_strong(T& expected, T desired, Order, Order, Where where = Where::current()) noexcept {
    modify(where);
    if (value_ == expected) {
      value_ = desired;
      return true;
    }
    expected = value_;
    return false;
  }
  bool compare_exchange_strong(T& expected, T desired, Order order, Where where = Where::current()) noexcept {
    return compare_exchange_strong(expected, desired, order, order, where);
  }
  bool compare_exchange_weak(T& expected, T desired, Order success, Order failure,
                             Where where = Where::current()) noexcept {
    return compare_exchange_strong(expected, desired, success, failure, where);
  }
  bool compare_exchange_weak(T& expected, T desired, Order order, Where where = Where::current()) noexcept {
    return compare_exchange_strong(expected, desired, order, order, where);
  }

  T fetch_add(T by, Order, Where where = Where::current()) noexcept
    requires std::is_integral_v<T>
  {
    return change(where, [by](T old) { return static_cast<T>(old + by); });
  }
  T fetch_sub(T by, Order, Where where = Where::current()) noexcept
    requires std::is_integral_v<T>
  {
    return change(where, [by](T old) { return static_cast<T>(old - by); });
  }
  T fetch_and(T with, Order, Where where = Where::current()) noexcept
    requires std::is_integral_v<T>
  {
    return change(where, [with](T old) { return static_cast<T>(old & with); });
  }
  T fetch_or(T with, Order, Where where = Where::current()) noexcept
    requires std::is_integral_v<T>
  {
    return change(where, [with](T old) { return static_cast<T>(old | with); });
  }

  /// The value as read by the kernel.
  [[nodiscard]] T value() const noexcept { return value_; }

 private:
  void modify(const Where& where) noexcept {
    if (simulation::Machine* const machine = simulation::Machine::current()) machine->modify(&value_, where);
  }

  template <class F>
  T change(const Where& where, F&& changed) noexcept {
    modify(where);
    const T old = value_;
    value_ = changed(old);
    return old;
  }

  T value_{};
};

using AtomicWord = Atomic<std::uint32_t>;
static_assert(sizeof(Atomic<bool>) == 1 && sizeof(AtomicWord) == 4 && sizeof(Atomic<void*>) == sizeof(void*));

inline void compiler_fence() noexcept {}

inline void seq_cst_fence() noexcept {
  if (simulation::Machine* const machine = simulation::Machine::current()) machine->fence();
}

inline void cpu_relax() noexcept {
  if (simulation::Machine* const machine = simulation::Machine::current()) machine->work(machine->costs().pause);
}

inline void yield_thread() noexcept {
  if (simulation::Machine* const machine = simulation::Machine::current()) machine->work(machine->costs().yield);
}

/// Has the size of the real one, and the three states of glibc's: free, taken, taken with waiters.
class Mutex {
 public:
  void lock() noexcept;
  [[nodiscard]] bool try_lock() noexcept;
  void unlock() noexcept;

 private:
  enum : std::uint32_t { kFree, kTaken, kAwaited };

  alignas(std::mutex) AtomicWord state_{kFree};
  [[maybe_unused]] std::byte rest_[sizeof(std::mutex) - sizeof(AtomicWord)]{};
};

static_assert(sizeof(Mutex) == sizeof(std::mutex));

}  // namespace blitz::detail
