#include "blitz/detail/fork_join/theft_patience.hpp"

#include <doctest/doctest.h>

using blitz::detail::TheftPatience;
using blitz::detail::Ticks;
using blitz::detail::ticks_per_microsecond;

namespace {

Ticks microseconds(Ticks count) { return count * ticks_per_microsecond(); }

/// A thief with a simulated clock that advances at each reading.
struct Thief {
  Ticks now = microseconds(1'000'000);
  Ticks step = ticks_per_microsecond() / 8;
  int looks = 0;  // at deques
  TheftPatience patience;

  struct Deque {
    Thief* thief;
    Ticks until;  // when it becomes empty
    [[nodiscard]] bool empty() const noexcept {
      ++thief->looks;
      return thief->now >= until;
    }
  };

  Ticks clock() { return now += step; }
  void begin_search() {
    patience.begin_search([&] { return clock(); });
  }
  bool outlasted_by(Ticks until) {
    return patience.outlasted_by(Deque{this, until}, [&] { return clock(); });
  }
  /// A search that finds a deque with jobs, a theft of 1 us, and a job that takes `job`. Returns how long the search waits.
  Ticks steal(Ticks job) {
    begin_search();
    const Ticks begin = now;
    REQUIRE(outlasted_by(~Ticks{0}));
    const Ticks waited = now - begin;
    now += microseconds(1);
    patience.end_theft([&] { return clock(); });
    now += job;
    return waited;
  }
};

constexpr Ticks kNever = ~Ticks{0};

}  // namespace

TEST_CASE("theft patience: the wait doubles up to 8 us after each job that is too short") {
  Thief thief;
  CHECK(thief.steal(0) == thief.step);
  for (const Ticks wait : {1, 2, 4, 8, 8, 8}) {
    const Ticks waited = thief.steal(microseconds(1));
    CHECK(waited >= microseconds(wait));
    CHECK(waited <= microseconds(wait) + 2 * thief.step);
  }
}

TEST_CASE("theft patience: a job twice as long as its theft ends the wait") {
  Thief thief;
  for (int i = 0; i < 4; ++i) (void)thief.steal(0);
  CHECK(thief.steal(microseconds(3)) >= microseconds(8));
  CHECK(thief.steal(0) == thief.step);
  CHECK(thief.steal(0) >= microseconds(1));
}

TEST_CASE("theft patience: a deque that becomes empty is not robbed") {
  Thief thief;
  for (int i = 0; i < 5; ++i) (void)thief.steal(0);
  thief.begin_search();
  CHECK_FALSE(thief.outlasted_by(thief.now));  // It is empty from the start.
  const Ticks begin = thief.now;
  CHECK(thief.patience.outrun() == 0);
  CHECK_FALSE(thief.outlasted_by(begin + microseconds(3)));
  CHECK(thief.now <= begin + microseconds(4));
  CHECK(thief.patience.outrun() == 1);
}

TEST_CASE("theft patience: a search waits no longer for several deques than for one") {
  Thief thief;
  for (int i = 0; i < 5; ++i) (void)thief.steal(0);
  thief.begin_search();
  const Ticks begin = thief.now;
  CHECK_FALSE(thief.outlasted_by(begin + microseconds(3)));
  CHECK_FALSE(thief.outlasted_by(begin + microseconds(6)));
  CHECK(thief.outlasted_by(kNever));
  CHECK(thief.now - begin >= microseconds(8));
  CHECK(thief.now - begin <= microseconds(8) + 3 * thief.step);
  CHECK(thief.outlasted_by(kNever));
  CHECK(thief.now - begin <= microseconds(8) + 4 * thief.step);
}

TEST_CASE("theft patience: a search without a theft changes nothing") {
  Thief thief;
  for (int i = 0; i < 5; ++i) (void)thief.steal(0);
  for (int i = 0; i < 3; ++i) {
    thief.begin_search();
    CHECK_FALSE(thief.outlasted_by(thief.now));
    thief.now += microseconds(1000);
  }
  CHECK(thief.steal(0) >= microseconds(8));
}

TEST_CASE("theft patience: the search reads the owner's deque at most twice per microsecond") {
  Thief thief;
  for (int i = 0; i < 5; ++i) (void)thief.steal(0);
  thief.step = ticks_per_microsecond() / 16;
  thief.looks = 0;
  CHECK(thief.steal(0) >= microseconds(8));
  CHECK(thief.looks >= 2);
  CHECK(thief.looks <= 1 + 2 * 8);
}

TEST_CASE("theft patience: the number of pauses is limited if the clock does not advance") {
  Thief thief;
  for (int i = 0; i < 5; ++i) (void)thief.steal(0);
  thief.begin_search();
  thief.step = 0;
  CHECK(thief.outlasted_by(kNever));
}
