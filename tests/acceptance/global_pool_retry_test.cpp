// A global pool that cannot be started: the caller gets the reason, and may try again.
#include <stdexcept>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/environment.hpp"
#include "support/failing_thread.hpp"

TEST_CASE("global pool: each failed start throws and a later use may succeed") {
  const auto use = [] { blitz::join([] {}, [] {}); };

  for (const char* text : {"many", "4194305", "65536"}) {
    blitz_test::set_environment("BLITZ_NUM_THREADS", text);
    CHECK_THROWS_AS(use(), blitz::ThreadPoolError);
    CHECK_THROWS_AS(blitz::spawn([] {}), blitz::ThreadPoolError);
    CHECK_THROWS_AS((void)blitz::global_pool(), blitz::ThreadPoolError);
    CHECK_THROWS_AS((void)blitz::current_num_threads(), blitz::ThreadPoolError);
    CHECK_THROWS_AS(blitz::init_global_pool({}), blitz::ThreadPoolError);
    CHECK_THROWS_AS(blitz::ThreadPool(), blitz::ThreadPoolError);
  }

  blitz_test::set_environment("BLITZ_NUM_THREADS", "2");
  {
    const blitz_test::ThreadLimit none(0);
    CHECK_THROWS_AS(use(), blitz::ThreadPoolError);
    CHECK_THROWS_AS(blitz::init_global_pool({.num_threads = 3}), blitz::ThreadPoolError);
  }

  CHECK_THROWS_AS(blitz::init_global_pool({.num_threads = static_cast<std::size_t>(-1)}), std::invalid_argument);

  use();
  CHECK(blitz::current_num_threads() == 2);
}
