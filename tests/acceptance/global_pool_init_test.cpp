// The global pool with options.
#include <atomic>
#include <cstddef>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/environment.hpp"

namespace {

std::atomic<int> starts{0};
std::atomic<int> exits{0};

}  // namespace

TEST_CASE("global pool: init_global_pool sets its options once") {
  blitz_test::set_environment("BLITZ_NUM_THREADS", "7");
  blitz::init_global_pool({.num_threads = 2,
                           .on_thread_start = [](std::size_t) { ++starts; },
                           .on_thread_exit = [](std::size_t) { ++exits; }});
  CHECK(starts == 2);
  CHECK(blitz::current_num_threads() == 2);
  CHECK_THROWS_AS(blitz::init_global_pool({.num_threads = 4}), blitz::ThreadPoolError);
  CHECK(blitz::join([] { return blitz::current_num_threads(); }, [] { return 0; }).first == 2);
  CHECK(starts == 2);

  CHECK(exits == 0);
  blitz::shutdown_global_pool();
  CHECK(exits == 2);
  CHECK_THROWS_AS(blitz::init_global_pool({.num_threads = 4}), blitz::ThreadPoolError);
}
