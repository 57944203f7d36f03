/// A thread blocks in park() until another hands it a token with unpark().
///
/// One thread at a time calls park(); any thread calls unpark(). Tokens do not accumulate: two unparks before a park count as
/// one. The unpark() that set the token happens before the park() that takes it returns.
///
/// States and transitions follow the parker of Rust's standard library.
#pragma once

#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/sys/futex.hpp"

namespace blitz::detail {

class Parker {
 public:
  void park() noexcept {
    if (announce()) return;
    do {
      futex_wait(word_, kParked);
    } while (!take_token());
  }

  /// Leaves a token, and wakes the thread if it is parked. This object may be destroyed as soon as the token is left.
  void unpark() noexcept {
    // [token]
    if (word_.exchange(kToken, std::memory_order_release) == kParked) futex_wake_one(&word_);
  }

 private:
  enum : std::uint32_t { kEmpty = 0, kToken = 1, kParked = 2 };

  // Pairs:
  //   [token]  unpark: word_.exchange(release)  ->  park: word_ read-modify-write (acquire)

  /// Takes the token if there is one (true); otherwise marks the thread as about to block (false).
  [[nodiscard]] bool announce() noexcept {
    std::uint32_t expected = kEmpty;
    // [token]
    if (word_.compare_exchange_strong(expected, kParked, std::memory_order_acquire, std::memory_order_acquire)) {
      return false;
    }
    // [token] An exchange, not a store: it also takes a second token that has arrived since, and acquires its writes.
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
