// install: into a pool from outside, from inside, and from another pool.
#include <atomic>
#include <cstddef>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/counted.hpp"
#include "support/fib.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

POOL_TEST_CASE("install: returns the result of the callable") {
  for_each_size([](Pool& pool) {
    const auto test = [&] {
      CHECK(pool.install([] { return 1; }) == 1);
      CHECK(*pool.install([] { return std::make_unique<int>(2); }) == 2);
      int target = 0;
      static_assert(std::is_same_v<decltype(pool.install([&]() -> int& { return target; })), int&>);
      CHECK(&pool.install([&]() -> int& { return target; }) == &target);
      static_assert(std::is_void_v<decltype(pool.install([] {}))>);
      pool.install([&] { target = 3; });
      CHECK(target == 3);
      auto owner = [p = std::make_unique<int>(4)] { return *p; };
      CHECK(pool.install(std::move(owner)) == 4);

      Lives lives;
      CHECK(pool.install([&] { return Counted(lives, 5); }).value == 5);
      CHECK(lives.alive == 0);
    };
    test();
    pool.install(test);
    Pool other({.num_threads = 2});
    other.install(test);
  });
}

POOL_TEST_CASE("install: rethrows the exception of the callable") {
  for_each_size([](Pool& pool) {
    const auto test = [&] {
      CHECK_THROWS_WITH_AS(pool.install([] { throw std::runtime_error("inside"); }), "inside", std::runtime_error);
      CHECK_THROWS_AS(pool.install([]() -> int { throw 1; }), int);
      Lives lives;
      CHECK_THROWS_AS(pool.install([&] { throw Counted(lives, 1); }), Counted);
      CHECK(lives.alive == 0);
    };
    test();
    pool.install(test);
    Pool other({.num_threads = 1});
    other.install(test);
    CHECK(pool.install([] { return 1; }) == 1);
  });
}

POOL_TEST_CASE("install: an outside caller runs the callable on its thread if the pool is idle") {
  for_each_size([](Pool& pool) {
    CHECK(pool.install([] { return std::this_thread::get_id(); }) == std::this_thread::get_id());
    CHECK(pool.stats().total.injected_taken == 0);
  });
}

POOL_TEST_CASE("install: a worker of the pool runs the callable immediately itself") {
  for_each_size([](Pool& pool) {
    pool.install([&] {
      const auto here = std::this_thread::get_id();
      CHECK(pool.install([] { return std::this_thread::get_id(); }) == here);
      CHECK(pool.install([&] { return pool.install([] { return std::this_thread::get_id(); }); }) == here);
    });
  });
}

POOL_TEST_CASE("install: free functions inside use the pool") {
  for_each_size([](Pool& pool) {
    std::atomic<int> elsewhere{0};
    const auto check = [&] {
      if (!pool.current_thread_index()) ++elsewhere;
    };
    pool.install([&] {
      check();
      blitz::join(check, check);
      blitz::join(check, check, check);
      blitz::parallel_for(0, 100, [&](int) { check(); });
      CHECK(blitz::current_num_threads() == pool.num_threads());
    });
    CHECK(elsewhere == 0);
  });
}

// A policy that cannot summon residents injects a call unless another caller has slot 0.
BACKEND_TEST_CASE("install: enters another pool on the same thread") {
  for_each_size([](Pool& pool) {
    Pool other({.num_threads = 2});
    for (int round = 0; round < 50; ++round) {
      pool.install([&] {
        const auto here = std::this_thread::get_id();
        other.install([&] {
          CHECK(std::this_thread::get_id() == here);
          CHECK(other.current_thread_index() == 0);
          CHECK_FALSE(pool.current_thread_index());
          CHECK(fib(5) == 5);
        });
        CHECK(std::this_thread::get_id() == here);
        CHECK(pool.current_thread_index().has_value());
      });
    }
  });
}

POOL_TEST_CASE("install: two pools may install in each other") {
  for_each_size([](Pool& pool) {
    Pool other({.num_threads = pool.num_threads()});
    // From pool to other and back, several times.
    struct PingPong {
      static int play(Pool& to, Pool& from, int hops) {
        if (hops == 0) return 0;
        return 1 + to.install([&] { return play(from, to, hops - 1); });
      }
    };
    CHECK(PingPong::play(pool, other, 20) == 20);

    // Both concurrently.
    for (int round = 0; round < 10; ++round) {
      std::latch start(2);
      std::thread first([&] {
        start.arrive_and_wait();
        CHECK(PingPong::play(pool, other, 10) == 10);
      });
      std::thread second([&] {
        start.arrive_and_wait();
        CHECK(PingPong::play(other, pool, 10) == 10);
      });
      first.join();
      second.join();
    }
  });
}

BACKEND_TEST_CASE("install: returns into an outer pool as the same worker") {
  Pool pool({.num_threads = 2});
  Pool other({.num_threads = 2});
  pool.install([&] {
    const auto index = pool.current_thread_index();
    const auto here = std::this_thread::get_id();
    const auto check = [&] {
      CHECK(pool.current_thread_index() == index);
      CHECK_FALSE(other.current_thread_index());
      CHECK(std::this_thread::get_id() == here);
      CHECK(fib(8) == 21);
    };
    other.install([&] {
      pool.install([&] {
        check();
        other.install([&] { pool.install(check); });
        check();
      });
      CHECK(other.current_thread_index() == 0);
    });
    check();
  });
}

POOL_TEST_CASE("install: ten pools may be nested") {
  for (const std::size_t size : {1, 2}) {
    std::vector<std::unique_ptr<Pool>> pools;
    for (int i = 0; i < 10; ++i) pools.push_back(std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = size}));
    struct Nest {
      static long down(std::vector<std::unique_ptr<Pool>>& pools, std::size_t level) {
        if (level == pools.size()) return 1;
        return pools[level]->install([&] {
          const auto [below, own] = blitz::join([&] { return down(pools, level + 1); }, [] { return fib(5); });
          return below + own;
        });
      }
    };
    CHECK(Nest::down(pools, 0) == 51);
    CHECK(Nest::down(pools, 0) == 51);
  }
}

TEST_CASE("install: works between pools of different policies") {
  blitz::ThreadPool pool({.num_threads = 2});
  Pool other = pool_of(TestedPolicy::kReference, {.num_threads = 2});
  const auto both_ways = [](auto& outer, auto& inner) {
    return outer.install([&] {
      CHECK_FALSE(inner.current_thread_index());
      const long value = inner.install([&] {
        CHECK_FALSE(outer.current_thread_index());
        CHECK(inner.current_thread_index() == blitz::current_thread_index());
        std::atomic<int> sum{0};
        blitz::parallel_for(0, 100, [&](int i) { sum += i; });
        return fib(10) + sum + outer.install([] { return fib(5); });
      });
      return value + fib(6);
    });
  };
  for (int round = 0; round < 20; ++round) {
    CHECK(both_ways(pool, other) == 55 + 4950 + 5 + 8);
    CHECK(both_ways(other, pool) == 55 + 4950 + 5 + 8);
  }
}

POOL_TEST_CASE("install: a pool may be made and used and destroyed inside another pool's job") {
  for_each_size([](Pool& pool) {
    for (int round = 0; round < 10; ++round) {
      const long result = pool.install([] {
        Pool own({.num_threads = 2});
        const long inner = own.install([] { return fib(6); });
        const auto [a, b] = own.join([] { return fib(4); }, [] { return fib(5); });
        return inner + a + b;
      });
      CHECK(result == 16);
    }
  });
}

POOL_TEST_CASE("outside callers: many concurrent calls all complete") {
  for_each_size([](Pool& pool) {
    constexpr int kCallers = 8;
    std::latch start(kCallers);
    std::atomic<int> right{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < kCallers; ++c) {
      callers.emplace_back([&, c] {
        start.arrive_and_wait();
        for (int i = 0; i < 20; ++i) {
          const auto [x, y] = pool.join([] { return fib(8); }, [c] { return c; });
          if (x == 21 && y == c && pool.install([] { return fib(7); }) == 13) ++right;
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(right == kCallers * 20);
  });
}

POOL_TEST_CASE("outside callers: an exception reaches only the caller that threw it") {
  for_each_size([](Pool& pool) {
    constexpr int kCallers = 4;
    std::latch start(kCallers);
    std::atomic<int> right{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < kCallers; ++c) {
      callers.emplace_back([&, c] {
        start.arrive_and_wait();
        for (int i = 0; i < 50; ++i) {
          try {
            pool.join([] {}, [c] { throw c; });
          } catch (int caught) {
            if (caught == c) ++right;
          }
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(right == kCallers * 50);
  });
}
