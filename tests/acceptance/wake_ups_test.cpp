// The conditions under which a loop wakes a sleeping worker.
#include <chrono>
#include <cstdint>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/asleep.hpp"
#include "support/one_processor.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

void spend(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

std::uint64_t times_woken(const Pool& pool) { return pool.stats().total.times_woken; }

}  // namespace

POOL_TEST_CASE("wake-ups: a loop of a few microseconds wakes no worker") {
  Pool pool({.num_threads = 2});
  const auto call = [&] { blitz::parallel_for({.pool = &pool}, 0, 32, [](int /*i*/) {}); };
  // If this thread loses its processor during a call, the call looks like a long one, and wakes a worker. So one of several
  // series of calls must succeed.
  constexpr int kTries = 100;
  bool none = false;
  for (int i = 0; i < kTries && !none; ++i) {
    wait_until_all_sleep(pool);
    for (int first = 0; first < 10; ++first) call();
    wait_until_all_sleep(pool);
    const std::uint64_t before = times_woken(pool);
    for (int calls = 0; calls < 1000; ++calls) call();
    none = times_woken(pool) == before;
  }
  CHECK(none);
}

BACKEND_TEST_CASE("wake-ups: an occasional loop shorter than a wake-up rarely wakes a worker") {
  // After the first call, the loop's length is known. Each series has a new pool with the known price; one of several series
  // must succeed, as above. A series takes 30 ms, and a busy machine preempts the thread several times in it.
  constexpr int kTries = 100;
  constexpr int kCalls = 100;
  bool few = false;
  for (int i = 0; i < kTries && !few; ++i) {
    Pool pool({.num_threads = 2});
    const auto call = [&] {
      blitz::parallel_for({.pool = &pool}, 0, 12, [](int /*i*/) { spend(std::chrono::microseconds(1)); });
    };
    call();
    wait_until_all_sleep(pool);
    const std::uint64_t before = times_woken(pool);
    for (int calls = 0; calls < kCalls; ++calls) {
      call();
      spend(std::chrono::microseconds(300));
    }
    few = times_woken(pool) - before <= kCalls / 10;
  }
  CHECK(few);
}

POOL_TEST_CASE("wake-ups: a loop of milliseconds wakes a worker even in the first call") {
  Pool pool({.num_threads = 2});
  for (std::uint64_t calls = 1; calls <= 3; ++calls) {
    wait_until_all_sleep(pool);
    const std::uint64_t before = times_woken(pool);
    blitz::parallel_for({.pool = &pool}, 0, 100, [](int /*i*/) { spend(std::chrono::microseconds(100)); });
    CHECK(times_woken(pool) > before);
  }
}

POOL_TEST_CASE("wake-ups: short loops in a row eventually wake a worker") {
  if (has_one_processor()) return;
  // Each loop is too short to be worth a wake-up, once its length is known. Help in about ten of them is worth one.
  Pool pool({.num_threads = 2});
  const auto call = [&] {
    blitz::parallel_for({.pool = &pool}, 0, 32, [](int /*i*/) { spend(std::chrono::nanoseconds(500)); });
  };
  call();
  wait_until_all_sleep(pool);
  const std::uint64_t before = times_woken(pool);
  for (int calls = 0; calls < 60 && times_woken(pool) == before; ++calls) call();
  CHECK(times_woken(pool) > before);
}
