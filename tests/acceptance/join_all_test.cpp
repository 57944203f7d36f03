// join_all: each callable of a range once; results in order; exceptions as in join.
#include <atomic>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <latch>
#include <list>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/counted.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

POOL_TEST_CASE("join_all: returns a vector of the results in order") {
  from_outside_and_inside([](Pool& pool) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 100U}) {
      CAPTURE(count);
      std::vector<std::function<std::size_t()>> callables;
      for (std::size_t i = 0; i < count; ++i) callables.emplace_back([i] { return i; });
      const auto results = pool.join_all(callables);
      static_assert(std::is_same_v<decltype(results), const std::vector<std::size_t>>);
      CHECK(results.size() == count);
      for (std::size_t i = 0; i < results.size(); ++i) CHECK(results[i] == i);
      CHECK(pool.install([&] { return blitz::join_all(callables); }) == results);
    }
  });
}

TEST_CASE("join_all: uses the global pool outside every pool") {
  const std::vector<std::function<int()>> callables(5, [] { return 6; });
  CHECK(blitz::join_all(callables) == std::vector<int>(5, 6));
}

POOL_TEST_CASE("join_all: calls each void callable once and returns nothing") {
  from_outside_and_inside([](Pool& pool) {
    std::vector<std::atomic<int>> calls(50);
    std::vector<std::function<void()>> callables;
    for (auto& times : calls) callables.emplace_back([&times] { ++times; });
    static_assert(std::is_void_v<decltype(pool.join_all(callables))>);
    pool.join_all(callables);
    for (const auto& times : calls) CHECK(times == 1);
  });
}

POOL_TEST_CASE("join_all: accepts every kind of range") {
  from_outside_and_inside([](Pool& pool) {
    const std::vector<int> expected{0, 1, 2};
    const auto make = [](int i) { return [i] { return i; }; };
    const auto closures = {make(0), make(1), make(2)};
    CHECK(pool.join_all(closures) == expected);
    CHECK(pool.join_all(std::span(closures.begin(), 3)) == expected);
    const std::list<std::function<int()>> list(closures.begin(), closures.end());
    CHECK(pool.join_all(list) == expected);
    CHECK(pool.join_all(std::forward_list<std::function<int()>>(list.begin(), list.end())) == expected);
    // Closures that the range makes on the fly, and a range that cannot be iterated while it is const.
    CHECK(pool.join_all(std::views::iota(0, 3) | std::views::transform(make)) == expected);
    auto some = std::views::iota(0, 6) | std::views::filter([](int i) { return i < 3; }) | std::views::transform(make);
    CHECK(pool.join_all(some) == expected);
    // Callables that can be called only in place.
    struct Counter {
      std::atomic<int> calls{0};
      int operator()() & { return ++calls; }
    };
    Counter counters[3];
    CHECK(pool.join_all(counters) == std::vector<int>(3, 1));
    for (const Counter& counter : counters) CHECK(counter.calls == 1);
  });
}

POOL_TEST_CASE("join_all: returns move-only and bool and const results") {
  from_outside_and_inside([](Pool& pool) {
    Lives lives;
    std::vector<std::function<Counted()>> callables;
    for (int i = 0; i < 20; ++i) callables.emplace_back([&lives, i] { return Counted(lives, i); });
    {
      const std::vector<Counted> results = pool.join_all(callables);
      for (int i = 0; i < 20; ++i) CHECK(results[static_cast<std::size_t>(i)].value == i);
      CHECK(lives.alive == 20);
    }
    CHECK(lives.alive == 0);
    const std::vector<bool (*)()> bits{[] { return true; }, [] { return false; }};
    CHECK(pool.join_all(bits) == std::vector<bool>{true, false});
    const std::vector<const std::unique_ptr<int> (*)()> constant{
        []() -> const std::unique_ptr<int> { return std::make_unique<int>(4); }};
    std::vector<std::unique_ptr<int>> pointers = pool.join_all(constant);
    CHECK(*pointers.front() == 4);
  });
}

POOL_TEST_CASE("join_all: calls all and rethrows the leftmost exception") {
  from_outside_and_inside([](Pool& pool) {
    for (int thrower = 0; thrower < 9; ++thrower) {
      CAPTURE(thrower);
      Lives lives;
      std::atomic<int> calls{0};
      std::vector<std::function<Counted()>> callables;
      for (int i = 0; i < 9; ++i) {
        callables.emplace_back([&, i] {
          ++calls;
          if (i == thrower || i == 8) throw i;
          return Counted(lives, i);
        });
      }
      int caught = -1;
      try {
        static_cast<void>(pool.join_all(callables));
      } catch (int i) {
        caught = i;
      }
      CHECK(caught == thrower);
      CHECK(calls == 9);
      CHECK(lives.alive == 0);
    }
    const std::vector<std::function<void()>> empty(3);
    CHECK_THROWS_AS(pool.join_all(empty), std::bad_function_call);
  });
}

POOL_TEST_CASE("join_all: sixteen workers run sixteen concurrently and one worker runs all in order") {
  Pool pool({.num_threads = 16});
  for (int round = 0; round < 5; ++round) {
    std::latch all(16);
    pool.join_all(std::vector(16, [&] { all.arrive_and_wait(); }));
  }
  Pool alone({.num_threads = 1});
  std::vector<int> order;
  std::vector<std::function<void()>> callables;
  for (int i = 0; i < 100; ++i) callables.emplace_back([&, i] { order.push_back(i); });
  alone.join_all(callables);
  CHECK(order.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

POOL_TEST_CASE("join_all: may be nested and may run inside isolate") {
  struct Tree {
    static int leaves(int depth) {
      if (depth == 0) return 1;
      int sum = 0;
      for (const int below : blitz::join_all(std::vector(5, [depth] { return leaves(depth - 1); }))) sum += below;
      return sum;
    }
  };
  for_each_size([](Pool& pool) {
    CHECK(pool.install([] { return Tree::leaves(3); }) == 125);
    CHECK(pool.install([] { return blitz::isolate([] { return Tree::leaves(2); }); }) == 25);
  });
}
