#include "blitz/fork_join/sleep.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/core/core_latch.hpp"

using blitz::detail::CoreLatch;
using blitz::detail::Rest;
using blitz::detail::Sleep;

namespace {

constexpr auto kYes = []() noexcept { return true; };
constexpr auto kNo = []() noexcept { return false; };

struct Fields {
  unsigned sleeping;
  unsigned inactive;
  std::uint32_t jec;

  friend bool operator==(const Fields&, const Fields&) = default;
};

Fields fields(const Sleep& sleep) {
  const auto counters = sleep.counters();
  return {counters.sleeping(), counters.inactive(), counters.jec()};
}

/// Searches in vain until it has announced itself: at the next round it would sleep.
void search_until_announced(Sleep& sleep, Sleep::Search& search, CoreLatch& latch, Rest rest = Rest::kWait) {
  while (!search.announced) sleep.no_work_found(search, latch, rest, kNo);
}

void wait_until(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::yield();
}

/// A sleep of which slot 0 is borrowed by this thread: it is the runner of a worker in the middle of a job.
void borrow(Sleep& sleep, std::size_t slot = 0) { REQUIRE(sleep.try_borrow(slot)); }

}  // namespace

TEST_CASE("sleep: all slots begin vacant") {
  Sleep sleep(3, 7);
  CHECK(fields(sleep) == Fields{3, 3, 7});
  CHECK(sleep.somebody_idle());
  for (std::size_t slot = 0; slot < 3; ++slot) {
    CHECK(sleep.times_slept(slot) == 0);
    CHECK(sleep.times_woken(slot) == 0);
  }
}

TEST_CASE("sleep: slots are woken one by one, slot 0 last") {
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

TEST_CASE("sleep: a slot is woken by one of its wakers") {
  Sleep sleep(2);
  CHECK(sleep.try_wake(1));
  CHECK_FALSE(sleep.try_wake(1));
  CHECK(sleep.times_woken(1) == 1);
  (void)sleep.first_search(1);  // its resident runs
  CHECK_FALSE(sleep.try_wake(1));
}

TEST_CASE("sleep: a vacant slot is borrowed by one thread, and not woken meanwhile") {
  Sleep sleep(2, 1);
  CHECK(sleep.try_borrow(0));
  CHECK(fields(sleep) == Fields{1, 1, 1});
  CHECK_FALSE(sleep.try_borrow(0));
  CHECK_FALSE(sleep.try_wake(0));

  CoreLatch terminate;
  sleep.give_back(0, true, terminate, kNo, kYes);
  CHECK(fields(sleep) == Fields{2, 2, 1});
  CHECK(sleep.times_woken(0) == 0);
  CHECK(sleep.try_borrow(0));
}

TEST_CASE("sleep: a slot that is awake is not lent") {
  Sleep sleep(1);
  REQUIRE(sleep.try_wake(0));
  CHECK_FALSE(sleep.try_borrow(0));
}

TEST_CASE("sleep: a borrowed slot with something left to do goes to its resident") {
  Sleep sleep(2, 1);
  CoreLatch terminate;
  borrow(sleep, 1);  // the other slot executes a job
  borrow(sleep);

  SUBCASE("in its own queue") { sleep.give_back(0, false, terminate, kNo, kYes); }
  SUBCASE("in the injector") { sleep.give_back(0, true, terminate, kYes, kYes); }
  SUBCASE("in another queue, whose owner is busy") { sleep.give_back(0, true, terminate, kNo, kNo); }

  CHECK(fields(sleep) == Fields{0, 1, 1});
  CHECK_FALSE(sleep.try_borrow(0));
  CHECK(sleep.first_search(0).slot == 0);  // returns: the resident has been called
}

TEST_CASE("sleep: the queues are not looked at where nobody else executes a job") {
  Sleep sleep(2, 1);
  CoreLatch terminate;
  borrow(sleep);
  bool asked = false;
  sleep.give_back(0, true, terminate, kNo, [&asked]() noexcept {
    asked = true;
    return true;
  });
  CHECK_FALSE(asked);
  CHECK(fields(sleep) == Fields{2, 2, 1});
}

TEST_CASE("sleep: a slot that is given back after its resident's latch was set wakes the resident") {
  Sleep sleep(1, 1);
  CoreLatch terminate;
  borrow(sleep);
  REQUIRE_FALSE(terminate.set());
  CHECK_FALSE(sleep.try_wake(0));  // it is borrowed
  sleep.give_back(0, true, terminate, kNo, kYes);
  CHECK(sleep.times_woken(0) == 1);
  (void)sleep.first_search(0);
  CHECK(fields(sleep) == Fields{0, 1, 1});
}

TEST_CASE("sleep: a job found by the last searcher wakes the next sleeper") {
  Sleep sleep(3, 1);
  REQUIRE(sleep.try_wake(1));
  Sleep::Search search = sleep.first_search(1);

  SUBCASE("nobody else searches") {
    sleep.work_found(search);
    CHECK(sleep.times_woken(2) == 1);
    CHECK(fields(sleep) == Fields{1, 2, 1});
  }
  SUBCASE("another one searches, and will find what is left") {
    borrow(sleep);
    (void)sleep.start_looking(0);
    sleep.work_found(search);
    CHECK(sleep.times_woken(2) == 0);
    CHECK(fields(sleep) == Fields{1, 2, 1});
  }
}

TEST_CASE("sleep: a job found while nobody sleeps wakes nobody") {
  Sleep sleep(1, 1);
  REQUIRE(sleep.try_wake(0));
  Sleep::Search search = sleep.first_search(0);
  sleep.work_found(search);
  CHECK(sleep.times_woken(0) == 1);
  CHECK(fields(sleep) == Fields{0, 0, 1});
  CHECK_FALSE(sleep.somebody_idle());
}

TEST_CASE("sleep: a push wakes one sleeper if nobody searches") {
  Sleep sleep(3);
  borrow(sleep);
  sleep.new_jobs();
  CHECK(sleep.times_woken(1) == 1);
  CHECK(sleep.times_woken(2) == 0);
  CHECK(fields(sleep) == Fields{1, 2, 1});
  sleep.new_jobs();  // slot 1 searches
  CHECK(sleep.times_woken(2) == 0);
  CHECK(fields(sleep) == Fields{1, 2, 1});
}

TEST_CASE("sleep: an injected job wakes one sleeper if nobody searches") {
  Sleep sleep(2);
  sleep.new_injected_jobs();
  CHECK(sleep.times_woken(1) == 1);
  sleep.new_injected_jobs();
  CHECK(sleep.times_woken(0) == 0);
  CHECK(fields(sleep) == Fields{1, 2, 1});
}

TEST_CASE("sleep: a search yields for 32 rounds, and then announces itself") {
  Sleep sleep(2, 1);
  borrow(sleep, 1);
  CoreLatch latch;
  Sleep::Search search = sleep.start_looking(1);
  for (unsigned round = 0; round < 32; ++round) {
    sleep.no_work_found(search, latch, Rest::kWait, kNo);
    REQUIRE(fields(sleep) == Fields{1, 2, 1});
  }
  sleep.no_work_found(search, latch, Rest::kWait, kNo);
  CHECK(fields(sleep) == Fields{1, 2, 2});
}

TEST_CASE(
    "sleep: the resident of slot 0 announces itself at once, to leave the slot free, and who waits there does not") {
  for (const Rest rest : {Rest::kVacate, Rest::kWait}) {
    Sleep sleep(1, 1);
    borrow(sleep);
    CoreLatch latch;
    Sleep::Search search = sleep.start_looking(0);
    unsigned rounds = 0;
    for (; !search.announced; ++rounds) {
      REQUIRE(fields(sleep) == Fields{0, 1, 1});
      sleep.no_work_found(search, latch, rest, kNo);
    }
    CHECK(rounds == 1 + (rest == Rest::kWait ? blitz::detail::kRoundsOfCaller : 0));
    CHECK(fields(sleep) == Fields{0, 1, 2});
  }
}

TEST_CASE("sleep: who has announced itself does not sleep") {
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
    CHECK(search.rounds == 0);
  }
  CHECK(sleep.times_slept(1) == 0);
  CHECK_FALSE(sleep.try_wake(1));  // it is awake
}

TEST_CASE("sleep: a search goes on as before where the JEC wraps around") {
  Sleep sleep(2, 0xffffffff);
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

TEST_CASE("sleep: a worker that waits for a latch sleeps until it is woken, and is not lent") {
  for (const std::uint32_t first_jec : {0U, 1U, 0xfffffffeU, 0xffffffffU}) {
    CAPTURE(first_jec);
    Sleep sleep(2, first_jec);
    borrow(sleep);  // this thread executes a job, which posts nothing
    CoreLatch latch;
    REQUIRE(sleep.try_wake(1));
    std::thread worker([&] {
      Sleep::Search first = sleep.first_search(1);
      sleep.work_found(first);
      Sleep::Search search = sleep.start_looking(1);
      while (!latch.probe()) sleep.no_work_found(search, latch, Rest::kWait, kNo);
      sleep.work_found(search);
    });
    wait_until([&] { return sleep.times_slept(1) == 1; });
    CHECK(sleep.counters().sleeping() == 1);
    CHECK(sleep.counters().inactive() == 1);
    CHECK_FALSE(sleep.try_borrow(1));
    CHECK(latch.set());
    CHECK(sleep.try_wake(1));
    worker.join();
    CHECK(sleep.counters().sleeping() == 0);
    CHECK(sleep.counters().inactive() == 0);
    CHECK(sleep.times_slept(1) == 1);
    CHECK(sleep.times_woken(1) == 2);
  }
}

TEST_CASE("sleep: a woken worker whose latch is not set searches again, and may sleep again") {
  Sleep sleep(2);
  borrow(sleep);
  CoreLatch latch;
  REQUIRE(sleep.try_wake(1));
  std::thread worker([&] {
    Sleep::Search search = sleep.first_search(1);
    while (!latch.probe()) sleep.no_work_found(search, latch, Rest::kWait, kNo);
    sleep.work_found(search);
  });
  for (std::uint64_t times = 1; times <= 3; ++times) {
    wait_until([&] { return sleep.times_slept(1) == times; });
    CHECK(sleep.times_woken(1) == times);
    sleep.new_jobs();
  }
  wait_until([&] { return sleep.times_slept(1) == 4; });
  CHECK(latch.set());
  sleep.try_wake(1);
  worker.join();
}

TEST_CASE("sleep: a resident without work makes its slot vacant, and runs it again when it is woken") {
  Sleep sleep(2);
  CoreLatch terminate;
  REQUIRE(sleep.try_wake(1));
  std::thread resident([&] {
    Sleep::Search search = sleep.first_search(1);
    while (!terminate.probe()) sleep.no_work_found(search, terminate, Rest::kVacate, kNo);
    sleep.work_found(search);
  });
  wait_until([&] { return sleep.times_slept(1) == 1; });
  CHECK(sleep.try_borrow(1));
  sleep.give_back(1, true, terminate, kNo, kYes);
  CHECK(sleep.times_woken(1) == 1);
  CHECK(terminate.set());
  CHECK(sleep.try_wake(1));
  resident.join();
  CHECK(sleep.times_woken(1) == 2);
}

TEST_CASE("sleep: a guest that waits for a latch is woken, and the resident sleeps on") {
  Sleep sleep(1, 1);
  CoreLatch terminate;
  std::thread resident([&] {
    Sleep::Search search = sleep.first_search(0);
    CHECK(terminate.probe());
    sleep.work_found(search);
  });
  CoreLatch latch;
  std::thread guest([&] {
    while (!sleep.try_borrow(0)) std::this_thread::yield();
    Sleep::Search search = sleep.start_looking(0);
    while (!latch.probe()) sleep.no_work_found(search, latch, Rest::kWait, kNo);
    sleep.work_found(search);
    sleep.give_back(0, true, terminate, kNo, kYes);
  });
  wait_until([&] { return sleep.times_slept(0) == 1; });
  CHECK(latch.set());
  CHECK(sleep.try_wake(0));
  guest.join();
  CHECK(fields(sleep).sleeping == 1);
  (void)terminate.set();
  CHECK(sleep.try_wake(0));
  resident.join();
}

TEST_CASE("sleep: after a late wake-up one worker watches instead of sleeping, and counts as awake") {
  Sleep sleep(2);
  borrow(sleep);
  CoreLatch terminate;
  REQUIRE(sleep.try_wake(1));
  Sleep::Search search = sleep.first_search(1);
  search.rounds = blitz::detail::kRoundsOfSearch;  // as a search that has found nothing
  sleep.no_work_found(search, terminate, Rest::kVacate, kNo);
  CHECK(search.watch.on);
  CHECK(fields(sleep) == Fields{0, 1, 0});
  sleep.new_jobs();  // it will look by itself
  CHECK(sleep.times_woken(1) == 1);
  sleep.work_found(search);
  CHECK_FALSE(search.watch.on);
  CHECK(fields(sleep) == Fields{0, 0, 1});
}

TEST_CASE("sleep: who is kept awake by jobs that others take watches instead") {
  Sleep sleep(2);
  borrow(sleep, 0);
  borrow(sleep, 1);
  CoreLatch terminate;
  Sleep::Search search = sleep.start_looking(1);
  search.rounds = blitz::detail::kRoundsOfSearch;
  for (unsigned i = 0; i < Sleep::kMissedPosts; ++i) {
    sleep.no_work_found(search, terminate, Rest::kVacate, kNo);
    REQUIRE(search.announced);
    sleep.new_jobs();
    sleep.no_work_found(search, terminate, Rest::kVacate, kNo);
    REQUIRE_FALSE(search.announced);
    REQUIRE_FALSE(search.watch.on);
  }
  sleep.no_work_found(search, terminate, Rest::kVacate, kNo);
  CHECK(search.watch.on);
  sleep.work_found(search);
}
