// parallel_invoke: each callable once, concurrently if there are workers; exceptions as in join.
#include <atomic>
#include <cstddef>
#include <functional>
#include <latch>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/counted.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

using IndexedBody = std::function<void(std::size_t)>;

struct IndexedCall {
  const IndexedBody& body;
  std::size_t index;
  void operator()() const { body(index); }
};

/// Calls parallel_invoke with callables that call body(0) to body(kCount - 1).
template <std::size_t kCount, class PoolOrHere>
void invoke_all(PoolOrHere& pool, const IndexedBody& body) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    pool.parallel_invoke(IndexedCall{body, i}...);
  }(std::make_index_sequence<kCount>());
}

/// The free function, with the interface of a pool.
struct Here {
  template <class... F>
  void parallel_invoke(F&&... f) {
    blitz::parallel_invoke(std::forward<F>(f)...);
  }
};

/// Calls `test` with a function that invokes `kCount` callables, and with kCount.
template <class PoolOrHere, class Test>
void for_each_count(PoolOrHere& pool, const Test& test) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (test([&](const IndexedBody& body) { invoke_all<i + 2>(pool, body); }, i + 2), ...);
  }(std::make_index_sequence<8>());
}

}  // namespace

POOL_TEST_CASE("parallel_invoke: calls each callable once") {
  using InvokeAll = std::function<void(const IndexedBody&)>;
  const auto test = [](const InvokeAll& invoke_all, std::size_t count) {
    CAPTURE(count);
    std::vector<std::atomic<int>> calls(count);
    invoke_all([&](std::size_t i) { ++calls[i]; });
    for (const auto& times : calls) CHECK(times == 1);
  };
  for_each_size([&](Pool& pool) {
    for_each_count(pool, test);
    pool.install([&] {
      Here here;
      for_each_count(here, test);
    });
  });
}

TEST_CASE("parallel_invoke: uses the global pool outside every pool") {
  int a = 0;
  int b = 0;
  blitz::parallel_invoke([&] { a = 1; }, [&] { b = 2; });
  CHECK(a == 1);
  CHECK(b == 2);
}

POOL_TEST_CASE("parallel_invoke: as many callables as workers run concurrently") {
  Pool two({.num_threads = 2});
  std::latch both(2);
  invoke_all<2>(two, [&](std::size_t) { both.arrive_and_wait(); });
  Pool sixteen({.num_threads = 16});
  std::latch everyone(16);
  invoke_all<16>(sixteen, [&](std::size_t) { everyone.arrive_and_wait(); });
}

POOL_TEST_CASE("parallel_invoke: runs the first on the caller and one worker runs all in order") {
  for_each_size([](Pool& pool) {
    pool.install([&] {
      const auto here = pool.current_thread_index();
      blitz::parallel_invoke([&] { CHECK(pool.current_thread_index() == here); }, [] {}, [] {});
    });
  });
  Pool alone({.num_threads = 1});
  std::vector<std::size_t> order;
  invoke_all<5>(alone, [&](std::size_t i) { order.push_back(i); });
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

POOL_TEST_CASE("parallel_invoke: copies and moves no callable and discards results") {
  for_each_size([](Pool& pool) {
    struct ForRvalues {
      std::atomic<int>& calls;
      void operator()() && { ++calls; }
    };
    struct Immovable {
      Immovable() = default;
      Immovable(const Immovable&) = delete;
      Immovable& operator=(const Immovable&) = delete;
    };
    Lives lives;
    std::atomic<int> calls{0};
    {
      auto lvalue = [only = Counted(lives, 1), &calls]() mutable { calls += only.value; };
      const auto constant = [only = Counted(lives, 1), &calls] { calls += only.value; };
      const int made = lives.made;
      pool.parallel_invoke(
          lvalue, constant, ForRvalues{calls}, [&] { return Counted(lives, (++calls, 1)); },
          [&]() noexcept -> Immovable { return ++calls, Immovable(); },
          [&]() -> std::atomic<int>& { return ++calls, calls; });
      CHECK(lives.made == made + 1);
    }
    CHECK(calls == 6);
    CHECK(lives.alive == 0);
  });
}

POOL_TEST_CASE("parallel_invoke: calls all and rethrows the leftmost exception") {
  for_each_size([](Pool& pool) {
    for (unsigned culprits = 1; culprits < 32; ++culprits) {
      CAPTURE(culprits);
      Lives lives;
      std::atomic<int> calls{0};
      int first = 0;
      while ((culprits >> first & 1) == 0) ++first;
      int caught = -1;
      try {
        invoke_all<5>(pool, [&](std::size_t i) {
          ++calls;
          if ((culprits >> i & 1) != 0) throw Counted(lives, static_cast<int>(i));
        });
      } catch (const Counted& error) {
        caught = error.value;
      }
      CHECK(caught == first);
      CHECK(calls == 5);
      CHECK(lives.alive == 0);
    }
  });
}

POOL_TEST_CASE("parallel_invoke: may be nested") {
  for_each_size([](Pool& pool) {
    std::atomic<int> leaves{0};
    invoke_all<3>(pool, [&](std::size_t) {
      Here here;
      invoke_all<4>(here, [&](std::size_t) { invoke_all<5>(here, [&](std::size_t) { ++leaves; }); });
    });
    CHECK(leaves == 60);
  });
}

POOL_TEST_CASE("parallel_invoke: calls each of fifty once and rethrows the leftmost exception") {
  constexpr std::size_t kMany = 50;
  for_each_size([](Pool& pool) {
    for (const std::size_t thrower : {std::size_t{0}, std::size_t{1}, std::size_t{20}, kMany - 1, kMany}) {
      CAPTURE(thrower);
      std::vector<std::atomic<int>> calls(kMany);
      std::size_t caught = kMany;
      try {
        invoke_all<kMany>(pool, [&](std::size_t i) {
          ++calls[i];
          if (i >= thrower) throw i;
        });
      } catch (std::size_t i) {
        caught = i;
      }
      CHECK(caught == thrower);
      for (const auto& times : calls) CHECK(times == 1);
    }
  });
}
