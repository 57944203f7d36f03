/// A thread blocks in park() until somebody hands it a token with unpark().
///
/// One thread, always the same, calls park() and park_for(); anyone calls unpark(). Tokens do not add up: two unparks
/// before a park are one. Everything before the unpark() whose token is taken happens before the return of park().
///
/// The three states and their order follow the parker of Rust's standard library.
#pragma once

#include <chrono>
#include <cstdint>

#include "blitz/base/atomic.hpp"
#include "blitz/base/futex.hpp"

namespace blitz::detail {

class Parker {
 public:
  Parker() = default;
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  /// Blocks until a token is there and takes it.
  void park() noexcept {
    if (announce()) return;
    do {
      futex_wait(word_, kParked);
    } while (!take_token());
  }

  /// Blocks until a token is there, which it takes, or `timeout` has passed, or for no reason.
  /// Returns whether it took a token.
  bool park_for(std::chrono::nanoseconds timeout) noexcept {
    if (announce()) return true;
    futex_wait_for(word_, kParked, timeout);
    // [token] Takes a token that came at the last moment; without one, nobody is parked here any more.
    return word_.exchange(kEmpty, std::memory_order_acquire) == kToken;
  }

  /// Leaves a token and wakes the thread if it is parked. This object may be gone as soon as the token is left.
  void unpark() noexcept {
    // [token]
    if (word_.exchange(kToken, std::memory_order_release) == kParked) futex_wake_one(&word_);
  }

 private:
  enum : std::uint32_t { kEmpty = 0, kToken = 1, kParked = 2 };

  // Pairs:
  //   [token]  unpark: word_.exchange(release)  ->  park: word_ read-modify-write (acquire)

  /// Takes the token if there is one (true), or else says that the thread is about to block (false).
  [[nodiscard]] bool announce() noexcept {
    std::uint32_t expected = kEmpty;
    // [token]
    if (word_.compare_exchange_strong(expected, kParked, std::memory_order_acquire, std::memory_order_acquire)) {
      return false;
    }
    // [token] An exchange, not a store: a second token that came meanwhile is taken along with what it publishes.
    word_.exchange(kEmpty, std::memory_order_acquire);
    return true;
  }

  [[nodiscard]] bool take_token() noexcept {
    std::uint32_t expected = kToken;
    // [token]
    return word_.compare_exchange_strong(expected, kEmpty, std::memory_order_acquire, std::memory_order_relaxed);
  }

  Atomic<std::uint32_t> word_{kEmpty};  // written by both sides
};

}  // namespace blitz::detail
