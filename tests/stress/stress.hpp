/// Helpers shared by the stress tests.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/base/atomic.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace blitz_test {

/// A watchdog that knows the name of the test.
class TestWatchdog : public Watchdog {
 public:
  TestWatchdog() : Watchdog(doctest::getContextOptions()->currentTest->m_name) {}
};

/// Spins for about `time`.
inline void spin_for(std::chrono::nanoseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) blitz::detail::cpu_relax();
}

/// An idle gap: none, shorter than a worker's search, about as long, long enough for a worker to fall asleep, and sometimes so
/// long that a worker that waits for the next call falls asleep, too.
inline void random_gap(Random& random) {
  using namespace std::chrono;
  switch (random.below(8)) {
    case 0:
    case 1:
      break;
    case 2:
      spin_for(nanoseconds(random.below(2'000)));
      break;
    case 3:
      spin_for(microseconds(random.below(20)));
      break;
    case 4:
      spin_for(microseconds(random.below(200)));
      break;
    case 5:
      std::this_thread::sleep_for(microseconds(random.below(100)));
      break;
    case 6:
      std::this_thread::sleep_for(microseconds(random.below(1'000)));
      break;
    case 7:
      if (random.one_in(20)) std::this_thread::sleep_for(milliseconds(9 + random.below(8)));
      break;
  }
}

/// Set once by one thread; another thread waits for it, in one of three ways.
class Flag {
 public:
  enum class Wait : unsigned char { kSpin, kYield, kBlock };

  void set() {
    // Under the mutex: the waiter may destroy the flag as soon as it has seen it set.
    const std::lock_guard lock(mutex_);
    set_.store(true, std::memory_order_release);
    changed_.notify_one();
  }
  void wait(Wait how) {
    if (how == Wait::kBlock) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_set(); });
      return;
    }
    for (unsigned i = 0; !is_set(); ++i) {
      // Even a spinning waiter lets others run after a while: there may be more threads than processors.
      if (how == Wait::kYield || i % 4096 == 4095) {
        std::this_thread::yield();
      } else {
        blitz::detail::cpu_relax();
      }
    }
    const std::lock_guard lock(mutex_);
  }
  [[nodiscard]] bool is_set() const { return set_.load(std::memory_order_acquire); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> set_{false};
};

inline Flag::Wait random_wait(Random& random) { return static_cast<Flag::Wait>(random.below(3)); }

/// Runs `body(i)` on `count` new threads, with i counting from 0, and waits for them.
template <class Body>
void in_threads(std::size_t count, const Body& body) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
}

}  // namespace blitz_test
