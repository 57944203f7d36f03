#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include <blitz/thread_pool.hpp>
#include <doctest/doctest.h>

#include "support/policies.hpp"

using blitz::ThreadPoolError;
using namespace blitz_test;

POOL_TEST_CASE("shutdown: later calls throw") {
  for_each_size([](Pool& pool) {
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

POOL_TEST_CASE("shutdown: calls of a pool that was never used throw") {
  for_each_size([](Pool& pool) {
    pool.shutdown();
    CHECK_THROWS_AS(pool.install([] {}), ThreadPoolError);
  });
}

POOL_TEST_CASE("shutdown: works from a worker of another pool and later calls there throw") {
  for_each_size([](Pool& pool) {
    Pool other({.num_threads = 2});
    other.install([&] {
      pool.install([] {});
      pool.shutdown();
      CHECK_THROWS_AS(pool.install([] {}), ThreadPoolError);
    });
    CHECK(other.install([] { return 2; }) == 2);
  });
}

POOL_TEST_CASE("shutdown: a second call does nothing") {
  for_each_size([](Pool& pool) {
    pool.shutdown();
    pool.shutdown();
    CHECK_THROWS_AS(pool.install([] {}), ThreadPoolError);
  });
}

POOL_TEST_CASE("shutdown: the threads have ended when it returns") {
  std::atomic<int> exits{0};
  Pool pool({.num_threads = 5, .on_thread_exit = [&](std::size_t) { ++exits; }});
  blitz::parallel_for({.pool = &pool}, 0, 1000, [](int) {});
  CHECK(exits == 0);
  pool.shutdown();
  CHECK(exits == 5);
}

POOL_TEST_CASE("shutdown: throws on a worker of the pool and the pool works on") {
  for_each_size([](Pool& pool) {
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

POOL_TEST_CASE("shutdown: queries still work") {
  Pool pool({.num_threads = 4});
  pool.install([] {});
  pool.shutdown();
  CHECK(pool.num_threads() == 4);
  CHECK(pool.stats().workers.size() == 4);
  CHECK(pool.current_thread_index() == std::nullopt);
}
