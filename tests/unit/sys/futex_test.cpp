#include "blitz/detail/sys/futex.hpp"

#include <cerrno>
#include <cstdint>
#include <thread>

#include <doctest/doctest.h>

#include "blitz/detail/base/atomic.hpp"

using blitz::detail::Atomic;
using blitz::detail::futex_wait;
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

TEST_CASE("futex: wait returns if the word has another value") {
  const Atomic<std::uint32_t> word{1};
  futex_wait(word, 0);
}

TEST_CASE("futex: no wake-up is lost") {
  // The two threads take turns; each blocks until the other has set the word. A lost wake-up hangs the test.
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

TEST_CASE("futex: leaves errno unchanged") {
  Atomic<std::uint32_t> word{0};
  errno = EDOM;
  futex_wait(word, 1);
  futex_wake_one(&word);
  CHECK(errno == EDOM);
}
