#include "blitz/options.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/custom_policy.hpp>
#include <doctest/doctest.h>

#include "blitz/detail/async/async_policy.hpp"

static_assert(std::is_base_of_v<std::runtime_error, blitz::ThreadPoolError>);
static_assert(!std::is_copy_constructible_v<blitz::ThreadPool>);
static_assert(!std::is_copy_assignable_v<blitz::ThreadPool>);
static_assert(!std::is_move_constructible_v<blitz::ThreadPool>);
static_assert(!std::is_convertible_v<blitz::ThreadPoolOptions, blitz::ThreadPool>);

TEST_CASE("options: all have documented defaults") {
  const blitz::ThreadPoolOptions options;
  CHECK(options.num_threads == 0);
  CHECK(options.stack_size == 0);
  CHECK(options.affinity == blitz::Affinity::kNone);
  CHECK_FALSE(options.thread_name);
  CHECK_FALSE(options.on_thread_start);
  CHECK_FALSE(options.on_thread_exit);
  CHECK_FALSE(options.exception_handler);
  CHECK_FALSE(options.seed.has_value());

  const blitz::ForOptions loop;
  CHECK(loop.min_grain == 0);
  CHECK(loop.schedule == blitz::Schedule::kAdaptive);
  CHECK_FALSE(loop.stop.stop_possible());
}

TEST_CASE("options: a pool has the number of threads asked for") {
  for (const std::size_t count : {1, 2, 5, 40}) {
    blitz::ThreadPool pool({.num_threads = count});
    CHECK(pool.num_threads() == count);
  }
}

TEST_CASE("options: ThreadPoolError carries its code and its message") {
  const blitz::ThreadPoolError error(blitz::ThreadPoolErrorCode::kForked, "what to do");
  CHECK(error.code() == blitz::ThreadPoolErrorCode::kForked);
  CHECK(std::string(error.what()) == "what to do");
}

namespace {

template <class F>
blitz::ThreadPoolErrorCode code_of(const F& f) {
  try {
    f();
  } catch (const blitz::ThreadPoolError& error) {
    return error.code();
  }
  FAIL("nothing was thrown");
  return {};
}

}  // namespace

TEST_CASE("options: the code of a ThreadPoolError names the kind of error") {
  using Code = blitz::ThreadPoolErrorCode;
  blitz::ThreadPool pool({.num_threads = 1});
  CHECK(code_of([&] { pool.async([&] { pool.shutdown(); }).get(); }) == Code::kWouldDeadlock);
  pool.shutdown();
  CHECK(code_of([&] { pool.spawn([] {}); }) == Code::kShutDown);
  CHECK(code_of([] { blitz::ThreadPool({.num_threads = 1'000'000}); }) == Code::kLimitExceeded);
  CHECK(code_of([] { blitz::ThreadPool({.num_threads = 1, .on_thread_start = [](std::size_t) { throw 1; }}); }) ==
        Code::kCannotStart);
}

namespace {

/// A policy that records the seeds of its finders.
template <class P>
struct Recording : P {
  static inline std::vector<std::uint64_t> seeds;

  struct Finder : P::Finder {
    explicit Finder(std::uint64_t seed) noexcept : P::Finder(seed) { seeds.push_back(seed); }
  };
};

/// The seeds of the workers in a pool of four.
template <class P>
std::vector<std::uint64_t> seeds_of_pool(blitz::ThreadPoolOptions options) {
  Recording<P>::seeds.clear();
  options.num_threads = 4;
  const blitz::BasicThreadPool<Recording<P>> pool(std::move(options));
  return Recording<P>::seeds;
}

bool have_none_in_common(std::vector<std::uint64_t> x, const std::vector<std::uint64_t>& y) {
  x.insert(x.end(), y.begin(), y.end());
  std::ranges::sort(x);
  return std::ranges::adjacent_find(x) == x.end();
}

}  // namespace

TEST_CASE_TEMPLATE("options: each worker of each pool has its own seed unless the options set one", Policy,
                   blitz::ForkJoinPolicy, blitz::AsyncPolicy) {
  const auto one = seeds_of_pool<Policy>({});
  const auto other = seeds_of_pool<Policy>({});
  CHECK(one.size() == 4);
  CHECK(have_none_in_common(one, other));

  const auto seven = seeds_of_pool<Policy>({.seed = 7});
  CHECK(seeds_of_pool<Policy>({.seed = 7}) == seven);
  CHECK(have_none_in_common(seven, seeds_of_pool<Policy>({.seed = 8})));
  CHECK(have_none_in_common(seven, one));
}
