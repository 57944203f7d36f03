#include "blitz/stats.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <thread>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/fib.hpp"
#include "support/one_processor.hpp"
#include "support/policies.hpp"

using blitz::ThreadPoolStats;
using blitz::WorkerStats;
using namespace blitz_test;

namespace {

/// Checks the statistics of an idle pool: every pushed or injected job was executed, and a worker that stole jobs has tried to
/// steal.
void check_quiet(const ThreadPoolStats& stats) {
  WorkerStats sum;
  for (const WorkerStats& worker : stats.workers) {
    sum += worker;
    CHECK((worker.jobs_stolen == 0 || worker.steals_tried > 0));
  }
  CHECK(sum == stats.total);
  CHECK(sum.jobs_executed == sum.jobs_pushed + sum.injected_taken - sum.overflows);
}

constexpr int kJoinsOfFib16 = 1596;  // fib(17) - 1

}  // namespace

TEST_CASE("stats: operator+= adds member by member") {
  WorkerStats sum{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  sum += WorkerStats{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140};
  CHECK(sum == WorkerStats{11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121, 132, 143, 154});
  CHECK(WorkerStats{} == WorkerStats{0, 0, 0, 0, 0, 0, 0});
}

POOL_TEST_CASE("stats: are zero for a new pool") {
  for_each_size([](Pool& pool) {
    const ThreadPoolStats stats = pool.stats();
    CHECK(stats.workers == std::vector<WorkerStats>(pool.num_threads()));
    CHECK(stats.total == WorkerStats{});
  });
}

// The policies of the library keep all statistics.
BACKEND_TEST_CASE("stats: each pushed job is counted as executed once") {
  for_each_size([](Pool& pool) {
    for (int round = 1; round <= 3; ++round) {
      CHECK(pool.install([] { return fib(16); }) == 987);
      const ThreadPoolStats stats = pool.stats();
      check_quiet(stats);
      CHECK(stats.total.jobs_pushed == static_cast<std::uint64_t>(kJoinsOfFib16 * round));
    }
  });
}

BACKEND_TEST_CASE("stats: an outside caller works in slot 0 without an injected job") {
  Pool pool({.num_threads = 1});
  pool.join([] {}, [] {});
  const ThreadPoolStats stats = pool.stats();
  CHECK(stats.total.jobs_pushed == 1);
  CHECK(stats.total.jobs_executed == 1);
  CHECK(stats.total.injected_taken == 0);
  CHECK(stats.total.jobs_stolen == 0);
  CHECK(stats.total.times_slept == 0);
  CHECK(stats.total.times_woken == 0);
}

BACKEND_TEST_CASE("stats: a theft is counted for the thief") {
  Pool pool({.num_threads = 2});
  std::size_t thief = 0;
  for (std::uint64_t times = 1; times <= 10; ++times) {
    std::latch both(2);
    pool.join([&] { both.arrive_and_wait(); },
              [&] {
                both.arrive_and_wait();
                thief = *blitz::current_thread_index();
              });
    const ThreadPoolStats stats = pool.stats();
    check_quiet(stats);
    CHECK(stats.total.jobs_stolen == times);
    CHECK(stats.workers[thief].jobs_stolen >= 1);
    CHECK(stats.total.times_woken >= 1);
  }
}

BACKEND_TEST_CASE("stats: concurrent calls and calls from another pool inject no job") {
  Pool pool({.num_threads = 1});
  std::latch taken(1);
  std::latch let_go(1);
  std::thread holder([&] {
    pool.install([&] {
      taken.count_down();
      let_go.wait();
    });
  });
  taken.wait();
  std::thread waiter([&] { pool.install([] {}); });
  let_go.count_down();
  holder.join();
  waiter.join();

  Pool other({.num_threads = 1});
  for (int i = 0; i < 5; ++i) other.install([&] { pool.install([] {}); });
  CHECK(pool.stats().total.injected_taken == 0);
  CHECK(other.stats().total.injected_taken == 0);
  check_quiet(pool.stats());
  check_quiet(other.stats());
}

/// Repeats `call` until `counter` of the pool's sum is not 0. Time: a helper is refused only after the call was measured.
template <class F>
void check_refused(Pool& pool, std::uint64_t WorkerStats::*counter, F call) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (pool.stats().total.*counter == 0 && std::chrono::steady_clock::now() < end) call();
  CHECK(pool.stats().total.*counter > 0);
}

/// Each item takes as long as some looks at the clock, whatever these take here.
void run_loop(int items) {
  blitz::parallel_for(0, items, [](int) {
    for (int i = 0; i < 3; ++i) (void)std::chrono::steady_clock::now();
  });
}

BACKEND_TEST_CASE("stats: a loop that is shorter than a wake-up counts its refusal") {
  if (has_one_processor()) return;
  Pool pool({.num_threads = 2});
  int items = 4;
  check_refused(pool, &WorkerStats::loops_too_short, [&] {
    pool.install([&] { run_loop(items); });
    items = items < 4096 ? 2 * items
                         : 4;  // One of these takes longer than it costs to share it, and no longer than a wake-up.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // Not a series of calls; the worker falls asleep.
  });
}

BACKEND_TEST_CASE("stats: a loop that is too short to be shared counts its refusal") {
  Pool pool({.num_threads = 2});
  pool.warm_up(std::chrono::seconds(20));
  check_refused(pool, &WorkerStats::parts_too_short, [&] { pool.install([] { run_loop(4); }); });
}

TEST_CASE("stats: a join that was shorter than a wake-up counts its refusal") {
  Pool pool = pool_of(TestedPolicy::kForkJoin, {.num_threads = 2});
  check_refused(pool, &WorkerStats::joins_too_short, [&] {
    pool.join([] {}, [] {});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // The worker falls asleep.
  });
}

TEST_CASE("stats: a thief that waits, and comes too late, counts it") {
  if (has_one_processor()) return;
  Pool pool = pool_of(TestedPolicy::kForkJoin, {.num_threads = 2});
  pool.warm_up(std::chrono::seconds(20));
  check_refused(pool, &WorkerStats::thefts_too_short, [&] { pool.install([] { return fib(20); }); });
}

BACKEND_TEST_CASE("stats: may be read while workers run") {
  Pool pool({.num_threads = 4});
  std::atomic<bool> done{false};
  std::thread reader([&] {
    std::uint64_t before = 0;
    while (!done.load()) {
      const std::uint64_t pushed = pool.stats().total.jobs_pushed;
      CHECK(pushed >= before);
      before = pushed;
    }
  });
  for (int i = 0; i < 5; ++i) pool.install([] { return fib(16); });
  done = true;
  reader.join();
  check_quiet(pool.stats());
}

TEST_CASE("stats: counts that a policy lacks are 0") {
  Pool pool = pool_of(TestedPolicy::kReference, {.num_threads = 2});
  std::latch both(2);
  pool.join([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
  const WorkerStats total = pool.stats().total;
  CHECK(total.times_woken >= 1);
  CHECK(total.jobs_pushed == 0);
  CHECK(total.jobs_stolen == 0);
  CHECK(total.steals_tried == 0);
  CHECK(total.injected_taken == 0);
  CHECK(total.jobs_executed == 0);
}
