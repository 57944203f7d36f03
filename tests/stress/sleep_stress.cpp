/// Falling asleep and waking: no wake-up may be missed.

#include <cstddef>
#include <cstdint>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "detector.hpp"

namespace blitz_test {
namespace {

constexpr std::size_t kSizes[] = {2, 3, 8, 64};

TEST_CASE_TEMPLATE("sleep: another worker runs a job whose pusher blocks", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  Random random(2);
  for (const std::size_t size : kSizes) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    const Deadline deadline(stress_time() / 3);
    std::uint64_t rounds = 0;
    for (; !deadline.passed(); ++rounds) detect_from_one_thread(pool, dog, random);
    wait_until_all_sleep(pool);
    const blitz::WorkerStats total = pool.stats().total;
    CHECK(total.jobs_executed == total.jobs_pushed + total.injected_taken);
    CHECK(total.jobs_stolen >= rounds);
    MESSAGE(size << " threads, done: " << rounds << " rounds, " << total.times_slept << " times asleep");
  }
}

TEST_CASE_TEMPLATE("sleep: other workers run the jobs if more callers than slots block", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  Random random(3);
  for (const std::size_t size : kSizes) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    detect_from_many_threads(pool, dog, size < 8 ? size + 2 : 9, random.next(), Deadline(stress_time() / 3));
    wait_until_all_sleep(pool);
    const blitz::WorkerStats total = pool.stats().total;
    CHECK(total.jobs_executed == total.jobs_pushed + total.injected_taken);
    MESSAGE(size << " threads, done: " << total.jobs_stolen << " jobs stolen, " << total.injected_taken << " injected, "
                 << total.times_slept << " times asleep");
  }
}

TEST_CASE_TEMPLATE("sleep: a chain of jobs that block wakes one worker after the other", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  Random random(4);
  for (const std::size_t size : kSizes) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    const Deadline deadline(stress_time() / 6);
    std::uint64_t chains = 0;
    for (; !deadline.passed(); ++chains) {
      if (random.one_in(2)) wait_until_all_sleep(pool);
      block_until_stolen([&](auto&& a, auto&& b) { pool.join(a, b); }, random, size - 1);
      dog.progress();
    }
    MESSAGE(size << " threads, done: " << chains << " chains");
  }
}

TEST_CASE_TEMPLATE("sleep: other workers find jobs behind a job that blocks", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  // A worker that finds a job wakes the next worker before it runs the job. Otherwise, jobs pushed together with it would wait.
  TestWatchdog dog;
  Random random(5);
  for (const std::size_t size : kSizes) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    const Deadline deadline(stress_time() / 6);
    std::uint64_t rounds = 0;
    for (; !deadline.passed(); ++rounds) {
      random_gap(random);
      // At most one job per worker, and each job waits until all have begun.
      const std::size_t jobs = random.between(2, size);
      std::atomic<std::size_t> begun{0};
      blitz::parallel_for({.schedule = blitz::Schedule::kFixed, .pool = &pool}, std::size_t{0}, jobs, [&](std::size_t) {
        begun.fetch_add(1);
        while (begun.load() < jobs) std::this_thread::yield();
      });
      dog.progress();
    }
    MESSAGE(size << " threads, done: " << rounds << " rounds");
  }
}

}  // namespace
}  // namespace blitz_test
