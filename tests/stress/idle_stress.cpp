/// A pool without work costs almost nothing: less than a millisecond of CPU time right after its last work, and less than a
/// tenth of that per second once it sleeps. A pool with bursts of work costs little more than the work.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "stress.hpp"

namespace blitz_test {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kWhile = 500ms;
constexpr std::chrono::nanoseconds kLimit = 100us * (kWhile / 1ms) / 1000;

/// The CPU time of the process while this thread sleeps for `kWhile`.
std::chrono::nanoseconds cost_of_a_while() {
  const auto before = process_cpu_time();
  std::this_thread::sleep_for(kWhile);
  return process_cpu_time() - before;
}

/// The cost without a pool: this thread's sleep and the watchdog's checks.
std::chrono::nanoseconds cost_of_nothing() {
  static const auto cost = std::max(cost_of_a_while(), cost_of_a_while());
  return cost;
}

/// Work that wakes all workers, some of them needlessly: a pool is busiest after such work.
template <class Pool>
void work(Pool& pool) {
  std::atomic<std::size_t> sum{0};
  for (int i = 0; i < 200; ++i) {
    blitz::parallel_for({.pool = &pool}, 0, 64, [&](int k) {
      sum += static_cast<std::size_t>(k);
      if (i % 50 == 0) spin_for(20us);
    });
    if (i % 20 == 0) std::this_thread::sleep_for(1ms);
  }
  CHECK(sum.load() == 200 * 64 * 63 / 2);
}

TEST_CASE_TEMPLATE("idle: a pool without work uses almost no CPU time", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  const auto limit = kLimit + cost_of_nothing();
  for (const std::size_t size : {1, 2, 16}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    auto first = std::chrono::nanoseconds::max();
    auto second = std::chrono::nanoseconds::max();
    // The best of five attempts: other load on the machine only increases the cost.
    for (int i = 0; i < 5 && (first >= 1ms || second >= limit); ++i) {
      work(pool);
      first = std::min(first, cost_of_a_while());
      second = std::min(second, cost_of_a_while());
      dog.progress();
    }
    MESSAGE(size << " threads: " << first.count() / 1000 << " us at first after the work, " << second.count() / 1000
                 << " us then");
    CHECK(first < 1ms);
    CHECK(second < limit);
  }
}

TEST_CASE_TEMPLATE("idle: workers without work use almost no CPU time while one is busy", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  for (const std::size_t size : {2, 16}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    auto others = std::chrono::nanoseconds::max();
    for (int i = 0; i < 3 && others >= 1ms; ++i) {
      work(pool);
      pool.install([&] {
        const auto before = cpu_time_of_others();
        spin_for(kWhile);
        others = std::min(others, cpu_time_of_others() - before);
      });
      dog.progress();
    }
    MESSAGE(size << " threads: the others used " << others.count() / 1000 << " us after the work");
    CHECK(others < 1ms);
  }
}

TEST_CASE_TEMPLATE("idle: a worker that waits for a stolen job sleeps and so do the idle ones", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  const auto limit = kLimit + cost_of_nothing();
  for (const std::size_t size : {2, 16}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    auto least = std::chrono::nanoseconds::max();
    for (int i = 0; i < 5 && least >= limit; ++i) {
      std::chrono::nanoseconds cost{0};
      Flag taken;
      pool.join([&] { taken.wait(Flag::Wait::kBlock); },
                [&] {
                  taken.set();
                  // The pusher waits for this job now. All threads need some time to fall asleep.
                  std::this_thread::sleep_for(100ms);
                  cost = cost_of_a_while();
                });
      least = std::min(least, cost);
      dog.progress();
    }
    MESSAGE(size << " threads: " << least.count() / 1000 << " us");
    CHECK(least < limit);
  }
}

/// The CPU time of `count` bursts, one per `period`.
template <class Burst>
std::chrono::nanoseconds cost_of_bursts(int count, std::chrono::milliseconds period, Burst&& burst) {
  const auto before = process_cpu_time();
  auto next = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    burst();
    next += period;
    std::this_thread::sleep_until(next);
  }
  return process_cpu_time() - before;
}

TEST_CASE_TEMPLATE("idle: bursts use little more CPU time than their work", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  for (const std::size_t size : {2, 16}) {
    Pool pool({.num_threads = size});
    dog.watch(pool);
    for (const auto period : {1ms, 10ms, 100ms}) {
      CAPTURE(size);
      CAPTURE(period.count());
      const int count = static_cast<int>(300ms / period);
      const auto item = [](int) { spin_for(5us); };
      // Allows for a wake-up and a caller that spins briefly before it blocks. Spinning on would use a whole processor.
      const auto limit = 300us + std::chrono::nanoseconds(period) / 5;
      auto least = std::chrono::nanoseconds::max();
      for (int i = 0; i < 3 && least >= limit; ++i) {
        const auto serial = cost_of_bursts(count, period, [&] {
          for (int k = 0; k < 40; ++k) item(k);
        });
        const auto parallel = cost_of_bursts(count, period, [&] { blitz::parallel_for({.pool = &pool}, 0, 40, item); });
        least = std::min(least, (parallel - serial) / count);
        dog.progress();
      }
      MESSAGE(size << " threads, a burst of 200 us every " << period.count() << " ms: " << least.count() / 1000
                   << " us more than its work");
      CHECK(least < limit);
    }
  }
}

}  // namespace
}  // namespace blitz_test
