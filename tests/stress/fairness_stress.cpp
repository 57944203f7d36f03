/// Fairness of the async backend: no job waits for other jobs that never end, and a job from outside begins soon, however busy
/// the workers are.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "blitz/detail/base/ticks.hpp"
#include "stress.hpp"
#include "support/memory_in_use.hpp"

namespace blitz_test {
namespace {

using namespace std::chrono_literals;

/// How many jobs each worker of a pool has run.
using Counts = std::vector<std::atomic<std::uint64_t>>;

/// A job that takes some time and spawns itself again until it is told to stop.
class Chain {
 public:
  Chain(std::atomic<bool>& stop, std::chrono::nanoseconds job_time, Counts* counts = nullptr)
      : stop_(stop), job_time_(job_time), counts_(counts) {}
  void run() {
    if (job_time_ > 0ns) spin_for(job_time_);
    links.fetch_add(1, std::memory_order_relaxed);
    if (counts_ != nullptr) (*counts_)[*blitz::current_thread_index()].fetch_add(1, std::memory_order_relaxed);
    if (!stop_.load(std::memory_order_relaxed)) blitz::spawn([this] { run(); });
  }
  std::atomic<std::uint64_t> links{0};

 private:
  std::atomic<bool>& stop_;
  std::chrono::nanoseconds job_time_;
  Counts* counts_;
};

/// Two jobs that spawn each other until they are told to stop.
struct PingPong {
  void ping() {
    next([this] { pong(); });
  }
  void pong() {
    next([this] { ping(); });
  }
  template <class F>
  void next(const F& other) {
    ++turns;
    if (stop) {
      over = true;  // This job is the last to touch the game.
    } else {
      blitz::spawn(other);
    }
  }
  std::atomic<std::uint64_t> turns{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> over{false};
};

TEST_CASE("fairness: two jobs that wake each other endlessly do not starve a third") {
  TestWatchdog dog;
  blitz::AsyncThreadPool pool({.num_threads = 1});  // One worker: no other worker can help.
  dog.watch(pool);
  std::uint64_t all_turns = 0;
  SUBCASE("that lies in the worker's own queue") {
    for (int round = 0; round < 100; ++round) {
      PingPong game;
      std::uint64_t turns = 0;
      pool.spawn([&] {
        blitz::spawn([&] {
          turns = game.turns;
          game.stop = true;
        });
        game.ping();  // Its pong evicts the third from the slot, and from then on takes the slot itself.
      });
      while (!game.over) std::this_thread::yield();
      // At most three jobs in a row come from the slot. Then the queue gets a turn.
      CHECK(turns <= 8);
      all_turns += game.turns;
      dog.progress();
    }
  }
  SUBCASE("that comes from outside") {
    for (int round = 0; round < 20; ++round) {
      PingPong game;
      pool.spawn([&] { game.ping(); });
      while (game.turns < 1000) std::this_thread::yield();
      pool.spawn([&] { game.stop = true; });
      while (!game.over) std::this_thread::yield();
      all_turns += game.turns;
      dog.progress();
    }
  }
  pool.shutdown();
  MESSAGE("done: " << all_turns << " turns");
}

/// `time` in ticks of the workers' clock: the least of 20 measurements, because its rate is known only roughly.
blitz::detail::Ticks ticks_in(std::chrono::nanoseconds time) {
  blitz::detail::Ticks least = ~blitz::detail::Ticks{0};
  for (int i = 0; i < 20; ++i) {
    const blitz::detail::Ticks begin = blitz::detail::ticks_now();
    spin_for(time);
    least = std::min(least, blitz::detail::ticks_now() - begin);
  }
  return least;
}

TEST_CASE("fairness: an outside job begins after about a millisecond or eight jobs of busy workers") {
  TestWatchdog dog;
  for (const auto job_time : {1us, 50us, 1000us, 5000us}) {
    CAPTURE(job_time.count());
    blitz::AsyncThreadPool pool({.num_threads = 2});
    dog.watch(pool);
    std::atomic<bool> stop{false};
    Counts done(pool.num_threads());
    std::deque<Chain> chains;
    for (int i = 0; i < 8; ++i) chains.emplace_back(stop, job_time, &done);
    for (Chain& chain : chains) pool.spawn([&chain] { chain.run(); });
    for (const auto& count : done) {
      while (count < 50) std::this_thread::yield();
    }
    // Each wait is counted in jobs that the receiving worker ran in between, so the count does not depend on how long a thread
    // is preempted. Counting starts after spawn() returns, so that a preempted caller does not count earlier jobs.
    std::vector<std::uint64_t> waits;
    std::vector<std::chrono::nanoseconds> times;
    for (int i = 0; i < 60; ++i) {
      std::atomic<bool> begun{false};
      std::size_t worker = 0;
      std::uint64_t then = 0;
      Clock::time_point end;
      const auto start = Clock::now();
      pool.spawn([&] {
        worker = *blitz::current_thread_index();
        then = done[worker];
        end = Clock::now();
        begun.store(true, std::memory_order_release);
      });
      const std::vector<std::uint64_t> now(done.begin(), done.end());
      while (!begun.load(std::memory_order_acquire)) std::this_thread::yield();
      waits.push_back(std::max(then, now[worker]) - now[worker]);
      times.push_back(end - start);
      dog.progress();
    }
    stop = true;
    pool.shutdown();
    std::ranges::sort(waits);
    std::ranges::sort(times);
    const std::uint64_t median = waits[waits.size() / 2];
    MESSAGE("done: " << waits.size() << " jobs from outside; among those of " << job_time.count()
                     << " us one begins after " << median << " others of its worker's, "
                     << times[times.size() / 2].count() / 1000 << " us (median); at the latest after " << waits.back()
                     << ", " << times.back().count() / 1000 << " us");
    // A worker runs this many jobs of its queue before it takes one from outside; it checks once every eight jobs.
    const std::uint64_t interval =
        std::clamp<std::uint64_t>(1'000 * blitz::detail::ticks_per_microsecond() / ticks_in(job_time), 8, 255);
    CHECK(median <= interval + 8);
    CHECK(waits.back() <= interval + 16);
    for (const Chain& chain : chains) CHECK(chain.links > 0);
  }
}

TEST_CASE("fairness: none of a thousand chains starves") {
  TestWatchdog dog;
  for (const std::size_t size : {1, 2, 4, 64}) {
    CAPTURE(size);
    blitz::AsyncThreadPool pool({.num_threads = size});
    dog.watch(pool);
    std::atomic<bool> stop{false};
    std::deque<Chain> chains;
    for (int i = 0; i < 1'000; ++i) chains.emplace_back(stop, 0ns);  // More than the rings hold.
    for (Chain& chain : chains) pool.spawn([&chain] { chain.run(); });
    const Deadline deadline(stress_time() / 4);
    std::uint64_t least = 0;
    while (!deadline.passed() || least < 100) {
      least = ~std::uint64_t{0};
      for (const Chain& chain : chains) least = std::min<std::uint64_t>(least, chain.links);
      if (least > 0) dog.progress();
      std::this_thread::yield();
    }
    stop = true;
    pool.shutdown();
    std::uint64_t most = 0;
    std::uint64_t links = 0;
    for (const Chain& chain : chains) {
      most = std::max<std::uint64_t>(most, chain.links);
      links += chain.links;
    }
    MESSAGE(size << " threads, done: " << links << " jobs; the chains came to between " << least << " and " << most
                 << " links");
  }
}

/// BLITZ_STRESS_JOBS: the number of jobs, instead of ten million (a hundred thousand with a sanitizer).
TEST_CASE_TEMPLATE("fairness: ten million small outside jobs all run and their memory is freed", Pool,
                   blitz::AsyncThreadPool, blitz::ThreadPool) {
#if defined(BLITZ_THREAD_SANITIZER) || defined(BLITZ_ADDRESS_SANITIZER)
  constexpr std::uint64_t kUsual = 100'000;
#else
  constexpr std::uint64_t kUsual = 10'000'000;
#endif
  const std::uint64_t jobs = number_from_environment("BLITZ_STRESS_JOBS", kUsual);
  TestWatchdog dog;
  const std::size_t before = memory_in_use();
  std::size_t most = 0;
  {
    Pool pool({.num_threads = 2});
    dog.watch(pool);
    std::atomic<std::uint64_t> done{0};
    for (std::uint64_t i = 0; i < jobs; ++i) {
      pool.spawn([&] { done.fetch_add(1, std::memory_order_relaxed); });
      if (i % 4096 == 0) {
        most = std::max(most, memory_in_use());
        dog.progress();
      }
    }
    pool.shutdown();
    CHECK(done == jobs);
  }
  const std::size_t after = memory_in_use();
  MESSAGE("done: " << jobs << " jobs; at most " << most / 1024 << " KiB in use at a time, before " << before / 1024
                   << ", after " << after / 1024);
  CHECK(after <= before + (1 << 20));
  // All jobs together would need 300 MiB, and a producer that is faster than the workers nearly as much. On the fork-join
  // backend this sometimes happens: there, only workers without other work take jobs from outside.
  if (std::is_same_v<Pool, blitz::AsyncThreadPool>) CHECK(most <= before + (128 << 20));
}

}  // namespace
}  // namespace blitz_test
