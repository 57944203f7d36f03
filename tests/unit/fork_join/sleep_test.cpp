// The promises of this protocol beyond its contract, which public/idle_protocol_test.cpp tests.
#include "blitz/detail/fork_join/sleep.hpp"

#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include "blitz/detail/job/latch.hpp"

using blitz::detail::CoreLatch;
using blitz::detail::Rest;
using blitz::detail::Sleep;

namespace {

constexpr auto kYes = []() noexcept { return true; };
constexpr auto kNo = []() noexcept { return false; };

struct Fields {
  unsigned sleeping;
  std::size_t inactive;
  std::uint64_t jec;

  friend bool operator==(const Fields&, const Fields&) = default;
};

Fields fields(const Sleep& sleep) {
  const auto counters = sleep.counters();
  return {counters.sleeping(), counters.sleeping() + sleep.num_searching(), counters.jec()};
}

/// Searches without success until it has announced itself: in the next round it would sleep.
void search_until_announced(Sleep& sleep, Sleep::Search& search, CoreLatch& latch) {
  while (!search.announced) sleep.no_work_found(search, latch, Rest::kWait, kNo);
}

/// Slot 0 of `sleep` becomes borrowed by this thread, as by the runner of a worker in the middle of a job.
void borrow(Sleep& sleep, std::size_t slot = 0) { REQUIRE(sleep.try_borrow(slot)); }

}  // namespace

TEST_CASE("sleep: slots are woken one by one and slot 0 last") {
  Sleep sleep(3);
  CHECK(sleep.wake_any());
  CHECK(sleep.times_woken(1) == 1);
  CHECK(fields(sleep) == Fields{2, 3, 0});
  CHECK(sleep.wake_any());
  CHECK(sleep.times_woken(2) == 1);
  CHECK(sleep.times_woken(0) == 0);
  CHECK(sleep.wake_any());
  CHECK(sleep.times_woken(0) == 1);
  CHECK_FALSE(sleep.wake_any());
  CHECK(fields(sleep) == Fields{0, 3, 0});
}

TEST_CASE("sleep: only a post makes the JEC active and only an announcement makes it sleepy") {
  const auto jec = [](const Sleep& sleep) { return sleep.counters().jec(); };
  CoreLatch latch;
  SUBCASE("posts") {
    Sleep sleep(3);
    borrow(sleep);
    sleep.new_jobs();
    CHECK(jec(sleep) == 1);
    sleep.new_jobs();
    sleep.new_injected_jobs();
    CHECK(jec(sleep) == 1);
    Sleep other(2);
    other.new_injected_jobs();
    CHECK(jec(other) == 1);
  }
  SUBCASE("a search") {
    Sleep sleep(2, 1);
    borrow(sleep, 1);
    Sleep::Search search = sleep.start_looking(1);
    for (unsigned round = 0; round < blitz::detail::kRoundsOfSearch; ++round) {
      sleep.no_work_found(search, latch, Rest::kWait, kNo);
      REQUIRE(fields(sleep) == Fields{1, 2, 1});
    }
    sleep.no_work_found(search, latch, Rest::kWait, kNo);
    CHECK(fields(sleep) == Fields{1, 2, 2});
  }
  SUBCASE("waking, borrowing, and giving back") {
    Sleep sleep(3, 1);
    borrow(sleep, 1);
    borrow(sleep);
    sleep.give_back(0, true, latch, kNo, kYes);
    CHECK(fields(sleep) == Fields{2, 2, 1});
    borrow(sleep);
    sleep.give_back(0, false, latch, kNo, kYes);
    CHECK(fields(sleep) == Fields{1, 2, 1});
    Sleep::Search search = sleep.first_search(0);
    sleep.work_found(search);  // and wakes slot 2
    CHECK(fields(sleep) == Fields{0, 1, 1});
  }
}

TEST_CASE("sleep: a worker that has announced itself does not sleep") {
  Sleep sleep(2, 1);
  borrow(sleep, 1);
  borrow(sleep);
  CoreLatch latch;
  Sleep::Search search = sleep.start_looking(1);
  search_until_announced(sleep, search, latch);
  REQUIRE(fields(sleep) == Fields{0, 1, 2});

  SUBCASE("if its latch was set") {
    CHECK_FALSE(latch.set());
    sleep.no_work_found(search, latch, Rest::kWait, kNo);
    CHECK(latch.probe());
    CHECK(fields(sleep) == Fields{0, 1, 2});
  }
  SUBCASE("if something was posted since") {
    sleep.new_jobs();
    sleep.no_work_found(search, latch, Rest::kWait, kNo);
    CHECK(fields(sleep) == Fields{0, 1, 3});
    sleep.no_work_found(search, latch, Rest::kWait, kNo);  // after one search more it announces itself again
    CHECK(fields(sleep) == Fields{0, 1, 4});
  }
  SUBCASE("if there is a job in the injector") {
    sleep.no_work_found(search, latch, Rest::kWait, kYes);
    CHECK(fields(sleep) == Fields{0, 1, 2});
    CHECK(search.idling.rounds == 0);
  }
  CHECK(sleep.times_slept(1) == 0);
  CHECK_FALSE(sleep.try_wake(1));  // it is awake
}

TEST_CASE("sleep: a search continues when the JEC wraps around") {
  Sleep sleep(2, 0xffff'ffff'ffff);
  borrow(sleep, 1);
  borrow(sleep);
  CoreLatch latch;
  Sleep::Search search = sleep.start_looking(1);
  search_until_announced(sleep, search, latch);
  CHECK(fields(sleep) == Fields{0, 1, 0});
  sleep.new_jobs();
  CHECK(fields(sleep) == Fields{0, 1, 1});
  sleep.no_work_found(search, latch, Rest::kWait, kNo);
  CHECK(sleep.times_slept(1) == 0);
}

namespace {

/// Runs no code: the address of the function is the fork's name.
void run_nothing(blitz::policy::Job* /*job*/, blitz::detail::WorkerBase& /*worker*/) noexcept {}

}  // namespace

TEST_CASE("sleep: an unknown half wakes a slot and a half that was short neither wakes nor posts") {
  // A fork looks long if this thread loses its processor during it. So one of a few tries must succeed.
  bool none = false;
  for (int tries = 0; tries < 100 && !none; ++tries) {
    Sleep sleep(2);
    blitz::policy::Job half(&run_nothing);
    const auto fork_alone = [&] {
      borrow(sleep);
      const auto offer = sleep.new_half(0, &half, 0);
      CHECK(offer.is_timed);
      sleep.fork_ended(0, &half, false);
      sleep.give_back(0, true, CoreLatch(), kNo, [] { return true; });
      return offer.woke;
    };
    CHECK(fork_alone());
    CHECK(sleep.times_woken(1) == 1);
    CHECK(fields(sleep) == Fields{1, 2, 1});
    CoreLatch terminate;
    REQUIRE_FALSE(sleep.try_wake(1));
    // The resident arrives too late, announces itself, and goes to sleep.
    Sleep::Search search{.slot = 1};
    while (!search.announced) sleep.no_work_found(search, terminate, Rest::kVacate, kNo);
    CHECK(fields(sleep).jec == 2);
    borrow(sleep);
    CHECK_FALSE(sleep.new_half(0, &half, 0).woke);  // No slot sleeps.
    blitz::policy::Job inner(&run_nothing);
    CHECK_FALSE(sleep.new_half(0, &inner, 0).is_timed);
    none = fields(sleep) == Fields{0, 1, 2};
    if (!none) continue;
    // Jobs that the pool needs are posted as usual.
    CHECK_FALSE(sleep.new_jobs(0, 1));
    CHECK(fields(sleep) == Fields{0, 1, 3});
  }
  CHECK(none);
}
