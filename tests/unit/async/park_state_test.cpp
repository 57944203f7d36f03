#include "blitz/async/park_state.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

using blitz::detail::ParkState;
using Wake = blitz::detail::ParkState::Wake;
using namespace std::chrono_literals;

TEST_CASE("park: a notification that came before is taken at once, and once") {
  ParkState state;
  state.unpark();
  state.unpark();
  CHECK(state.park(ParkState::kNoTimeout) == Wake::kNotified);
  CHECK(state.park(1us) == Wake::kTimedOut);
  state.unpark();
  CHECK(state.park(1h) == Wake::kNotified);
}

TEST_CASE("park: without a notification the time-out ends it, and not sooner") {
  ParkState state;
  const auto before = std::chrono::steady_clock::now();
  while (state.park(5ms) == Wake::kTimedOut && std::chrono::steady_clock::now() - before < 5ms) {
  }
  CHECK(std::chrono::steady_clock::now() - before >= 5ms);
}

TEST_CASE("park: two threads take turns") {
  constexpr int kTurns = 2'000;
  ParkState first;
  ParkState second;
  int turn = 0;  // plain: the notifications hand it to and fro
  std::thread other([&] {
    for (int i = 0; i < kTurns; ++i) {
      second.park();
      REQUIRE(turn == 2 * i + 1);
      ++turn;
      first.unpark();
    }
  });
  for (int i = 0; i < kTurns; ++i) {
    REQUIRE(turn == 2 * i);
    ++turn;
    second.unpark();
    CHECK(first.park(i % 2 == 0 ? ParkState::kNoTimeout : 1h) == Wake::kNotified);
  }
  other.join();
  CHECK(turn == 2 * kTurns);
}

TEST_CASE("park: a notification at the moment of the time-out is taken now or next time") {
  ParkState state;
  int taken = 0;
  constexpr int kRounds = 500;
  for (int i = 0; i < kRounds; ++i) {
    std::atomic<bool> sent{false};
    std::thread notifier([&] {
      std::this_thread::sleep_for(20us);
      state.unpark();
      sent.store(true);
    });
    while (!sent.load()) {
      if (state.park(20us) == Wake::kNotified) ++taken;
    }
    notifier.join();
    if (state.park(1ns) == Wake::kNotified) ++taken;
  }
  CHECK(taken == kRounds);
}
