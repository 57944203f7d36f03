/// A pool without work costs nothing: below a millisecond of CPU time in the first second after its last work, and below
/// a tenth of that in each second once it sleeps.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

#include <blitz/blitz.hpp>
#include <doctest/doctest.h>

#include "stress.hpp"

namespace blitz_test {
namespace {

using namespace std::chrono_literals;

/// What the process uses while this thread sleeps for a second.
std::chrono::nanoseconds cost_of_a_second() {
  const auto before = process_cpu_time();
  std::this_thread::sleep_for(1s);
  return process_cpu_time() - before;
}

/// Work that wakes everybody, some of them in vain: what makes a pool busiest after its end.
void work(blitz::ThreadPool& pool) {
  std::atomic<std::size_t> sum{0};
  for (int i = 0; i < 200; ++i) {
    pool.parallel_for(0, 64, [&](int k) {
      sum += static_cast<std::size_t>(k);
      if (i % 50 == 0) spin_for(20us);
    });
    if (i % 20 == 0) std::this_thread::sleep_for(1ms);
  }
  CHECK(sum.load() == 200 * 64 * 63 / 2);
}

TEST_CASE("an idle pool costs no CPU time") {
  TestWatchdog dog;
  for (const std::size_t size : {1, 2, 16}) {
    CAPTURE(size);
    blitz::ThreadPool pool({.num_threads = size});
    dog.watch(pool);
    auto first = std::chrono::nanoseconds::max();
    auto second = std::chrono::nanoseconds::max();
    // The best of three: a neighbour on the machine can only make it worse.
    for (int i = 0; i < 3 && (first >= 1ms || second >= 100us); ++i) {
      work(pool);
      first = std::min(first, cost_of_a_second());
      second = std::min(second, cost_of_a_second());
      dog.progress();
    }
    MESSAGE(size << " threads: " << first.count() / 1000 << " us in the first second after the work, "
                 << second.count() / 1000 << " us in the next");
    CHECK(first < 1ms);
    CHECK(second < 100us);
  }
}

TEST_CASE("a worker that waits for a job elsewhere sleeps, and so do those with nothing to do") {
  TestWatchdog dog;
  for (const std::size_t size : {2, 16}) {
    CAPTURE(size);
    blitz::ThreadPool pool({.num_threads = size});
    dog.watch(pool);
    auto least = std::chrono::nanoseconds::max();
    for (int i = 0; i < 3 && least >= 100us; ++i) {
      std::chrono::nanoseconds cost{0};
      Flag taken;
      pool.join([&] { taken.wait(Flag::Wait::kBlock); },
                [&] {
                  taken.set();
                  // The pusher waits for this job now; all need some time to fall asleep.
                  std::this_thread::sleep_for(100ms);
                  cost = cost_of_a_second();
                });
      least = std::min(least, cost);
      dog.progress();
    }
    MESSAGE(size << " threads: " << least.count() / 1000 << " us in a second");
    CHECK(least < 100us);
  }
}

}  // namespace
}  // namespace blitz_test
