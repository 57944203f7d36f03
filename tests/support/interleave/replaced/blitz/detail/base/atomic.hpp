/// Replaces the library's atomic.hpp, asymmetric_fence.hpp and futex.hpp with operations on the simulated memory of an
/// interleaving test.
#pragma once

#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tests/support/interleave/scheduler.hpp"

namespace blitz::detail {

template <class T>
class Atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  using Where = interleave::Where;
  using Order = std::memory_order;

 public:
  using value_type = T;

  constexpr Atomic() : Atomic(T{}) {}
  constexpr Atomic(T value) {  // NOLINT: like std::atomic
    if (std::is_constant_evaluated()) {
      cell_.initial = constant_bits(value);
    } else {
      world().memory().create(world().current(), cell_, bits(value));
    }
  }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;
  constexpr ~Atomic() {
    if (!std::is_constant_evaluated()) world().memory().destroy(world().current(), cell_);
  }

  T load(Order order, Where where = Where::current()) const noexcept {
    order = world().orders.at(where, order);
    world().before(&cell_);
    const std::uint64_t value = world().memory().load(world().current(), cell_, order);
    world().after("load", &cell_, value, interleave::name(order), where);
    return from(value);
  }

  void store(T value, Order order, Where where = Where::current()) noexcept {
    order = world().orders.at(where, order);
    world().before(&cell_);
    world().memory().store(world().current(), cell_, bits(value), order);
    world().after("store", &cell_, bits(value), interleave::name(order), where);
  }

  T exchange(T value, Order order, Where where = Where::current()) noexcept {
    return modify("exchange", order, where, [value](T) { return value; });
  }

  bool compare_exchange_strong(T& expected, T desired, Order success, Order failure,
                               Where where = Where::current()) noexcept {
    success = world().orders.at(where, success);
    failure = world().orders.at(where, failure, interleave::Orders::Part::kFailure);
    return compare_exchange(expected, desired, success, failure, where);
  }
  bool compare_exchange_strong(T& expected, T desired, Order order, Where where = Where::current()) noexcept {
    order = world().orders.at(where, order);
    return compare_exchange(expected, desired, order, on_failure(order), where);
  }
  bool compare_exchange_weak(T& expected, T desired, Order success, Order failure,
                             Where where = Where::current()) noexcept {
    return compare_exchange_strong(expected, desired, success, failure, where);
  }
  bool compare_exchange_weak(T& expected, T desired, Order order, Where where = Where::current()) noexcept {
    return compare_exchange_strong(expected, desired, order, where);
  }

  T fetch_add(T by, Order order, Where where = Where::current()) noexcept
    requires std::is_integral_v<T>
  {
    return modify("add", order, where, [by](T old) { return static_cast<T>(old + by); });
  }
  T fetch_sub(T by, Order order, Where where = Where::current()) noexcept
    requires std::is_integral_v<T>
  {
    return modify("subtract", order, where, [by](T old) { return static_cast<T>(old - by); });
  }
  T fetch_and(T with, Order order, Where where = Where::current()) noexcept
    requires std::is_integral_v<T>
  {
    return modify("and", order, where, [with](T old) { return static_cast<T>(old & with); });
  }
  T fetch_or(T with, Order order, Where where = Where::current()) noexcept
    requires std::is_integral_v<T>
  {
    return modify("or", order, where, [with](T old) { return static_cast<T>(old | with); });
  }

  [[nodiscard]] const interleave::Cell& cell() const noexcept { return cell_; }

 private:
  static interleave::Scheduler& world() noexcept { return interleave::scheduler(); }

  static std::uint64_t bits(T value) noexcept {
    std::uint64_t result = 0;
    std::memcpy(&result, &value, sizeof value);
    return result;
  }
  static constexpr std::uint64_t constant_bits(T value) noexcept {
    if constexpr (std::is_pointer_v<T>) {
      assert(value == nullptr);  // The compiler does not know other addresses.
      return 0;
    } else {
      return static_cast<std::uint64_t>(value);
    }
  }
  static T from(std::uint64_t value) noexcept {
    T result;
    std::memcpy(&result, &value, sizeof result);
    return result;
  }

  bool compare_exchange(T& expected, T desired, Order success, Order failure, const Where& where) noexcept {
    world().before(&cell_);
    const std::uint64_t seen = world().memory().modify_read(world().current(), cell_);
    if (seen == bits(expected)) {
      world().memory().modify_write(world().current(), cell_, bits(desired), success);
      world().after("compare-exchange", &cell_, bits(desired), interleave::name(success), where);
      return true;
    }
    world().memory().modify_refuse(world().current(), cell_, failure);
    world().after("compare-exchange failed", &cell_, seen, interleave::name(failure), where);
    expected = from(seen);
    return false;
  }

  template <class F>
  T modify(const char* what, Order order, const Where& where, F&& change) noexcept {
    order = world().orders.at(where, order);
    world().before(&cell_);
    const T old = from(world().memory().modify_read(world().current(), cell_));
    const std::uint64_t changed = bits(change(old));
    world().memory().modify_write(world().current(), cell_, changed, order);
    world().after(what, &cell_, changed, interleave::name(order), where);
    return old;
  }

  static constexpr Order on_failure(Order order) noexcept {
    if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
    return order == std::memory_order_release ? std::memory_order_relaxed : order;
  }

  interleave::Cell cell_;
};

inline void seq_cst_fence(interleave::Where where = interleave::Where::current()) noexcept {
  interleave::Scheduler& world = interleave::scheduler();
  const std::memory_order order = world.orders.at(where, std::memory_order_seq_cst);
  world.before(nullptr);
  world.memory().fence(world.current(), order);
  world.after("fence", nullptr, 0, interleave::name(order), where);
}

inline void cpu_relax(interleave::Where where = interleave::Where::current()) noexcept {
  interleave::scheduler().yield("relax", where);
}
inline void yield_thread(interleave::Where where = interleave::Where::current()) noexcept {
  interleave::scheduler().yield("yield", where);
}

[[nodiscard]] inline bool asymmetric_fences_available() noexcept {
  return interleave::scheduler().fences == interleave::Fences::kAsymmetric;
}
inline bool register_asymmetric_fences() noexcept { return asymmetric_fences_available(); }

inline void asymmetric_light_fence(interleave::Where where = interleave::Where::current()) noexcept {
  interleave::Scheduler& world = interleave::scheduler();
  if (world.orders.at(where, std::memory_order_seq_cst) == std::memory_order_relaxed) return;
  // Without an instruction there is no point at which another thread could interrupt.
  if (!asymmetric_fences_available()) world.before(nullptr);
  world.memory().light_fence(world.current());
  world.after("light fence", nullptr, 0, "", where);
}

/// With asymmetric fences, a light fence is only a compiler fence.
inline void compiler_fence(interleave::Where where = interleave::Where::current()) noexcept {
  if (!asymmetric_fences_available()) return;
  interleave::Scheduler& world = interleave::scheduler();
  if (world.orders.at(where, std::memory_order_seq_cst) == std::memory_order_relaxed) return;
  world.memory().light_fence(world.current());
  world.after("compiler fence", nullptr, 0, "", where);
}

inline void asymmetric_heavy_fence(interleave::Where where = interleave::Where::current()) noexcept {
  interleave::Scheduler& world = interleave::scheduler();
  if (world.orders.at(where, std::memory_order_seq_cst) == std::memory_order_relaxed) return;
  world.before(nullptr);
  world.memory().heavy_fence(world.current());
  world.after("heavy fence", nullptr, 0, "", where);
}

/// Reads the word, and blocks if it equals `expected`: one step.
inline void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected,
                       interleave::Where where = interleave::Where::current()) noexcept {
  interleave::Scheduler& world = interleave::scheduler();
  world.before(nullptr);  // Not only the word: the waker uses the address, and may not use the word.
  const std::uint64_t seen = world.memory().futex_load(world.current(), word.cell());
  world.after("futex wait", &word.cell(), seen, seen == expected ? "blocks" : "changed", where);
  if (seen == expected) world.block(&word.cell());
}

/// Uses only the address; the word may have been destroyed.
inline void futex_wake_one(const Atomic<std::uint32_t>* word,
                           interleave::Where where = interleave::Where::current()) noexcept {
  interleave::Scheduler& world = interleave::scheduler();
  world.before(nullptr);
  world.memory().futex_wake(world.current());
  world.after("futex wake", nullptr, 0, "", where);
  // The only member of an atomic is its cell.
  world.wake_one(word);
}

/// Blocks a thread while another thread holds the mutex.
class Mutex {
 public:
  void lock() noexcept {
    while (!try_lock()) futex_wait(locked_, 1);
  }
  [[nodiscard]] bool try_lock() noexcept { return locked_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() noexcept {
    locked_.exchange(0, std::memory_order_release);
    futex_wake_one(&locked_);
  }

 private:
  Atomic<std::uint32_t> locked_{0};
};

static_assert(sizeof(Atomic<std::uint32_t>) == sizeof(interleave::Cell));

}  // namespace blitz::detail
