#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>

#include <blitz/current_pool.hpp>
#include <doctest/doctest.h>

#include "support/policies.hpp"

using namespace blitz_test;

TEST_CASE("current: a thread outside every pool has no index") { CHECK(blitz::current_thread_index() == std::nullopt); }

POOL_TEST_CASE("current: a pool has an index only for its own workers") {
  for_each_size([](Pool& pool) {
    Pool other({.num_threads = 3});
    CHECK(pool.current_thread_index() == std::nullopt);
    pool.install([&] {
      const auto index = blitz::current_thread_index();
      REQUIRE(index.has_value());
      CHECK(*index < pool.num_threads());
      CHECK(pool.current_thread_index() == index);
      CHECK(other.current_thread_index() == std::nullopt);
      CHECK(blitz::current_num_threads() == pool.num_threads());
      other.install([&] {
        CHECK(pool.current_thread_index() == std::nullopt);
        CHECK(other.current_thread_index() == blitz::current_thread_index());
        CHECK(blitz::current_num_threads() == 3);
      });
      CHECK(pool.current_thread_index() == index);
      CHECK(blitz::current_num_threads() == pool.num_threads());
    });
    CHECK(pool.current_thread_index() == std::nullopt);
    CHECK(blitz::current_thread_index() == std::nullopt);
  });
}

POOL_TEST_CASE("current: an outside caller has no index after its call has thrown") {
  for_each_size([](Pool& pool) {
    CHECK_THROWS_AS(pool.install([] { throw 1; }), int);
    CHECK(blitz::current_thread_index() == std::nullopt);
    CHECK(pool.install([] { return blitz::current_thread_index(); }).has_value());
  });
}

POOL_TEST_CASE("current: indices in a loop are below the number of threads") {
  for_each_size([](Pool& pool) {
    std::atomic<int> wrong{0};
    blitz::parallel_for({.pool = &pool}, 0, 5000, [&](int) {
      const auto index = pool.current_thread_index();
      if (!index || *index >= pool.num_threads() || index != blitz::current_thread_index()) ++wrong;
    });
    CHECK(wrong == 0);
  });
}

POOL_TEST_CASE("current: hooks run outside every worker") {
  std::atomic<int> inside{0};
  const auto hook = [&](std::size_t) {
    if (blitz::current_thread_index()) ++inside;
  };
  {
    Pool pool({.num_threads = 3, .on_thread_start = hook, .on_thread_exit = hook});
    pool.install([] {});
  }
  CHECK(inside == 0);
}
