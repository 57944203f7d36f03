// The contract IdleProtocol of blitz/policy.hpp, tested on the idle protocol of each policy. Each protocol's own tests check
// its further promises.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/async/idle_state.hpp"
#include "blitz/detail/fork_join/sleep.hpp"
#include "blitz/detail/job/latch.hpp"
#include "support/reference_policy.hpp"

using blitz::detail::Audience;
using blitz::detail::CoreLatch;
using blitz::detail::IdleState;
using blitz::detail::Rest;
using blitz::detail::Sleep;
using blitz_test::ReferenceIdle;

namespace {

/// A Sleep with a jobs-event counter that begins at `jec`. It wraps around after 0xffff'ffff'ffff.
template <std::uint64_t jec>
struct SleepFrom : Sleep {
  explicit SleepFrom(std::size_t slots) : Sleep(slots, jec) {}
};

/// The number of slots that are asleep or vacant, and of slots that are awake without a job.
struct Counts {
  std::size_t asleep;
  std::size_t searching;

  friend bool operator==(const Counts&, const Counts&) = default;
};

Counts counts(const Sleep& idle) { return {idle.num_parked(), idle.num_searching()}; }
Counts counts(const IdleState& idle) { return {idle.num_parked(), idle.num_searching()}; }
Counts counts(const ReferenceIdle& idle) { return {idle.asleep(), idle.searching()}; }

/// True if the next call of no_work_found may block.
bool is_last_check(const Sleep::Search& search) { return search.announced; }
bool is_last_check(const IdleState::Search& search) { return search.parked; }
bool is_last_check(const ReferenceIdle::Search& /*search*/) { return true; }

constexpr auto kYes = []() noexcept { return true; };
constexpr auto kNo = []() noexcept { return false; };

/// Searches without success until the next no_work_found may block.
template <class Idle>
void search_until_last_check(Idle& idle, typename Idle::Search& search, CoreLatch& latch) {
  while (!is_last_check(search)) idle.no_work_found(search, latch, Rest::kWait, kNo);
}

/// Searches until the latch is set.
template <class Idle>
void search_until(Idle& idle, typename Idle::Search search, CoreLatch& latch, Rest rest = Rest::kWait) {
  while (!latch.probe()) idle.no_work_found(search, latch, rest, kNo);
  idle.work_found(search);
}

void wait_until(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::yield();
}

/// This thread becomes the runner of `slot`, which executes a job.
template <class Idle>
void borrow(Idle& idle, std::size_t slot = 0) {
  REQUIRE(idle.try_borrow(slot));
}

}  // namespace

#define IDLE_PROTOCOLS Sleep, IdleState, ReferenceIdle

TYPE_TO_STRING(Sleep);
TYPE_TO_STRING(SleepFrom<1>);
TYPE_TO_STRING(SleepFrom<0xffff'ffff'fffe>);
TYPE_TO_STRING(SleepFrom<0xffff'ffff'ffff>);
TYPE_TO_STRING(IdleState);
TYPE_TO_STRING(ReferenceIdle);

// --- waking ---

TEST_CASE_TEMPLATE("idle protocol: all slots begin vacant for every number of slots", Idle, IDLE_PROTOCOLS) {
  for (const std::size_t slots : {1U, 2U, 3U, 16U, 17U, 65U, 300U}) {
    CAPTURE(slots);
    Idle idle(slots);
    CHECK(counts(idle) == Counts{slots, 0});
    CHECK(idle.audience(0) == Audience::kSleeps);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      CHECK(idle.times_slept(slot) == 0);
      CHECK(idle.times_woken(slot) == 0);
    }
    for (std::size_t slot = 0; slot < slots; ++slot) borrow(idle, slot);
    CHECK(counts(idle) == Counts{0, 0});
    CHECK(idle.audience(0) == Audience::kNobody);
  }
}

TEST_CASE_TEMPLATE("idle protocol: an injected job wakes one slot unless one searches", Idle, IDLE_PROTOCOLS) {
  Idle idle(2);
  idle.new_injected_jobs();
  CHECK(idle.times_woken(1) == 1);
  CHECK(counts(idle) == Counts{1, 1});
  idle.new_injected_jobs();
  CHECK(idle.times_woken(0) == 0);
  CHECK(counts(idle) == Counts{1, 1});
}

TEST_CASE_TEMPLATE("idle protocol: a push wakes one slot unless one searches", Idle, IDLE_PROTOCOLS) {
  Idle idle(3);
  borrow(idle);
  idle.new_jobs();
  CHECK(idle.times_woken(1) + idle.times_woken(2) == 1);
  CHECK(counts(idle) == Counts{1, 1});
  idle.new_jobs();
  CHECK(idle.times_woken(1) + idle.times_woken(2) == 1);
  CHECK(counts(idle) == Counts{1, 1});
}

TEST_CASE_TEMPLATE("idle protocol: the number of wanted offers is the logarithm of the idle slots", Idle, SleepFrom<1>,
                   IdleState) {
  Idle idle(9);
  borrow(idle);
  for (std::size_t offered = 0; offered < 4; ++offered) CHECK(idle.audience(offered) == Audience::kSleeps);
  CHECK(idle.audience(4) == Audience::kNobody);
  idle.new_jobs();
  CHECK(idle.audience(0) == Audience::kSearches);
  CHECK(idle.audience(1) == Audience::kSleeps);
  for (std::size_t slot = 2; slot < 9; ++slot) borrow(idle, slot);
  CHECK(idle.audience(1) == Audience::kNobody);
}

TEST_CASE_TEMPLATE("idle protocol: a part of a loop wakes a slot if fewer search than its owner offers", Idle,
                   SleepFrom<1>, IdleState) {
  Idle idle(5);
  borrow(idle);
  CHECK(idle.new_jobs(0, 1));
  CHECK(idle.new_jobs(0, 2));
  CHECK(counts(idle) == Counts{2, 2});
  CHECK_FALSE(idle.new_jobs(0, 2));
  CHECK(counts(idle) == Counts{2, 2});
  CHECK(idle.new_jobs(0, 4));
  CHECK(counts(idle) == Counts{1, 3});
}

TEST_CASE("idle protocol: the owner of several parts assumes as many of each other active slot") {
  SleepFrom<1> idle(9);
  borrow(idle);
  borrow(idle, 1);
  for (int woken = 0; woken < 4; ++woken) {
    CHECK(idle.audience(2) == Audience::kSleeps);
    CHECK(idle.new_jobs(0, 2));
  }
  CHECK_FALSE(idle.new_jobs(0, 2));
  CHECK(idle.new_jobs(1, 3));  // Six are enough.
  CHECK(idle.audience(2) == Audience::kSearches);
  CHECK_FALSE(idle.new_jobs(1, 1));
}

TEST_CASE_TEMPLATE("idle protocol: a cascade wakes every slot once and slot 0 last", Idle, IDLE_PROTOCOLS) {
  for (const std::size_t slots : {1U, 3U, 16U, 17U, 65U, 300U}) {
    CAPTURE(slots);
    Idle idle(slots);
    std::vector<bool> ran(slots);
    const auto woken_slot = [&] {
      std::size_t slot = 1 % slots;
      while (slot != 0 && (ran[slot] || idle.times_woken(slot) == 0)) slot = (slot + 1) % slots;
      return slot;
    };
    idle.new_jobs();
    for (std::size_t woken = 1; woken <= slots; ++woken) {
      const std::size_t slot = woken_slot();
      REQUIRE((slot == 0) == (woken == slots));
      REQUIRE(idle.times_woken(slot) == 1);
      REQUIRE(counts(idle) == Counts{slots - woken, 1});
      idle.new_jobs();  // the woken slot searches: no other is woken
      idle.new_injected_jobs();
      REQUIRE(counts(idle) == Counts{slots - woken, 1});
      auto search = idle.first_search(slot);
      idle.work_found(search);
      ran[slot] = true;
    }
    CHECK(counts(idle) == Counts{0, 0});
    CHECK(idle.audience(0) == Audience::kNobody);
    idle.new_jobs();
    idle.new_injected_jobs();
    CHECK(counts(idle) == Counts{0, 0});
    for (std::size_t slot = 0; slot < slots; ++slot) CHECK(idle.times_woken(slot) == 1);
  }
}

TEST_CASE_TEMPLATE("idle protocol: a found job wakes another slot only if no other searches", Idle, IDLE_PROTOCOLS) {
  Idle idle(3);
  REQUIRE(idle.try_wake(1));
  auto search = idle.first_search(1);

  SUBCASE("no other searches") {
    idle.work_found(search);
    CHECK(idle.times_woken(2) == 1);
    CHECK(counts(idle) == Counts{1, 1});
  }
  SUBCASE("another one searches, and will find what is left") {
    borrow(idle);
    (void)idle.start_looking(0);
    idle.work_found(search);
    CHECK(idle.times_woken(2) == 0);
    CHECK(counts(idle) == Counts{1, 1});
  }
}

TEST_CASE_TEMPLATE("idle protocol: only one of several wakers wakes a slot", Idle, IDLE_PROTOCOLS) {
  Idle idle(2);
  CHECK(idle.try_wake(1));
  CHECK_FALSE(idle.try_wake(1));
  CHECK(idle.times_woken(1) == 1);
  (void)idle.first_search(1);  // its resident runs
  CHECK_FALSE(idle.try_wake(1));
}

// --- borrowing ---

TEST_CASE_TEMPLATE("idle protocol: a vacant slot is borrowed by one thread and not woken until it is returned", Idle,
                   IDLE_PROTOCOLS) {
  for (const std::size_t slots : {2U, 70U}) {
    Idle idle(slots);
    CHECK(idle.try_borrow(0));
    CHECK(counts(idle) == Counts{slots - 1, 0});
    CHECK_FALSE(idle.try_borrow(0));
    CHECK_FALSE(idle.try_wake(0));

    CoreLatch terminate;
    idle.give_back(0, true, terminate, kNo, kYes);
    CHECK(counts(idle) == Counts{slots, 0});
    CHECK(idle.times_woken(0) == 0);
    CHECK(idle.try_borrow(0));
  }
}

TEST_CASE_TEMPLATE("idle protocol: a slot that is awake cannot be borrowed", Idle, IDLE_PROTOCOLS) {
  Idle idle(1);
  REQUIRE(idle.try_wake(0));
  CHECK_FALSE(idle.try_borrow(0));
}

TEST_CASE_TEMPLATE("idle protocol: a returned slot with remaining work goes to its resident", Idle, IDLE_PROTOCOLS) {
  Idle idle(2);
  CoreLatch terminate;
  borrow(idle, 1);  // the other slot executes a job
  borrow(idle);

  SUBCASE("in its own queue") { idle.give_back(0, false, terminate, kNo, kYes); }
  SUBCASE("in the injector") { idle.give_back(0, true, terminate, kYes, kYes); }
  SUBCASE("in another queue, whose owner is busy") { idle.give_back(0, true, terminate, kNo, kNo); }

  CHECK(counts(idle) == Counts{0, 1});
  CHECK_FALSE(idle.try_borrow(0));
  CHECK(idle.first_search(0).slot == 0);  // returns: the resident has been called
}

TEST_CASE_TEMPLATE("idle protocol: a returned slot wakes its resident if the resident's latch is set", Idle,
                   IDLE_PROTOCOLS) {
  Idle idle(1);
  CoreLatch terminate;
  borrow(idle);
  REQUIRE_FALSE(terminate.set());
  CHECK_FALSE(idle.try_wake(0));  // it is borrowed
  idle.give_back(0, true, terminate, kNo, kYes);
  CHECK(idle.times_woken(0) == 1);
  (void)idle.first_search(0);
  CHECK(counts(idle) == Counts{0, 1});
}

TEST_CASE_TEMPLATE("idle protocol: the queues are not checked if no other slot runs a job", Idle, Sleep, IdleState) {
  for (const std::size_t slots : {2U, 100U}) {
    Idle idle(slots);
    CoreLatch terminate;
    borrow(idle);
    bool asked = false;
    const auto queues_empty = [&asked]() noexcept {
      asked = true;
      return true;
    };
    idle.give_back(0, true, terminate, kNo, queues_empty);
    CHECK_FALSE(asked);
    CHECK(counts(idle) == Counts{slots, 0});
    borrow(idle, slots - 1);
    borrow(idle);
    idle.give_back(0, true, terminate, kNo, queues_empty);
    CHECK(asked);
    CHECK(counts(idle) == Counts{slots - 1, 0});
  }
}

// --- sleeping ---

TEST_CASE_TEMPLATE("idle protocol: a search yields for 32 rounds before its last check", Idle, Sleep, IdleState) {
  for (const Rest rest : {Rest::kVacate, Rest::kWait}) {
    Idle idle(2);
    borrow(idle, 1);
    borrow(idle);
    CoreLatch latch;
    auto search = idle.start_looking(1);
    for (unsigned round = 0; round < blitz::detail::kRoundsOfSearch; ++round) {
      idle.no_work_found(search, latch, rest, kNo);
      REQUIRE_FALSE(is_last_check(search));
      REQUIRE(counts(idle) == Counts{0, 1});
    }
    idle.no_work_found(search, latch, rest, kNo);
    CHECK(is_last_check(search));
    CHECK(idle.times_slept(1) == 0);
  }
}

TEST_CASE_TEMPLATE("idle protocol: all search on except the resident of slot 0 without a job", Idle, Sleep, IdleState) {
  for (const Rest rest : {Rest::kVacate, Rest::kWait}) {
    for (const std::size_t slot : {0U, 1U}) {
      for (const bool woken : {false, true}) {
        CAPTURE(slot);
        CAPTURE(woken);
        Idle idle(2);
        CoreLatch latch;
        auto search = [&] {
          if (!woken) {
            borrow(idle, slot);
            return idle.start_looking(slot);
          }
          REQUIRE(idle.try_wake(slot));
          return idle.first_search(slot);
        }();
        unsigned rounds = 0;
        for (; !is_last_check(search); ++rounds) {
          REQUIRE(counts(idle) == Counts{1, 1});
          idle.no_work_found(search, latch, rest, kNo);
        }
        const bool searches_on = slot != 0 || rest == Rest::kWait;
        CHECK(rounds == 1 + (searches_on ? blitz::detail::rounds_of_search(slot) : 0));
      }
    }
  }
}

TEST_CASE_TEMPLATE("idle protocol: a worker does not block after a failed last check", Idle, IDLE_PROTOCOLS) {
  Idle idle(2);
  borrow(idle, 1);
  borrow(idle);
  CoreLatch latch;
  auto search = idle.start_looking(1);
  search_until_last_check(idle, search, latch);
  SUBCASE("if its latch was set") {
    CHECK_FALSE(latch.set());
    idle.no_work_found(search, latch, Rest::kWait, kNo);
    CHECK(latch.probe());
    CHECK(idle.times_slept(1) == 0);
  }
  SUBCASE("if something was posted since") {
    idle.new_jobs();
    idle.no_work_found(search, latch, Rest::kWait, kNo);
    CHECK(counts(idle) == Counts{0, 1});
    CHECK_FALSE(latch.probe());
  }
  idle.work_found(search);
  CHECK(counts(idle) == Counts{0, 0});
  CHECK_FALSE(idle.try_wake(1));  // it is awake
}

TEST_CASE_TEMPLATE("idle protocol: a job found in the last check leaves no wake-up behind", Idle, IDLE_PROTOCOLS) {
  Idle idle(2);
  borrow(idle, 1);
  borrow(idle);
  CoreLatch latch;
  auto search = idle.start_looking(1);
  search_until_last_check(idle, search, latch);

  SUBCASE("if nothing was posted") { idle.work_found(search); }
  SUBCASE("if it was posted after the search began") {
    idle.new_jobs();
    idle.work_found(search);
  }
  CHECK(counts(idle) == Counts{0, 0});
  CHECK_FALSE(idle.try_wake(1));  // it is awake
  const std::uint64_t slept = idle.times_slept(1);
  auto next = idle.start_looking(1);
  search_until_last_check(idle, next, latch);
  std::atomic<bool> awake{false};
  std::thread worker([&] {
    idle.no_work_found(next, latch, Rest::kWait, kNo);
    awake.store(true);
  });
  wait_until([&] { return idle.times_slept(1) == slept + 1; });
  for (int i = 0; i < 100; ++i) std::this_thread::yield();
  CHECK_FALSE(awake.load());
  CHECK(idle.try_wake(1));
  worker.join();
}

TEST_CASE_TEMPLATE("idle protocol: a worker that waits for a latch sleeps and its slot cannot be borrowed", Idle,
                   IDLE_PROTOCOLS, SleepFrom<1>, SleepFrom<0xffff'ffff'fffe>, SleepFrom<0xffff'ffff'ffff>) {
  for (const std::size_t slots : {2U, 65U}) {
    Idle idle(slots);
    const std::size_t slot = slots - 1;
    for (std::size_t s = 0; s < slots; ++s) {
      if (s != slot) borrow(idle, s);
    }
    CoreLatch latch;
    REQUIRE(idle.try_wake(slot));
    std::thread worker([&] {
      auto first = idle.first_search(slot);
      idle.work_found(first);
      search_until(idle, idle.start_looking(slot), latch);
    });
    wait_until([&] { return idle.times_slept(slot) == 1; });
    CHECK(counts(idle) == Counts{1, 0});
    CHECK_FALSE(idle.try_borrow(slot));
    CHECK(latch.set());
    CHECK(idle.try_wake(slot));
    worker.join();
    CHECK(counts(idle) == Counts{0, 0});
    CHECK(idle.times_slept(slot) == 1);
    CHECK(idle.times_woken(slot) == 2);
  }
}

TEST_CASE_TEMPLATE("idle protocol: a woken worker whose latch is not set searches and sleeps again", Idle,
                   IDLE_PROTOCOLS) {
  Idle idle(2);
  borrow(idle);
  CoreLatch latch;
  REQUIRE(idle.try_wake(1));
  std::thread worker([&] { search_until(idle, idle.first_search(1), latch); });
  for (std::uint64_t times = 1; times <= 3; ++times) {
    wait_until([&] { return idle.times_slept(1) == times; });
    CHECK(idle.times_woken(1) == times);
    idle.new_jobs();
  }
  wait_until([&] { return idle.times_slept(1) == 4; });
  CHECK(latch.set());
  idle.try_wake(1);
  worker.join();
  CHECK(counts(idle) == Counts{0, 0});
}

TEST_CASE_TEMPLATE("idle protocol: a resident without work vacates its slot and runs it when it is woken", Idle,
                   IDLE_PROTOCOLS) {
  Idle idle(2);
  borrow(idle);
  CoreLatch terminate;
  REQUIRE(idle.try_wake(1));
  std::thread resident([&] { search_until(idle, idle.first_search(1), terminate, Rest::kVacate); });
  for (int i = 0; i < 50; ++i) {
    wait_until([&] { return idle.try_borrow(1); });
    idle.give_back(1, true, terminate, kNo, kYes);
  }
  wait_until([&] { return idle.times_slept(1) > 0; });
  CHECK(idle.times_woken(1) == 1);
  CHECK(terminate.set());
  CHECK(idle.try_wake(1));
  resident.join();
  CHECK(idle.times_woken(1) == 2);
  CHECK(counts(idle) == Counts{0, 0});
}

TEST_CASE_TEMPLATE("idle protocol: a waiting guest is woken and the resident keeps sleeping", Idle, IDLE_PROTOCOLS) {
  Idle idle(1);
  CoreLatch terminate;
  std::thread resident([&] {
    auto search = idle.first_search(0);
    CHECK(terminate.probe());
    idle.work_found(search);
  });
  CoreLatch latch;
  std::thread guest([&] {
    while (!idle.try_borrow(0)) std::this_thread::yield();
    search_until(idle, idle.start_looking(0), latch);
    idle.give_back(0, true, terminate, kNo, kYes);
  });
  wait_until([&] { return idle.times_slept(0) == 1; });
  CHECK(latch.set());
  CHECK(idle.try_wake(0));
  guest.join();
  CHECK(counts(idle) == Counts{1, 0});
  (void)terminate.set();
  CHECK(idle.try_wake(0));
  resident.join();
}

// --- slots without residents ---

namespace {

/// Records the slots of all summonses.
struct Summonses {
  std::vector<std::size_t> slots;
  static void call(void* team, std::size_t slot) noexcept { static_cast<Summonses*>(team)->slots.push_back(slot); }
};

/// A protocol of three slots, with summonses. A thread from outside runs slot 0.
template <class Idle>
struct SummoningTeam {
  SummoningTeam() : idle(3) {
    idle.summon_by(&Summonses::call, &summonses);
    borrow(idle);
  }
  Idle idle;
  Summonses summonses;
};

}  // namespace

TEST_CASE_TEMPLATE("idle protocol: a push summons a thread for one vacant slot unless one searches", Idle,
                   IDLE_PROTOCOLS) {
  SummoningTeam<Idle> team;
  auto& slots = team.summonses.slots;
  team.idle.new_jobs();
  REQUIRE(slots.size() == 1);
  CHECK(slots[0] != 0);
  CHECK(counts(team.idle) == Counts{1, 1});
  team.idle.new_jobs();
  CHECK(slots.size() == 1);
  auto search = team.idle.summoned(slots[0]);
  team.idle.work_found(search);  // passes the wake-up on
  REQUIRE(slots.size() == 2);
  CHECK(slots[1] == 3 - slots[0]);
  CHECK(counts(team.idle) == Counts{0, 1});
}

TEST_CASE_TEMPLATE("idle protocol: a summoned thread without work leaves its slot vacant", Idle, IDLE_PROTOCOLS) {
  SummoningTeam<Idle> team;
  const CoreLatch unset;
  for (std::size_t round = 1; round <= 3; ++round) {
    team.idle.new_jobs();
    REQUIRE(team.summonses.slots.size() == round);
    auto search = team.idle.summoned(team.summonses.slots.back());
    team.idle.retire(search, unset, kNo, kYes);
    CHECK(team.summonses.slots.size() == round);
    CHECK(counts(team.idle) == Counts{2, 0});
  }
}

TEST_CASE_TEMPLATE("idle protocol: a thread is summoned again if work remains as the last one leaves", Idle,
                   IDLE_PROTOCOLS) {
  const CoreLatch unset;
  CoreLatch set;
  (void)set.set();
  const auto check = [](const auto& retire) {
    SummoningTeam<Idle> team;
    team.idle.new_jobs();
    auto search = team.idle.summoned(team.summonses.slots.back());
    retire(team.idle, search);
    REQUIRE(team.summonses.slots.size() == 2);
    CHECK(team.summonses.slots[1] == team.summonses.slots[0]);
    CHECK(counts(team.idle) == Counts{1, 1});
  };
  check([&](Idle& idle, auto& search) { idle.retire(search, unset, kYes, kYes); });
  check([&](Idle& idle, auto& search) { idle.retire(search, unset, kNo, kNo); });
  check([&](Idle& idle, auto& search) { idle.retire(search, set, kNo, kYes); });
}

// --- all together ---

namespace {

/// A pool reduced to a counter of jobs. Residents run the slots, and the poster borrows slot 0 when it can. After a lost
/// wake-up a job remains, and this test hangs.
template <class Idle>
void jobs_are_found(std::size_t slots, int rounds) {
  Idle idle(slots);
  std::atomic<int> waiting{0};
  std::atomic<int> done{0};
  std::vector<std::unique_ptr<CoreLatch>> terminate;
  for (std::size_t slot = 0; slot < slots; ++slot) terminate.push_back(std::make_unique<CoreLatch>());
  const auto take = [&]() noexcept {
    int seen = waiting.load();
    while (seen > 0 && !waiting.compare_exchange_weak(seen, seen - 1)) {
    }
    return seen > 0;
  };
  const auto injected = [&]() noexcept { return waiting.load() > 0; };
  std::vector<std::thread> residents;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    residents.emplace_back([&, slot] {
      CoreLatch& latch = *terminate[slot];
      auto search = idle.first_search(slot);
      for (;;) {
        bool found = false;
        while (!latch.probe() && !(found = take())) idle.no_work_found(search, latch, Rest::kVacate, injected);
        idle.work_found(search);
        if (!found) return;
        done.fetch_add(1);
        search = idle.start_looking(slot);
      }
    });
  }
  int posted = 0;
  for (int round = 0; round < rounds; ++round) {
    const int batch = 1 + round % 3;
    const bool inside = round % 2 == 0 && idle.try_borrow(0);
    for (int i = 0; i < batch; ++i) {
      waiting.fetch_add(1);
      ++posted;
      if (inside) {
        idle.new_jobs();
      } else {
        idle.new_injected_jobs();
      }
    }
    if (inside) idle.give_back(0, true, *terminate[0], injected, [&]() noexcept { return !injected(); });
    // Each time all jobs must be found without another push, and often all slots have gone to sleep.
    wait_until([&] { return done.load() == posted; });
    if (round % 16 == 0) wait_until([&] { return counts(idle) == Counts{slots, 0}; });
  }
  for (std::size_t slot = 0; slot < slots; ++slot) {
    (void)terminate[slot]->set();
    idle.try_wake(slot);
  }
  for (std::thread& resident : residents) resident.join();
  CHECK(counts(idle) == Counts{0, 0});
}

constexpr int kRounds = 2'000;

}  // namespace

TEST_CASE_TEMPLATE("idle protocol: no job is left behind while all slots sleep", Idle, Sleep, IdleState,
                   ReferenceIdle) {
  SUBCASE("one slot") { jobs_are_found<Idle>(1, kRounds); }
  SUBCASE("two slots") { jobs_are_found<Idle>(2, kRounds); }
  SUBCASE("three slots") { jobs_are_found<Idle>(3, kRounds); }
  SUBCASE("sixty-five slots") { jobs_are_found<Idle>(65, kRounds / 6); }
}
