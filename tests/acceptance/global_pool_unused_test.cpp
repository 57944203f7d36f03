// A program that uses only its own pools starts no global one.

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/environment.hpp"

TEST_CASE("global pool: calls in another pool do not start it and it never starts after shutdown") {
  blitz_test::set_environment("BLITZ_NUM_THREADS", "many");  // a start would throw
  blitz::ThreadPool pool({.num_threads = 2});
  pool.install([] {
    CHECK(blitz::join([] { return 1; }, [] { return 2; }) == std::pair(1, 2));
    blitz::parallel_for(0, 100, [](int) {});
    CHECK(blitz::current_num_threads() == 2);
  });
  CHECK(pool.join([] { return 1; }, [] { return 2; }, [] { return 3; }) == std::tuple(1, 2, 3));

  blitz::shutdown_global_pool();
  blitz_test::set_environment("BLITZ_NUM_THREADS", "2");
  CHECK_THROWS_AS((void)blitz::global_pool(), blitz::ThreadPoolError);
  CHECK_THROWS_AS(blitz::init_global_pool({.num_threads = 2}), blitz::ThreadPoolError);
}
