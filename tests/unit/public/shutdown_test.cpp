#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include <blitz/thread_pool.hpp>
#include <doctest/doctest.h>

#include "support/policies.hpp"

using blitz::ThreadPoolError;
using namespace blitz_test;

TEST_CASE_TEMPLATE("shutdown: later calls throw", Pool, BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    CHECK(pool.install([] { return 1; }) == 1);
    pool.shutdown();
    const auto nothing = [] {};
    std::vector<int> items(3);
    CHECK_THROWS_AS(pool.install(nothing), ThreadPoolError);
    CHECK_THROWS_AS(pool.join(nothing, nothing), ThreadPoolError);
    CHECK_THROWS_AS(pool.join(nothing, nothing, nothing), ThreadPoolError);
    CHECK_THROWS_AS(pool.join_context([](auto) {}, [](auto) {}), ThreadPoolError);
    CHECK_THROWS_AS(blitz::parallel_for({.pool = &pool}, 0, 3, [](int) {}), ThreadPoolError);
    CHECK_THROWS_AS(blitz::parallel_for({.pool = &pool}, items, [](int) {}), ThreadPoolError);
    CHECK_THROWS_AS(blitz::parallel_for_blocks({.pool = &pool}, items, [](auto) {}), ThreadPoolError);
  });
}

TEST_CASE_TEMPLATE("shutdown: calls of a pool that was never used throw", Pool, BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    pool.shutdown();
    CHECK_THROWS_AS(pool.install([] {}), ThreadPoolError);
  });
}

TEST_CASE_TEMPLATE("shutdown: works from a worker of another pool and later calls there throw", Pool,
                   BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    Pool other({.num_threads = 2});
    other.install([&] {
      pool.install([] {});
      pool.shutdown();
      CHECK_THROWS_AS(pool.install([] {}), ThreadPoolError);
    });
    CHECK(other.install([] { return 2; }) == 2);
  });
}

TEST_CASE_TEMPLATE("shutdown: a second call does nothing", Pool, BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    pool.shutdown();
    pool.shutdown();
    CHECK_THROWS_AS(pool.install([] {}), ThreadPoolError);
  });
}

TEST_CASE_TEMPLATE("shutdown: the threads have ended when it returns", Pool, BLITZ_TEST_POOLS) {
  std::atomic<int> exits{0};
  Pool pool({.num_threads = 5, .on_thread_exit = [&](std::size_t) { ++exits; }});
  blitz::parallel_for({.pool = &pool}, 0, 1000, [](int) {});
  CHECK(exits == 0);
  pool.shutdown();
  CHECK(exits == 5);
}

TEST_CASE_TEMPLATE("shutdown: throws on a worker of the pool and the pool works on", Pool, BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    std::string message;
    pool.install([&] {
      try {
        pool.shutdown();
      } catch (const ThreadPoolError& error) {
        message = error.what();
      }
    });
    CHECK(message.find("own workers") != std::string::npos);
    CHECK(pool.install([] { return 3; }) == 3);
  });
}

TEST_CASE_TEMPLATE("shutdown: queries still work", Pool, BLITZ_TEST_POOLS) {
  Pool pool({.num_threads = 4});
  pool.install([] {});
  pool.shutdown();
  CHECK(pool.num_threads() == 4);
  CHECK(pool.stats().workers.size() == 4);
  CHECK(pool.current_thread_index() == std::nullopt);
}
