#include "blitz/base/parker.hpp"

#include <chrono>
#include <memory>
#include <thread>

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using blitz::detail::Parker;

TEST_CASE("parker: a token that is there is taken without blocking") {
  Parker parker;
  parker.unpark();
  parker.park();
  parker.unpark();
  CHECK(parker.park_for(1h));
}

TEST_CASE("parker: tokens do not add up") {
  Parker parker;
  parker.unpark();
  parker.unpark();
  parker.park();
  CHECK_FALSE(parker.park_for(1ms));
}

TEST_CASE("parker: a wait that timed out leaves no trace") {
  Parker parker;
  CHECK_FALSE(parker.park_for(1ms));
  CHECK_FALSE(parker.park_for(0ns));
  parker.unpark();
  CHECK(parker.park_for(1h));
  CHECK_FALSE(parker.park_for(1ms));
}

TEST_CASE("parker: no token is lost, and each publishes what was written before it") {
  // Plain variables, so that a ThreadSanitizer build sees a missing edge.
  constexpr int kRounds = 20'000;
  Parker there;
  Parker back;
  int request = 0;
  int answer = 0;
  std::thread other([&] {
    for (int round = 1; round <= kRounds; ++round) {
      there.park();
      answer = request + 1;
      back.unpark();
    }
  });
  int wrong = 0;
  for (int round = 1; round <= kRounds; ++round) {
    request = round;
    there.unpark();
    back.park();
    wrong += answer != round + 1;
  }
  other.join();
  CHECK(wrong == 0);
}

TEST_CASE("parker: a timed wait takes a token that comes as it ends") {
  // The waits are so short that most tokens come while one ends. park_for() answers exactly when it takes a token, so
  // the rounds end only if none is dropped.
  constexpr int kRounds = 5'000;
  Parker there;
  Parker back;
  int written = 0;
  std::thread other([&] {
    for (int round = 1; round <= kRounds; ++round) {
      while (!there.park_for(2us)) {
      }
      ++written;
      back.unpark();
    }
  });
  int wrong = 0;
  for (int round = 1; round <= kRounds; ++round) {
    there.unpark();
    while (!back.park_for(2us)) {
    }
    wrong += written != round;
  }
  other.join();
  CHECK(wrong == 0);
}

TEST_CASE("parker: may be destroyed once the token is taken") {
  for (int round = 0; round < 2'000; ++round) {
    auto parker = std::make_unique<Parker>();
    std::thread other([raw = parker.get()] { raw->unpark(); });
    parker->park();
    parker.reset();
    other.join();
  }
}
