#include "blitz/detail/sys/parker.hpp"

#include <memory>
#include <thread>

#include <doctest/doctest.h>

using blitz::detail::Parker;

TEST_CASE("parker: park takes an available token without blocking") {
  Parker parker;
  parker.unpark();
  parker.park();
  parker.unpark();
  parker.unpark();
  parker.park();
}

TEST_CASE("parker: no token is lost and each publishes earlier writes") {
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

TEST_CASE("parker: may be destroyed after the token is taken") {
  for (int round = 0; round < 2'000; ++round) {
    auto parker = std::make_unique<Parker>();
    std::thread other([raw = parker.get()] { raw->unpark(); });
    parker->park();
    parker.reset();
    other.join();
  }
}
