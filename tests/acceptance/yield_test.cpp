// yield_now and yield_local: they run one waiting job, and which one.
#include <atomic>
#include <latch>
#include <thread>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "scopes.hpp"

using blitz::Yield;
using namespace blitz_test;

TEST_CASE("yield: returns kIdle outside every pool") {
  CHECK(blitz::yield_now() == Yield::kIdle);
  CHECK(blitz::yield_local() == Yield::kIdle);
}

POOL_TEST_CASE("yield: returns kIdle if no job waits") {
  for_each_size([](Pool& pool) {
    with_others_busy(pool, [] {
      CHECK(blitz::yield_now() == Yield::kIdle);
      CHECK(blitz::yield_local() == Yield::kIdle);
    });
  });
}

POOL_TEST_CASE("yield: runs one job on its thread and returns after the job has ended") {
  for_each_size([](Pool& pool) {
    for (const auto yield : {blitz::yield_now, blitz::yield_local}) {
      with_others_busy(pool, [&] {
        int calls = 0;
        const auto self = std::this_thread::get_id();
        for (int i = 0; i < 3; ++i) {
          blitz::spawn([&] {
            if (std::this_thread::get_id() == self) ++calls;
          });
        }
        for (int i = 1; i <= 3; ++i) {
          CHECK(yield() == Yield::kExecuted);
          CHECK(calls == i);
        }
        CHECK(yield() == Yield::kIdle);
        CHECK(calls == 3);
      });
    }
  });
}

POOL_TEST_CASE("yield: a job that spawns or yields is one job") {
  for_each_size([](Pool& pool) {
    with_others_busy(pool, [] {
      int calls = 0;
      blitz::spawn([&] { ++calls; });
      blitz::spawn([&] {
        ++calls;
        blitz::spawn([&] { ++calls; });
      });
      CHECK(blitz::yield_local() == Yield::kExecuted);
      CHECK(calls == 1);
      CHECK(blitz::yield_local() == Yield::kExecuted);
      CHECK(calls == 2);
      blitz::spawn([&] {
        CHECK(blitz::yield_local() == Yield::kExecuted);
        ++calls;
      });
      CHECK(blitz::yield_local() == Yield::kExecuted);
      CHECK(calls == 4);
      CHECK(blitz::yield_local() == Yield::kIdle);
    });
  });
}

POOL_TEST_CASE("yield: yield_local runs the newest job") {
  for_each_size([](Pool& pool) {
    with_others_busy(pool, [] {
      int last = -1;
      for (int i = 0; i < 10; ++i) blitz::spawn([&last, i] { last = i; });
      for (int i = 9; i >= 0; --i) {
        CHECK(blitz::yield_local() == Yield::kExecuted);
        CHECK(last == i);
      }
    });
  });
}

POOL_TEST_CASE("yield: yield_now runs a job from outside and yield_local does not") {
  for_each_size([](Pool& pool) {
    with_others_busy(pool, [&] {
      int calls = 0;
      std::thread([&] { pool.spawn([&] { ++calls; }); }).join();
      CHECK(blitz::yield_local() == Yield::kIdle);
      CHECK(calls == 0);
      CHECK(blitz::yield_now() == Yield::kExecuted);
      CHECK(calls == 1);
      CHECK(blitz::yield_now() == Yield::kIdle);
    });
  });
}

POOL_TEST_CASE("yield: yield_now runs a job of another worker and yield_local does not") {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    std::latch both(2);
    std::latch spawned(1);
    std::latch yielded(1);
    int calls = 0;
    pool.join(
        [&] {
          both.arrive_and_wait();
          blitz::spawn([&] { ++calls; });
          spawned.count_down();
          yielded.wait();
        },
        [&] {
          both.arrive_and_wait();
          spawned.wait();
          CHECK(blitz::yield_local() == Yield::kIdle);
          CHECK(blitz::yield_now() == Yield::kExecuted);
          CHECK(calls == 1);
          yielded.count_down();
        });
  }
}

POOL_TEST_CASE("yield: a worker that yields until another thread is done runs jobs") {
  for_each_size([](Pool& pool) {
    std::atomic<bool> done{false};
    pool.install([&] {
      std::thread other([&] { pool.spawn([&] { done = true; }); });
      while (!done) {
        if (blitz::yield_now() == Yield::kIdle) std::this_thread::yield();
      }
      other.join();
    });
    CHECK(done);
  });
}
