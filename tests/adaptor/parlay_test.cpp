/// parlaylib's scheduler plug-in, against a stub of its interface; docs/parlaylib.md explains how to run its own tests.
#include "blitz/adaptor/parlay.hpp"

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/spawn.hpp"
#include "blitz/thread_pool.hpp"
#include "blitz/yield.hpp"

namespace {

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  long y = 0;
  parlay::par_do([&] { x = fib(n - 1); }, [&] { y = fib(n - 2); });
  return x + y;
}

TEST_CASE("par_do: calls both functions and passes on exceptions") {
  CHECK(fib(15) == 610);
  int calls = 0;
  parlay::parallel_do([&] { ++calls; }, [] {}, true);
  CHECK(calls == 1);
  CHECK_THROWS_AS(parlay::par_do([] {}, [] { throw std::runtime_error("right"); }), std::runtime_error);
}

TEST_CASE("parallel_for: visits each index once for every granularity") {
  for (const bool conservative : {false, true}) {
    for (const long granularity : {0L, 1L, 7L, 100000L}) {
      std::vector<int> visits(1000, 0);
      parlay::parallel_for(
          10, visits.size(), [&](std::size_t i) { ++visits[i]; }, granularity, conservative);
      for (std::size_t i = 0; i < visits.size(); ++i) REQUIRE(visits[i] == (i < 10 ? 0 : 1));
    }
  }
  parlay::parallel_for(5, 5, [](std::size_t) { FAIL("an empty loop calls"); });
  parlay::parallel_for(6, 5, [](std::size_t) { FAIL("a loop that is less than empty calls"); });
}

TEST_CASE("worker_id: differs for each worker and is less than num_workers") {
  std::atomic<int> wrong{0};
  std::vector<std::atomic<int>> inside(parlay::num_workers());
  parlay::parallel_for(
      0, 10000,
      [&](std::size_t) {
        const std::size_t me = parlay::worker_id();
        if (me >= inside.size() || inside[me].fetch_add(1) != 0) {
          ++wrong;
        } else {
          inside[me].fetch_sub(1);
        }
      },
      1);
  CHECK(wrong == 0);
}

TEST_CASE("conservative: a thread in the call runs no other job") {
  for (const bool conservative : {false, true}) {
    for (const bool loop : {false, true}) {
      bool other = false;
      bool early = false;
      const auto look = [&] {
        while (blitz::yield_now() == blitz::Yield::kExecuted) {
        }
        early = other;
      };
      blitz::ThreadPool pool({.num_threads = 1});  // its destructor runs the job
      pool.install([&] {
        blitz::spawn([&] { other = true; });
        if (loop) {
          parlay::parallel_for(
              0, 1, [&](std::size_t) { look(); }, 0, conservative);
        } else {
          parlay::par_do(
              look, [] {}, conservative);
        }
        CHECK(other == early);
      });
      CHECK(early == !conservative);
    }
  }
}

TEST_CASE("execute_with_scheduler: makes a pool of the given size") {
  std::size_t workers = 0;
  parlay::execute_with_scheduler(3, [&] { workers = parlay::num_workers(); });
  CHECK(workers == 3);
}

}  // namespace
