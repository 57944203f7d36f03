// Wrong arguments and calls at the wrong time that no other file tests.
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>
#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "support/policies.hpp"

using blitz::ThreadPoolError;
using namespace blitz_test;

namespace {

template <class F>
std::string refusal_of(F&& f) {
  try {
    f();
  } catch (const ThreadPoolError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// Checks that every call that would run something is refused, and that nothing is run.
void check_shut_down(Pool& pool) {
  std::atomic<int> calls{0};
  std::vector<int> items(3);
  const auto count = [&](auto&&...) { ++calls; };
  const auto refused = [](auto&& call) {
    CHECK(refusal_of(call).find("this thread pool was shut down") != std::string::npos);
  };
  refused([&] { pool.install(count); });
  refused([&] { pool.install_blocking(count); });
  refused([&] { pool.join(count, count); });
  refused([&] { pool.join(count, count, count); });
  refused([&] { pool.join_context(count, count); });
  refused([&] { blitz::parallel_for({.pool = &pool}, items, count); });
  refused([&] { blitz::parallel_for({.pool = &pool}, 0, 3, count); });
  refused([&] { blitz::parallel_for_blocks({.pool = &pool}, items, count); });
  refused([&] { blitz::parallel_reduce({.pool = &pool}, items, 0, std::plus<>()); });
  refused([&] { blitz::parallel_transform_reduce({.pool = &pool}, 0, 3, 0, std::plus<>(), std::identity()); });
  refused([&] { pool.join_all(std::vector(2, count)); });
  refused([&] { pool.parallel_invoke(count, count); });
  refused([&] { pool.scope(count); });
  refused([&] { pool.scope_fifo(count); });
  refused([&] { pool.in_place_scope(count); });
  refused([&] { pool.in_place_scope_fifo(count); });
  refused([&] { pool.spawn(count); });
  refused([&] { pool.spawn_fifo(count); });
  refused([&] { pool.spawn_broadcast(count); });
  refused([&] { pool.broadcast(count); });
  refused([&] { static_cast<void>(pool.async(count)); });
  // These calls have nothing to run.
  blitz::parallel_for({.pool = &pool}, 0, 0, count);
  CHECK(blitz::parallel_reduce({.pool = &pool}, 0, 0, 7, std::plus<>()) == 7);
  CHECK(calls == 0);
}

/// Calls `test(pool)` outside the pool, on a worker of another pool, and on a worker of the pool.
template <class Test>
void from_everywhere(Test&& test) {
  for_each_size([&](Pool& pool) {
    test(pool);
    Pool other({.num_threads = 1});
    other.install([&] { test(pool); });
    pool.install([&] { test(pool); });
  });
}

}  // namespace

// --- calls at the wrong time ---

// --- calls that do not exist for a requires-expression, although compilers print a hint for them ---

namespace {

template <class... F>
concept Joins = requires(F... f) { blitz::join(f...); };
template <class... Args>
concept Loops = requires(Args... args) { blitz::parallel_for(args...); };
template <class F>
concept Spawns = requires(F f) { blitz::spawn(f); };
template <class F>
concept Asyncs = requires(F f) { static_cast<void>(blitz::async(f)); };
template <class R>
concept Sums = requires(R& range) { blitz::par(range).sum(); };

}  // namespace

static_assert(Joins<void (*)(), void (*)()> && !Joins<int, int> && !Joins<void (*)()>);
static_assert(Loops<int, int, void (*)(int)> && !Loops<int, int, void (*)()> &&
              !Loops<double, double, void (*)(double)>);
static_assert(Loops<std::vector<int>, void (*)(int)> && !Loops<std::list<int>, void (*)(int)>);
static_assert(Spawns<void (*)()> && !Spawns<int> && Asyncs<int (*)()> && !Asyncs<int>);
static_assert(std::invocable<decltype(blitz::sort), std::vector<int>&>);
static_assert(!std::invocable<decltype(blitz::sort), std::list<int>&>);
static_assert(!std::invocable<decltype(blitz::sort), const std::vector<int>&>);
static_assert(Sums<std::vector<int>> && !Sums<std::vector<std::string>> && !Sums<std::list<int>>);

POOL_TEST_CASE("bad input: calls after shutdown throw outside the pool and on another pool's worker") {
  for_each_size([](Pool& pool) {
    pool.shutdown();
    check_shut_down(pool);
    Pool other({.num_threads = 1});
    other.install([&] { check_shut_down(pool); });
  });
}

POOL_TEST_CASE("bad input: queries and settings still work after shutdown") {
  for_each_size([](Pool& pool) {
    const std::size_t size = pool.num_threads();
    blitz::parallel_for({.pool = &pool}, 0, 100, [](int) {});
    pool.shutdown();
    CHECK(pool.num_threads() == size);
    CHECK_FALSE(pool.current_thread_index().has_value());
    CHECK(pool.stats().workers.size() == size);
    pool.set_max_concurrency(1);
    CHECK(pool.max_concurrency() == 1);
    pool.warm_up();
    blitz::WorkerLocal<int> local(pool);
    *local.local() = 1;
    CHECK(local.size() == 1);
  });
}

POOL_TEST_CASE("bad input: shutdown throws on a worker of the pool and may be called twice elsewhere") {
  for_each_size([](Pool& pool) {
    const auto refused = [&] {
      CHECK(refusal_of([&] { pool.shutdown(); }).find("by one of its own workers") != std::string::npos);
    };
    pool.install(refused);
    pool.async(refused).get();
    pool.install([&] { blitz::isolate(refused); });
    CHECK(pool.install([] { return 1; }) == 1);  // The pool still works.

    Pool other({.num_threads = 1});
    other.install([&] { pool.shutdown(); });
    pool.shutdown();
  });
}

POOL_TEST_CASE("bad input: a pool's calls work in its own jobs") {
  // These calls do not wait for themselves: they work like any other call.
  for_each_size([](Pool& pool) {
    CHECK(pool.install([&] { return pool.install([&] { return pool.install_blocking([] { return 3; }); }); }) == 3);
    CHECK(pool.install([&] { return pool.async([] { return 4; }).get(); }) == 4);
    CHECK(pool.install([&] { return pool.broadcast([](auto) { return 1; }).size(); }) == pool.num_threads());
    CHECK(pool.install([&] { return blitz::isolate([] { return blitz::isolate([] { return 5; }); }); }) == 5);
  });
}

// --- functions that are not there ---

POOL_TEST_CASE("bad input: an empty std::function throws bad_function_call to the caller") {
  using Missing = std::bad_function_call;
  from_everywhere([](Pool& pool) {
    const std::function<void()> none;
    const std::function<void(int)> none_of_item;
    const std::function<int(int, int)> none_of_two;
    const std::function<void(blitz::Scope&)> none_of_scope;
    const std::function<int(blitz::BroadcastContext)> none_of_context;
    std::atomic<int> calls{0};
    const auto count = [&] { ++calls; };
    CHECK_THROWS_AS(pool.install(none), Missing);
    CHECK_THROWS_AS(pool.install_blocking(none), Missing);
    CHECK_THROWS_AS(pool.join(none, count), Missing);
    CHECK_THROWS_AS(pool.join(count, none), Missing);
    CHECK_THROWS_AS(pool.parallel_invoke(count, none, count), Missing);
    CHECK(calls == 4);  // The others were called nevertheless.
    CHECK_THROWS_AS(blitz::parallel_for({.pool = &pool}, 0, 10, none_of_item), Missing);
    CHECK_THROWS_AS(blitz::parallel_reduce({.pool = &pool}, 0, 10, 0, none_of_two), Missing);
    CHECK_THROWS_AS(blitz::parallel_reduce({.pool = &pool}, 0, 0, std::function<int()>(), std::plus<>()), Missing);
    CHECK_THROWS_AS(pool.scope(none_of_scope), Missing);
    CHECK_THROWS_AS(pool.in_place_scope_fifo(none_of_scope), Missing);
    CHECK_THROWS_AS(pool.scope([&](blitz::Scope& scope) { scope.spawn(none); }), Missing);
    CHECK_THROWS_AS(pool.scope([&](blitz::Scope& scope) { scope.spawn_fifo(none); }), Missing);
    CHECK_THROWS_AS(pool.scope([&](blitz::Scope& scope) { scope.spawn_broadcast(none_of_context); }), Missing);
    CHECK_THROWS_AS(pool.broadcast(none_of_context), Missing);
    CHECK_THROWS_AS(pool.async(none).get(), Missing);
    CHECK_THROWS_AS(pool.install([&] { blitz::isolate(none); }), Missing);
    blitz::WorkerLocal<int> local(pool, std::function<int()>());
    CHECK_THROWS_AS(static_cast<void>(local.local()), Missing);
    // These are never called.
    blitz::parallel_for({.pool = &pool}, 0, 0, none_of_item);
    CHECK(blitz::parallel_reduce({.pool = &pool}, 0, 0, 7, none_of_two) == 7);
  });
}

POOL_TEST_CASE("bad input: an empty std::function in a detached job reaches the exception handler") {
  for (const std::size_t size : kPoolSizes) {
    CAPTURE(size);
    std::atomic<int> missing{0};
    Pool pool({.num_threads = size, .exception_handler = [&](const std::exception_ptr& error) {
                 try {
                   std::rethrow_exception(error);
                 } catch (const std::bad_function_call&) {
                   ++missing;
                 }
               }});
    pool.spawn(std::function<void()>());
    pool.spawn_fifo(std::function<void()>());
    pool.spawn_broadcast(std::function<void(blitz::BroadcastContext)>());
    pool.shutdown();
    CHECK(missing == static_cast<int>(size) + 2);
  }
}

POOL_TEST_CASE("bad input: empty hooks are ignored and a thread name may hold any bytes") {
  for (const std::string& name : {std::string(), std::string(3, '\0'), std::string("\n\xff"), std::string(5000, 'x')}) {
    CAPTURE(name.size());
    Pool pool({.num_threads = 2,
               .thread_name = [&](std::size_t) { return name; },
               .on_thread_start = std::function<void(std::size_t)>(),
               .on_thread_exit = std::function<void(std::size_t)>(),
               .exception_handler = std::function<void(std::exception_ptr)>()});
    CHECK(pool.install([] { return 1; }) == 1);
  }
}

// --- numbers at the end of their ranges ---

POOL_TEST_CASE("bad input: a grain of 0 acts as 1 and a huge grain makes one block") {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for_each_size([](Pool& pool) {
    const std::vector<int> items(100, 1);
    for (const auto schedule : {blitz::Schedule::kAdaptive, blitz::Schedule::kFixed}) {
      for (const std::size_t grain : {std::size_t{0}, kMost}) {
        CAPTURE(grain);
        std::atomic<std::size_t> blocks{0};
        std::atomic<std::size_t> visited{0};
        blitz::parallel_for_blocks({.min_grain = grain, .schedule = schedule, .pool = &pool}, items, [&](auto block) {
          ++blocks;
          visited += block.size();
        });
        CHECK(visited == items.size());
        CHECK(blocks >= 1);
        if (grain == kMost) CHECK(blocks == 1);
        for (const bool deterministic : {false, true}) {
          CHECK(blitz::parallel_reduce(
                    {.min_grain = grain, .schedule = schedule, .deterministic = deterministic, .pool = &pool}, items, 0,
                    std::plus<>()) == 100);
        }
      }
    }
  });
}

POOL_TEST_CASE("bad input: a reversed range of any integer types is empty") {
  for_each_size([](Pool& pool) {
    const auto sum = [&](auto first, auto last) {
      return blitz::parallel_transform_reduce({.pool = &pool}, first, last, 7, std::plus<>(), [](auto) { return 1; });
    };
    CHECK(sum(3, 2) == 7);
    CHECK(sum(0U, -1) == 7);
    CHECK(sum(std::numeric_limits<std::uint64_t>::max(), std::int8_t{-1}) == 7);
    CHECK(sum(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()) == 7);
    std::atomic<int> calls{0};
    blitz::parallel_for({.pool = &pool}, 0U, -1, [&](auto) { ++calls; });
    pool.install([&] { blitz::parallel_for('b', 'a', [&](char) { ++calls; }); });
    CHECK(calls == 0);
  });
}

POOL_TEST_CASE("bad input: warm_up accepts zero and negative and the largest times") {
  using std::chrono::nanoseconds;
  for_each_size([](Pool& pool) {
    for (const nanoseconds time : {nanoseconds(0), nanoseconds(-1), nanoseconds::min(), nanoseconds::max()}) {
      CAPTURE(time.count());
      pool.warm_up(time);
      CHECK(pool.install([] { return blitz::join([] { return 1; }, [] { return 2; }).second; }) == 2);
    }
  });
}
