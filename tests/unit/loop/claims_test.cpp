#include "blitz/detail/loop/claims.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <latch>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using blitz::detail::Claims;

TEST_CASE("claims: claim returns the own piece or otherwise the last free one") {
  Claims claims(130);
  CHECK(claims.claim(64) == 64);
  CHECK(claims.claim(64) == 129);
  CHECK(claims.claim(500) == 128);
  CHECK(claims.claim(127) == 127);
  CHECK(claims.claim(130) == 126);
}

TEST_CASE("claims: each piece is claimed once") {
  for (const std::size_t pieces : {1, 2, 63, 64, 65, 127, 128, 129, 1023, 1024}) {
    for (const std::size_t own : {0, 1, 63, 64, 1023, 5000}) {
      CAPTURE(pieces);
      CAPTURE(own);
      Claims claims(pieces);
      std::vector<int> times(pieces);
      for (std::size_t i = 0; i < pieces; ++i) ++times.at(claims.claim(own));
      CHECK(std::ranges::count(times, 1) == static_cast<std::ptrdiff_t>(pieces));
    }
  }
}

TEST_CASE("claims: several threads claim each piece once") {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kPieces = 1000;
  for (int round = 0; round < 100; ++round) {
    Claims claims(kPieces);
    std::vector<std::atomic<int>> times(kPieces);
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        start.arrive_and_wait();
        for (std::size_t i = 0; i < kPieces / kThreads; ++i) ++times.at(claims.claim(t));
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(std::ranges::all_of(times, [](const auto& count) { return count == 1; }));
  }
}
