#include "blitz/detail/loop/pace.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

using blitz::detail::end_of_line;
using blitz::detail::Pace;
using blitz::detail::Pieces;
using blitz::detail::ticks_now;
using blitz::detail::ticks_per_microsecond;

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

void spend(std::uint64_t microseconds) {
  const auto begin = ticks_now();
  while (ticks_now() - begin < microseconds * ticks_per_microsecond()) {
  }
}

}  // namespace

TEST_CASE("pieces: cover all items in order and differ by one item at most") {
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1000}, kMost}) {
    for (const std::uint64_t pieces : {1U, 2U, 3U, 7U, 64U}) {
      if (pieces > count) continue;
      CAPTURE(count);
      CAPTURE(pieces);
      const Pieces cut(count, pieces);
      CHECK(cut.begin(0) == 0);
      CHECK(cut.begin(pieces) == count);
      for (std::uint64_t i = 0; i < pieces; ++i) {
        const std::uint64_t size = cut.begin(i + 1) - cut.begin(i);
        CHECK(size >= count / pieces);
        CHECK(size - count / pieces <= 1);
      }
    }
  }
}

TEST_CASE("pace: the first block has the size of the grain") {
  CHECK(Pace(1).next_block(0, 1000) == 1);
  CHECK(Pace(16).next_block(0, 1000) == 16);
}

TEST_CASE("pace: a smallest block may be long if the last one was or if it is expected to be") {
  for (const std::uint64_t grain : {1U, 16U}) {
    Pace pace(grain);
    CHECK(pace.expects_nothing());
    pace.time_next();
    CHECK(!pace.may_be_long());
    pace.expect_long();
    CHECK(pace.may_be_long());
    pace.ran(grain, 0);
    CHECK(!pace.may_be_long());
    pace.ran(grain, 10 * ticks_per_microsecond());
    CHECK(pace.may_be_long());
    Pace timed(grain);
    timed.expect_long();
    (void)timed.run_long(0, grain, [](std::uint64_t first, std::uint64_t end) { CHECK(end - first > 0); });
    CHECK(timed.timed());  // although it was the last block
  }
}

TEST_CASE("pace: a block is never empty and never larger than the rest") {
  for (const std::uint64_t grain : {1U, 2U, 7U, 64U}) {
    for (const std::uint64_t ticks : {std::uint64_t{0}, std::uint64_t{100}, ticks_per_microsecond() * 1000}) {
      Pace pace(grain);
      for (std::uint64_t left = 1; left < 500; ++left) {
        const std::uint64_t size = pace.next_block(0, left);
        REQUIRE(size >= 1);
        REQUIRE(size <= left);
        pace.ran(size, ticks);
      }
    }
  }
}

TEST_CASE("pace: no block is smaller than the grain even at the end") {
  for (const std::uint64_t grain : {2U, 7U, 64U, 1500U}) {
    for (std::uint64_t count = grain; count < 10 * grain; ++count) {
      for (const std::uint64_t ticks : {std::uint64_t{0}, ticks_per_microsecond() * 1000}) {
        CAPTURE(grain);
        CAPTURE(count);
        Pace pace(grain);
        for (std::uint64_t left = count; left > 0;) {
          const std::uint64_t size = pace.next_block(0, left);
          REQUIRE(size >= grain);
          REQUIRE(size <= left);
          pace.ran(size, ticks);
          left -= size;
        }
      }
    }
  }
}

TEST_CASE("pace: long blocks end at the end of a cache line") {
  for (const std::uint64_t grain : {1U, 1000U, 1024U, 5000U}) {
    for (std::uint64_t first = 0; first < 130; ++first) {
      for (std::uint64_t end = first + grain; end < first + 3 * grain; end += grain / 7 + 1) {
        const std::uint64_t better = end_of_line(first, end, grain);
        REQUIRE(better <= end);
        REQUIRE(better - first >= std::max(grain, (end - first) * 15 / 16));
        if (end - first >= grain + 1024) REQUIRE(better % 64 == 0);
      }
    }
  }
  Pace pace(1);
  std::uint64_t first = 0;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t size = pace.next_block(first, kMost);
    pace.ran(size, size / 64);  // also with a clock of 25 ticks per microsecond
    first += size;
  }
  CHECK(first % 64 == 0);
}

TEST_CASE("pace: cheap items make longer blocks of at most a quarter of the rest") {
  Pace pace(1);
  std::uint64_t size = 1;
  for (int i = 0; i < 3; ++i) {
    pace.ran(size, 10);
    const std::uint64_t next = pace.next_block(0, kMost);
    CHECK(next > size);
    CHECK(next <= 32 * size);
    size = next;
  }
  CHECK(pace.next_block(0, 4 * size) == size);
  CHECK(pace.next_block(0, 2 * size) == size / 2);
}

/// Microseconds per block after `pace` has learnt that an item takes `cost` ticks.
double settled(Pace& pace, std::uint64_t cost) {
  std::uint64_t size = 0;
  for (int i = 0; i < 20; ++i) {
    size = pace.next_block(0, kMost);
    pace.ran(size, size * cost);
  }
  CHECK(pace.next_block(0, kMost) == size);
  return static_cast<double>(size * cost) / static_cast<double>(ticks_per_microsecond());
}

TEST_CASE("pace: blocks settle at two to four microseconds for any cost of an item") {
  // In ticks; some machines have 25 per microsecond.
  for (const std::uint64_t cost : {std::uint64_t{1}, std::uint64_t{2}, ticks_per_microsecond() / 10}) {
    CAPTURE(cost);
    Pace pace(1);
    CHECK(settled(pace, cost) > 1.9);
    CHECK(settled(pace, cost) <= 4);
    pace.ran(1'000'000, 1'000'000 * cost);  // from above, too
    CHECK(settled(pace, cost) > 1.9);
    CHECK(settled(pace, cost) <= 4);
  }
}

TEST_CASE("pace: a refused offer may be repeated after a microsecond of work") {
  for (const std::uint64_t half_microseconds : {1U, 3U}) {
    Pace pace(1);
    pace.offer_refused();
    pace.ran(1, half_microseconds * ticks_per_microsecond() / 2);
    CHECK(pace.may_offer() == (half_microseconds == 3));
  }
}

TEST_CASE("pace: expensive items make shorter blocks down to the grain") {
  Pace pace(2);
  for (int i = 0; i < 4; ++i) pace.ran(pace.next_block(0, kMost), 10);
  const std::uint64_t long_block = pace.next_block(0, kMost);
  CHECK(long_block > 1000);
  pace.ran(long_block, 40 * ticks_per_microsecond());
  const std::uint64_t shorter = pace.next_block(0, kMost);
  CHECK(shorter < long_block);
  for (int i = 0; i < 4; ++i) pace.ran(pace.next_block(0, kMost), 1'000'000 * ticks_per_microsecond());
  CHECK(pace.next_block(0, kMost) == 2);
}

TEST_CASE("pace: a block with a negative duration is not counted") {
  Pace pace(2);
  for (int i = 0; i < 4; ++i) pace.ran(pace.next_block(0, kMost), 10);
  const std::uint64_t next = pace.next_block(0, kMost);
  const float per_item = pace.per_item();
  pace.offer_refused();
  for (const std::uint64_t back : {std::uint64_t{1}, std::uint64_t{1} << 40}) pace.ran(next, ~back + 1);
  CHECK(pace.next_block(0, kMost) == next);
  CHECK(pace.per_item() == per_item);
  CHECK_FALSE(pace.may_offer());
}

TEST_CASE("pace: no offer follows a refused one before some work is done") {
  Pace pace(1);
  CHECK(pace.may_offer());
  pace.offer_refused();
  CHECK_FALSE(pace.may_offer());
  pace.ran(1, 0);
  CHECK_FALSE(pace.may_offer());
  pace.ran(1, 10 * ticks_per_microsecond());
  CHECK(pace.may_offer());
}

TEST_CASE("pace: neither the last block nor a tiny loop is timed") {
  CHECK(Pace(1).worth_timing(1, 1000));
  CHECK_FALSE(Pace(1).worth_timing(1000, 1000));
  CHECK_FALSE(Pace(1).worth_timing(1, 2));
}

TEST_CASE("pace: a loop expected to be short times a first block of a quarter before any offer") {
  Pace pace(1);
  pace.expect_little(100);
  CHECK_FALSE(pace.may_offer());
  CHECK(pace.next_block(0, 100) == 25);
  CHECK(pace.worth_timing(25, 100));
  pace.ran(25, 0);
  CHECK_FALSE(pace.may_offer());

  Pace wrong(1);
  wrong.expect_little(1'000'000);
  CHECK(wrong.next_block(0, 1'000'000) == 32);
  wrong.ran(32, 10 * ticks_per_microsecond());
  CHECK(wrong.may_offer());

  Pace coarse(50);
  coarse.expect_little(100);
  CHECK(coarse.next_block(0, 100) == 50);
}

TEST_CASE("pace: the first block counts only until there is another") {
  Pace pace(1);
  CHECK_FALSE(pace.timed());
  pace.ran(1, 1000);
  CHECK(pace.timed());
  CHECK_FALSE(pace.timed_well());
  CHECK(pace.per_item() == 1000);
  pace.ran(10, 100);
  CHECK(pace.timed_well());
  CHECK(pace.per_item() == 10);
  pace.ran(10, 300);
  CHECK(pace.timed_well());
  CHECK(pace.per_item() == 20);
}

TEST_CASE("pace: a refused offer may be repeated immediately if blocks are long") {
  Pace pace(1);
  pace.ran(1, 10 * ticks_per_microsecond());
  pace.offer_refused();
  CHECK(pace.may_offer());
  pace.ran(1, 0);
  pace.offer_refused();
  CHECK_FALSE(pace.may_offer());
}

TEST_CASE("pace: a loop of long blocks is timed except for the last block") {
  Pace pace(1);
  pace.ran(1, 10 * ticks_per_microsecond());
  CHECK(pace.worth_timing(1, 2));
  CHECK_FALSE(pace.worth_timing(1, 1));
  pace.ran(1, 0);
  CHECK_FALSE(pace.worth_timing(1, 2));
}

TEST_CASE("pace: run_next runs adjacent blocks up to the end of the range") {
  Pace pace(1);
  std::uint64_t next = 0;
  while (next < 1000) {
    const std::uint64_t end = pace.run_next(next, 1000, [&](std::uint64_t from, std::uint64_t to) {
      CHECK(from == next);
      CHECK(to > from);
      CHECK(to <= 1000);
      next = to;
    });
    CHECK(end == next);
  }
}

TEST_CASE("pace: an offer keeps the known block size") {
  constexpr std::uint64_t kMany = kMost / 64;  // not more in total than a loop can have
  Pace pace(1);
  const auto nothing = [](std::uint64_t, std::uint64_t) {};
  // The clock can overestimate a block if this thread loses its processor, so the longest of several tries counts.
  std::uint64_t longest = 1;
  for (int i = 0; i < 20; ++i) {
    static_cast<void>(pace.run_next(0, kMany, nothing));
    longest = std::max(longest, pace.next_block(0, kMany));
  }
  CHECK(longest > 32);
  const std::uint64_t learnt = pace.next_block(0, kMany);
  pace.offering();
  pace.offer_refused();
  CHECK(pace.next_block(0, kMany) == learnt);
}

TEST_CASE("pace: work during an offer is not counted as a block") {
  const auto dear = [](std::uint64_t, std::uint64_t) { spend(10); };
  const auto cheap = [](std::uint64_t, std::uint64_t) {};
  for (const bool back : {false, true}) {
    CAPTURE(back);
    bool free_of_it = false;  // Again, in one of a few tries nothing interrupts the thread.
    for (int i = 0; i < 100 && !free_of_it; ++i) {
      Pace pace(1);
      static_cast<void>(pace.run_next(0, kMost, dear));
      CHECK(pace.next_block(0, kMost) == 1);
      back ? pace.offer_refused() : pace.offering();
      spend(1000);
      static_cast<void>(pace.run_next(0, kMost, cheap));
      free_of_it = pace.next_block(0, kMost) > 1;
    }
    CHECK(free_of_it);
  }
}

TEST_CASE("pace: a block that takes no time grows up to a quarter of the largest range") {
  Pace pace(1);
  std::uint64_t last = 1;
  for (int i = 0; i < 14; ++i) {
    const std::uint64_t size = pace.next_block(0, kMost);
    CHECK(size >= last);
    pace.ran(size, 0);
    last = size;
  }
  CHECK(last == kMost / 4 - (kMost / 4) % 64);
}

TEST_CASE("pace: a block of any large duration is followed by one of the grain") {
  for (int bit = 32; bit < 64; ++bit) {
    CAPTURE(bit);
    const std::uint64_t ticks = kMost >> (64 - bit);
    Pace pace(7);
    pace.ran(1000, ticks);
    CHECK(pace.next_block(0, 1'000'000) == 7);
    CHECK(pace.may_offer());
    pace.offer_refused();
    CHECK(pace.may_offer());
  }
}
