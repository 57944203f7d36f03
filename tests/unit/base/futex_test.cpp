#include "blitz/base/futex.hpp"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <thread>

#include <doctest/doctest.h>

#include "blitz/base/atomic.hpp"

using namespace std::chrono_literals;
using blitz::detail::Atomic;
using blitz::detail::futex_wait;
using blitz::detail::futex_wait_for;
using blitz::detail::futex_wake_one;

namespace {

void wait_while(const Atomic<std::uint32_t>& word, std::uint32_t value) {
  while (word.load(std::memory_order_acquire) == value) futex_wait(word, value);
}

void set_and_wake(Atomic<std::uint32_t>& word, std::uint32_t value) {
  word.store(value, std::memory_order_release);
  futex_wake_one(&word);
}

}  // namespace

TEST_CASE("futex: a word with another value does not block") {
  const Atomic<std::uint32_t> word{1};
  futex_wait(word, 0);
  const auto began = std::chrono::steady_clock::now();
  futex_wait_for(word, 0, 1h);
  CHECK(std::chrono::steady_clock::now() - began < 10min);
}

TEST_CASE("futex: a timed wait ends, and blocks until then") {
  const Atomic<std::uint32_t> word{0};
  const auto end = std::chrono::steady_clock::now() + 30ms;
  int returns = 0;
  for (;;) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= 0ns) break;
    futex_wait_for(word, 0, left);
    ++returns;
  }
  // Returning early is allowed; a wait that never blocked would have returned many thousand times.
  CHECK(returns < 100);
}

TEST_CASE("futex: a timed wait of more than a second is woken") {
  Atomic<std::uint32_t> word{0};
  std::thread waiter([&word] {
    while (word.load(std::memory_order_acquire) == 0) futex_wait_for(word, 0, 1h + 1ns);
  });
  set_and_wake(word, 1);
  waiter.join();
}

TEST_CASE("futex: no wake-up is lost") {
  // The two threads take turns, each blocking until the other has set the word; a lost wake-up hangs the test.
  constexpr std::uint32_t kRounds = 20'000;
  Atomic<std::uint32_t> ping{0};
  Atomic<std::uint32_t> pong{0};
  std::thread other([&] {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      wait_while(ping, round);
      set_and_wake(pong, round + 1);
    }
  });
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    set_and_wake(ping, round + 1);
    wait_while(pong, round);
  }
  other.join();
  CHECK(pong.load(std::memory_order_relaxed) == kRounds);
}

TEST_CASE("futex: errno is left alone") {
  Atomic<std::uint32_t> word{0};
  errno = EDOM;
  futex_wait(word, 1);
  futex_wait_for(word, 1, 1ns);
  futex_wait_for(word, 0, 1ns);
  futex_wake_one(&word);
  CHECK(errno == EDOM);
}
