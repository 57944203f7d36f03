#include "blitz/detail/async/idle_word.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using blitz::detail::AtomicIdleWord;
using blitz::detail::IdleWord;

namespace {

struct Fields {
  std::size_t parked;
  std::size_t searching;

  friend bool operator==(const Fields&, const Fields&) = default;
};

Fields fields(const AtomicIdleWord& word) {
  const IdleWord now = word.load(std::memory_order_seq_cst);
  CHECK(now.any_parked() == (now.parked() > 0));
  CHECK(now.any_searching() == (now.searching() > 0));
  return {now.parked(), now.searching()};
}

}  // namespace

TEST_CASE("idle word: all slots begin parked") {
  for (const std::size_t slots : {1U, 2U, 15U, 16U}) {
    AtomicIdleWord word;
    word.begin(slots);
    CHECK(fields(word) == Fields{slots, 0});
    CHECK(word.load(std::memory_order_relaxed).is_parked(slots - 1));
    CHECK_FALSE(word.load(std::memory_order_relaxed).is_parked(slots));
  }
}

TEST_CASE("idle word: claim_any claims the lowest slot if none searches") {
  AtomicIdleWord word;
  word.begin(IdleWord::kSlots);
  for (std::size_t bit = 0; bit < IdleWord::kSlots; ++bit) {
    CHECK(word.claim_any(1) == bit);
    CHECK(fields(word) == Fields{IdleWord::kSlots - 1 - bit, 1});
    CHECK(word.claim_any(1) == std::nullopt);
    word.stop_searching();
  }
  CHECK(word.claim_any(1) == std::nullopt);
  CHECK(fields(word) == Fields{0, 0});
}

TEST_CASE("idle word: claim_any claims the lowest slot if fewer search than requested") {
  AtomicIdleWord word;
  word.begin(4);
  for (std::size_t searching = 0; searching < 3; ++searching) CHECK(word.claim_any(3) == searching);
  CHECK(word.claim_any(3) == std::nullopt);
  CHECK(fields(word) == Fields{1, 3});
}

TEST_CASE("idle word: claim takes a slot by its number whichever slots search") {
  AtomicIdleWord word;
  word.begin(3);
  CHECK(word.claim(1));
  CHECK_FALSE(word.claim(1));
  CHECK(fields(word) == Fields{2, 1});
  CHECK(word.claim(2));
  CHECK(fields(word) == Fields{1, 2});
}

TEST_CASE("idle word: a slot unparked to run a job does not count as searching") {
  AtomicIdleWord word;
  word.begin(2);
  CHECK(word.unpark(0));
  CHECK_FALSE(word.unpark(0));
  CHECK(fields(word) == Fields{1, 0});
  word.park(0, false);
  CHECK(fields(word) == Fields{2, 0});
}

TEST_CASE("idle word: a searcher that parks is counted once") {
  AtomicIdleWord word;
  word.begin(2);
  REQUIRE(word.claim(1));
  word.park(1, true);
  CHECK(fields(word) == Fields{2, 0});
}

TEST_CASE("idle word: try_search admits up to the limit") {
  for (const std::size_t most : {1U, 2U, 3U, 48U}) {
    CAPTURE(most);
    AtomicIdleWord word;
    word.begin(0);
    std::size_t admitted = 0;
    while (word.try_search(most, 0)) ++admitted;
    CHECK(admitted == most);
  }
  AtomicIdleWord word;
  word.begin(0);
  CHECK(word.try_search(50, 49));
  CHECK_FALSE(word.try_search(50, 49));
  CHECK_FALSE(word.try_search(50, 50));
}

TEST_CASE("idle word: one of several threads gets a slot and the count of searchers returns to 0") {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20'000;
  AtomicIdleWord word;
  word.begin(2);
  std::array<std::atomic<int>, 2> holders{};
  std::vector<std::thread> threads;
  std::atomic<int> claims{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const auto hold = [&](std::size_t bit) {
        CHECK(holders[bit].fetch_add(1) == 0);
        holders[bit].fetch_sub(1);
        ++claims;
      };
      for (int i = 0; i < kRounds; ++i) {
        const auto bit = static_cast<std::size_t>(i) % 2;
        switch ((i + t) % 3) {
          case 0:
            if (const auto any = word.claim_any(1)) {
              hold(*any);
              word.park(*any, true);
            }
            break;
          case 1:
            if (word.claim(bit)) {
              hold(bit);
              word.stop_searching();
              word.park(bit, false);
            }
            break;
          default:
            if (word.unpark(bit)) {
              hold(bit);
              word.park(bit, false);
            }
        }
        if (i % 256 == 0) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(claims.load() > kRounds);
  CHECK(fields(word) == Fields{2, 0});
}
