#include "blitz/options.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>

#include <blitz/thread_pool.hpp>
#include <doctest/doctest.h>

static_assert(std::is_base_of_v<std::runtime_error, blitz::ThreadPoolError>);
static_assert(!std::is_copy_constructible_v<blitz::ThreadPool>);
static_assert(!std::is_copy_assignable_v<blitz::ThreadPool>);
static_assert(!std::is_move_constructible_v<blitz::ThreadPool>);
static_assert(!std::is_convertible_v<blitz::ThreadPoolOptions, blitz::ThreadPool>);

TEST_CASE("options: all have defaults") {
  const blitz::ThreadPoolOptions options;
  CHECK(options.num_threads == 0);
  CHECK(options.stack_size == 0);
  CHECK(options.affinity == blitz::Affinity::none);
  CHECK_FALSE(options.thread_name);
  CHECK_FALSE(options.on_thread_start);
  CHECK_FALSE(options.on_thread_exit);
  CHECK_FALSE(options.exception_handler);

  const blitz::ForOptions loop;
  CHECK(loop.min_grain == 1);
  CHECK(loop.schedule == blitz::Schedule::adaptive);
  CHECK_FALSE(loop.stop.stop_possible());
}

TEST_CASE("options: a pool has the number of threads asked for") {
  for (const std::size_t count : {1, 2, 5, 40}) {
    blitz::ThreadPool pool({.num_threads = count});
    CHECK(pool.num_threads() == count);
  }
}

TEST_CASE("options: ThreadPoolError carries its message") {
  const blitz::ThreadPoolError error("what to do");
  CHECK(std::string(error.what()) == "what to do");
}
