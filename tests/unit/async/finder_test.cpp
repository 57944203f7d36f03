#include <array>
#include <chrono>
#include <cstddef>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/async/async_policy.hpp"
#include "support/unmanned_pool.hpp"

using blitz::detail::AsyncFinder;
using blitz::detail::AsyncInjector;
using blitz::detail::Job;
using blitz_test::NoJob;
using Pool = blitz_test::UnmannedPool<blitz::detail::AsyncQueue, blitz::detail::AsyncInjector>;

TEST_CASE("async finder: finds nothing in empty queues") {
  for (const std::size_t slots : {1U, 4U}) {
    Pool pool(slots);
    auto sources = pool.sources_of(0);
    AsyncFinder finder(0);
    CHECK(finder.find_work(sources) == nullptr);
    CHECK(finder.steals_tried() == 0);  // looking at an empty queue is not an attempt
    CHECK(finder.stolen() == 0);
    CHECK(finder.injected_taken() == 0);
  }
}

TEST_CASE("async finder: searches fetched jobs then slot then ring then injector then other queues") {
  Pool pool(2);
  std::vector<NoJob> jobs(20);
  for (std::size_t i = 0; i < 3; ++i) pool.injector.push(&jobs[i]);
  auto sources = pool.sources_of(0);
  AsyncFinder finder(0);
  CHECK(finder.find_work(sources) == &jobs[0]);
  CHECK(finder.injected_taken() == 3);
  CHECK(finder.global_batch_fetches() == 1);
  for (std::size_t i = 3; i < 6; ++i) pool.push(0, jobs[i]);
  for (std::size_t i = 6; i < 8; ++i) pool.injector.push(&jobs[i]);
  for (std::size_t i = 8; i < 10; ++i) pool.push(1, jobs[i]);

  CHECK(finder.find_work(sources) == &jobs[1]);  // fetched
  CHECK(finder.find_work(sources) == &jobs[2]);
  CHECK(finder.lifo_hits() == 0);
  CHECK(finder.find_work(sources) == &jobs[5]);  // in the slot
  CHECK(finder.lifo_hits() == 1);
  CHECK(finder.find_work(sources) == &jobs[3]);  // in the ring
  CHECK(finder.find_work(sources) == &jobs[4]);
  CHECK(finder.injected_taken() == 3);
  CHECK(finder.find_work(sources) == &jobs[6]);  // in the injector
  CHECK(finder.find_work(sources) == &jobs[7]);
  CHECK(finder.global_batch_fetches() == 2);
  CHECK(finder.stolen() == 0);
  CHECK(finder.find_work(sources) == &jobs[8]);  // in the other slot's ring
  CHECK(finder.find_work(sources) == &jobs[9]);  // in the other slot's LIFO slot
  CHECK(finder.stolen() == 2);
  CHECK(finder.steals_tried() == 2);
  CHECK(finder.find_work(sources) == nullptr);
}

TEST_CASE("async finder: steals one job outside a search and half of the queue in a search") {
  Pool pool(2);
  std::vector<NoJob> jobs(41);
  for (NoJob& job : jobs) pool.push(1, job);
  AsyncFinder finder(0);
  auto sources = pool.sources_of(0);
  CHECK(finder.find_work(sources) == &jobs[0]);
  CHECK(pool.queue(0).empty());
  sources.searching = true;
  CHECK(finder.find_work(sources) == &jobs[1]);
  CHECK(pool.queue(0).size() == 19);
  CHECK(pool.queue(1).size() == 20);
  CHECK(finder.stolen() == 1 + 20);
  CHECK(finder.steals_tried() == 2);
  CHECK(finder.find_work(sources) == &jobs[2]);
  CHECK(finder.stolen() == 1 + 20);
}

TEST_CASE("async finder: steals from every other worker and begins with a random one") {
  constexpr std::size_t kSlots = 5;
  for (std::size_t thief = 0; thief < kSlots; ++thief) {
    CAPTURE(thief);
    Pool pool(kSlots);
    auto sources = pool.sources_of(thief);
    AsyncFinder finder(thief);
    std::set<std::size_t> first_victims;
    for (int round = 0; round < 100; ++round) {
      // Two jobs per victim, one in the ring and one in the slot.
      std::vector<NoJob> jobs(2 * kSlots);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (i / 2 != thief) pool.push(i / 2, jobs[i]);
      }
      std::set<const Job*> found;
      while (Job* const job = finder.find_work(sources)) {
        if (found.empty()) first_victims.insert(static_cast<std::size_t>(static_cast<NoJob*>(job) - jobs.data()) / 2);
        REQUIRE(found.insert(job).second);
      }
      REQUIRE(found.size() == 2 * (kSlots - 1));
    }
    CHECK(first_victims.size() == kSlots - 1);
  }
}

TEST_CASE("async finder: two jobs that push each other endlessly do not starve a third") {
  Pool pool(1);
  NoJob ping;
  NoJob pong;
  NoJob third;
  auto sources = pool.sources_of(0);
  AsyncFinder finder(0);
  pool.push(0, third);
  pool.push(0, ping);  // evicts the third
  int before = 0;
  for (;; ++before) {
    Job* const job = finder.find_work(sources);
    if (job == &third) break;
    REQUIRE(before < 4);
    pool.push(0, job == &ping ? pong : ping);
  }
  CHECK(before == 3);
  CHECK(finder.lifo_hits() == 3);
  CHECK(pool.queue(0).take_newest() != nullptr);
  CHECK(pool.queue(0).empty());
}

namespace {

void take_time(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

TEST_CASE("async finder: an injected job waits for at most eight long jobs of a queue that never ends") {
  Pool pool(1);
  NoJob ping;
  std::array<NoJob, 3> injected;
  auto sources = pool.sources_of(0);
  AsyncFinder finder(0);
  pool.push(0, ping);
  const auto run_own = [&](std::chrono::microseconds time) {
    take_time(time);
    pool.push(0, ping);
  };
  // From the first round on, whether or not own jobs were short in the meantime.
  for (std::uint64_t round = 1; round <= 4; ++round) {
    CAPTURE(round);
    for (NoJob& job : injected) pool.injector.push(&job);
    int own = 0;
    const Job* job = nullptr;
    while ((job = finder.find_work(sources)) == &ping) {
      REQUIRE(++own <= 8);
      run_own(std::chrono::milliseconds(2));
    }
    // Then the batch; then own jobs again.
    CHECK(job == &injected[0]);
    CHECK(finder.find_work(sources) == &injected[1]);
    CHECK(finder.find_work(sources) == &injected[2]);
    CHECK(finder.injected_taken() == 3 * round);
    for (unsigned i = 0; i < 1000 * (round % 2); ++i) {
      REQUIRE(finder.find_work(sources) == &ping);
      run_own(std::chrono::microseconds(0));
    }
  }
  CHECK(pool.queue(0).take_newest() == &ping);
}

TEST_CASE("async finder: an injected job waits for at most 255 short jobs") {
  Pool pool(1);
  NoJob ping;
  NoJob injected;
  auto sources = pool.sources_of(0);
  AsyncFinder finder(0);
  pool.push(0, ping);
  for (int round = 0; round < 3; ++round) {
    pool.injector.push(&injected);
    unsigned own = 0;
    for (;; ++own) {
      Job* const job = finder.find_work(sources);
      if (job == &injected) break;
      REQUIRE(own < 255);
      pool.push(0, ping);
    }
    CHECK(own >= 8);
  }
  CHECK(pool.queue(0).take_newest() == &ping);
}

TEST_CASE("async finder: own jobs do not wait until the injector is empty") {
  std::vector<NoJob> jobs(200);  // not all are taken, so they outlive the injector
  NoJob own;
  Pool pool(1);
  auto sources = pool.sources_of(0);
  AsyncFinder finder(0);
  for (NoJob& job : jobs) pool.injector.push(&job);
  REQUIRE(finder.find_work(sources) == &jobs[0]);
  pool.push(0, own);
  for (std::size_t i = 1; i <= AsyncInjector::kDefaultBatch; ++i) REQUIRE(finder.find_work(sources) == &jobs[i]);
  CHECK(finder.find_work(sources) == &own);
}

TEST_CASE("async finder: a tick ends after 128 jobs or when no job is found") {
  Pool pool(1);
  NoJob job;
  auto sources = pool.sources_of(0);
  AsyncFinder finder(0);
  const auto run = [&](unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      pool.push(0, job);
      REQUIRE(finder.find_work(sources) == &job);
    }
  };
  // In each tick the first three jobs come from the slot, so these show the beginning of a tick.
  run(128);
  CHECK(finder.lifo_hits() == 3);
  run(1);
  CHECK(finder.lifo_hits() == 4);
  CHECK(finder.find_work(sources) == nullptr);
  run(4);
  CHECK(finder.lifo_hits() == 7);
}
