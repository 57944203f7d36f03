#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/fork_join/fork_join_policy.hpp"
#include "support/unmanned_pool.hpp"

using blitz::detail::ForkJoinFinder;
using blitz::detail::Job;
using blitz::detail::Ticks;
using blitz::detail::ticks_between;
using blitz::detail::ticks_now;
using blitz::detail::ticks_per_microsecond;
using blitz_test::NoJob;
using Pool = blitz_test::UnmannedPool<blitz::detail::ForkJoinQueue, blitz::detail::ForkJoinInjector>;

TEST_CASE("finder: finds nothing in empty queues") {
  Pool pool(4);
  auto sources = pool.sources_of(2);
  ForkJoinFinder finder(2);
  CHECK(finder.find_work(sources) == nullptr);
  CHECK(finder.steals_tried() == 0);  // looking at an empty queue is not an attempt
  CHECK(finder.stolen() == 0);
  CHECK(finder.injected_taken() == 0);
}

TEST_CASE("finder: searches its newest then slot 0's oldest then others' then the injector") {
  Pool pool(3);
  std::array<NoJob, 7> jobs;
  pool.push(1, jobs[0]);
  pool.push(1, jobs[1]);
  pool.push(0, jobs[2]);
  pool.push(0, jobs[3]);
  pool.push(2, jobs[4]);
  pool.injector.push(&jobs[5]);
  pool.injector.push(&jobs[6]);

  auto sources = pool.sources_of(1);
  ForkJoinFinder finder(1);
  CHECK(finder.find_work(sources) == &jobs[1]);
  CHECK(finder.find_work(sources) == &jobs[0]);
  CHECK(finder.stolen() == 0);
  CHECK(finder.find_work(sources) == &jobs[2]);
  CHECK(finder.find_work(sources) == &jobs[3]);
  CHECK(finder.find_work(sources) == &jobs[4]);
  CHECK(finder.stolen() == 3);
  CHECK(finder.steals_tried() == 3);
  CHECK(finder.injected_taken() == 0);
  CHECK(finder.find_work(sources) == &jobs[5]);
  CHECK(finder.find_work(sources) == &jobs[6]);
  CHECK(finder.injected_taken() == 2);
  CHECK(finder.stolen() == 3);
  CHECK(finder.find_work(sources) == nullptr);
}

TEST_CASE("finder: steals a single job") {
  Pool pool(2);
  NoJob job;
  pool.push(1, job);
  auto sources = pool.sources_of(0);
  ForkJoinFinder finder(0);
  CHECK(finder.find_work(sources) == &job);
  CHECK(finder.steals_tried() == 1);
  CHECK(finder.find_work(sources) == nullptr);
}

TEST_CASE("finder: steals from every other worker and begins with a random one") {
  constexpr std::size_t kSlots = 5;
  for (std::size_t thief = 0; thief < kSlots; ++thief) {
    CAPTURE(thief);
    Pool pool(kSlots);
    auto sources = pool.sources_of(thief);
    ForkJoinFinder finder(thief);
    std::set<std::size_t> first_victims;
    for (int round = 0; round < 100; ++round) {
      std::vector<NoJob> jobs(kSlots);
      for (std::size_t slot = 1; slot < kSlots; ++slot) {
        if (slot != thief) pool.push(slot, jobs[slot]);
      }
      std::set<const Job*> found;
      while (Job* const job = finder.find_work(sources)) {
        if (found.empty()) first_victims.insert(static_cast<std::size_t>(static_cast<NoJob*>(job) - jobs.data()));
        REQUIRE(found.insert(job).second);
      }
      REQUIRE(found.size() == kSlots - (thief == 0 ? 1 : 2));
    }
    CHECK(first_victims.size() == kSlots - (thief == 0 ? 1 : 2));
  }
}

TEST_CASE("finder: waits before it steals short jobs only if it is at rest") {
  // Takes the fastest of ten rows of thefts, because the thread may be interrupted.
  constexpr std::size_t kRow = 20;
  bool guarded = false;
  const auto time = [&](bool at_rest) {
    Pool pool(2);
    std::vector<NoJob> jobs(10 * kRow + 1);
    for (NoJob& job : jobs) pool.push(1, job);
    auto sources = pool.sources_of(0);
    guarded = sources.queue(1).deque().guarded();
    sources.at_rest = at_rest;
    ForkJoinFinder finder(0);
    Ticks quickest = ~Ticks{0};
    for (std::size_t row = 0; row < 10; ++row) {
      const Ticks begin = ticks_now();
      for (std::size_t i = 0; i < kRow; ++i) REQUIRE(finder.find_work(sources) == &jobs[row * kRow + i]);
      quickest = std::min(quickest, ticks_between(begin, ticks_now()));
    }
    CHECK(finder.find_work(sources) == &jobs.back());
    CHECK(finder.find_work(sources) == nullptr);
    return quickest;
  };
  const Ticks at_rest = time(true);
  if (guarded) return;  // Without asymmetric fences all deques are guarded: a theft takes only a clock reading.
  CHECK(at_rest >= kRow * ticks_per_microsecond());
  CHECK(time(false) < at_rest);
}

TEST_CASE("finder: a pool of one searches its queue and the injector") {
  Pool pool(1);
  std::array<NoJob, 2> jobs;
  pool.push(0, jobs[0]);
  pool.injector.push(&jobs[1]);
  auto sources = pool.sources_of(0);
  ForkJoinFinder finder(0);
  CHECK(finder.find_work(sources) == &jobs[0]);
  CHECK(finder.find_work(sources) == &jobs[1]);
  CHECK(finder.find_work(sources) == nullptr);
  CHECK(finder.steals_tried() == 0);
}
