// Nested pools: how each worker waits, and that everything ends.
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

#include "support/asleep.hpp"
#include "support/fib.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

/// From pool to pool and back, with some work on the way.
int ping_pong(Pool& to, Pool& from, int hops) {
  if (hops == 0) return 0;
  return 1 + to.install([&] {
    if (hops % 3 == 0) CHECK(fib(4) == 3);
    return ping_pong(from, to, hops - 1);
  });
}

}  // namespace

POOL_TEST_CASE("pools: a call of the worker's own pool runs immediately at any depth") {
  for_each_size([](Pool& pool) {
    struct Self {
      static long down(Pool& pool, int depth) {
        if (depth == 0) return 0;
        const auto here = std::this_thread::get_id();
        return pool.install([&] {
          CHECK(std::this_thread::get_id() == here);
          const auto [below, own] = pool.join([&] { return down(pool, depth - 1); }, [] { return fib(4); });
          return below + own;
        });
      }
    };
    CHECK(pool.install([&] { return Self::down(pool, 20); }) == 60);
    // The jobs of others belong to this pool, too.
    blitz::parallel_for({.pool = &pool}, 0, 20, [&](int) { CHECK(pool.install_blocking([] { return fib(5); }) == 5); });
  });
}

POOL_TEST_CASE("pools: two pools may install in each other from several threads") {
  for_each_size([](Pool& pool) {
    for (const std::size_t size : {1, 2}) {
      Pool other({.num_threads = size});
      CHECK(ping_pong(pool, other, 25) == 25);
      for (int round = 0; round < 5; ++round) {
        std::vector<std::thread> callers;
        for (int c = 0; c < 4; ++c) {
          callers.emplace_back(
              [&, c] { CHECK((c % 2 == 0 ? ping_pong(pool, other, 9) : ping_pong(other, pool, 9)) == 9); });
        }
        for (std::thread& caller : callers) caller.join();
      }
    }
  });
}

POOL_TEST_CASE("pools: two pools may install in each other after all workers have slept") {
  for_each_size([](Pool& pool) {
    Pool other({.num_threads = pool.num_threads()});
    for (int round = 0; round < 5; ++round) {
      wait_until_all_sleep(pool);
      wait_until_all_sleep(other);
      REQUIRE(ping_pong(pool, other, 7) == 7);
      wait_until_all_sleep(pool);
      wait_until_all_sleep(other);
      REQUIRE(ping_pong(other, pool, 2) == 2);

      // The waiting worker has fallen asleep, too. The returning work wakes it, or the end of its wait.
      REQUIRE(pool.install([&] {
        return other.install([&] {
          for (int i = 0; i < 500; ++i) std::this_thread::yield();
          const long back = pool.install([] { return fib(6); });
          for (int i = 0; i < 500; ++i) std::this_thread::yield();
          return back;
        });
      }) == 8);
    }
  });
}

POOL_TEST_CASE("pools: ten pools may be nested with every kind of call") {
  for (const std::size_t size : {1, 2, 4}) {
    CAPTURE(size);
    std::vector<std::unique_ptr<Pool>> pools;
    for (int i = 0; i < 10; ++i) pools.push_back(std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = size}));
    struct Nest {
      static long down(std::vector<std::unique_ptr<Pool>>& pools, std::size_t level) {
        if (level == pools.size()) return 1;
        Pool& pool = *pools[level];
        const auto below = [&] { return down(pools, level + 1); };
        switch (level % 5) {
          case 0:
            return pool.join(below, [] { return fib(3); }).first;
          case 1: {
            std::atomic<long> sum{0};
            pool.scope([&](blitz::Scope& scope) { scope.spawn([&] { sum += below(); }); });
            return sum;
          }
          case 2:
            return pool.async(below).get();
          case 3: {
            std::atomic<long> sum{0};
            blitz::parallel_for({.pool = &pool}, 0, 3, [&](int i) { sum += i == 1 ? below() : 0; });
            return sum;
          }
          default:
            return pool.install(below);
        }
      }
    };
    for (int round = 0; round < 5; ++round) REQUIRE(Nest::down(pools, 0) == 1);
    // From inside the innermost pool, all others are still usable.
    pools.back()->install([&] { CHECK(Nest::down(pools, 0) == 1); });
  }
}

POOL_TEST_CASE("pools: an exception passes through all nested pools") {
  for_each_size([](Pool& pool) {
    Pool other({.num_threads = 1});
    for (int round = 0; round < 10; ++round) {
      REQUIRE_THROWS_WITH_AS(pool.install([&] {
        other.install([&] { pool.install_blocking([] { throw std::runtime_error("from below"); }); });
      }),
                             "from below", std::runtime_error);
    }
    CHECK(ping_pong(pool, other, 3) == 3);
  });
}

POOL_TEST_CASE("pools: two pools complete all calls that many threads make between them") {
  for_each_size([](Pool& pool) {
    Pool other({.num_threads = 2});
    constexpr int kThreads = 6;
    constexpr int kRounds = 15;
    std::latch start(kThreads);
    std::atomic<int> right{0};
    std::atomic<int> detached{0};
    std::atomic<int> returned{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Pool& near = t % 2 == 0 ? pool : other;
        Pool& far = t % 2 == 0 ? other : pool;
        start.arrive_and_wait();
        for (int i = 0; i < kRounds; ++i) {
          std::atomic<long> sum{0};
          blitz::parallel_for({.pool = &near}, 0, 4, [&](int) {
            sum += far.install([&] { return fib(5) + near.async([] { return fib(4); }).get(); });
            far.spawn([&] {
              near.spawn([&] { ++detached; });
              ++returned;
            });
          });
          if (sum == 4 * (5 + 3)) ++right;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(right == kThreads * kRounds);
    // Waits for the jobs that one pool's jobs have spawned into the other. Neither pool may end within a call of the other.
    while (detached < kThreads * kRounds * 4 || returned < kThreads * kRounds * 4) std::this_thread::yield();
  });
}

// A policy that cannot summon residents injects a call unless another caller has slot 0.
BACKEND_TEST_CASE("pools: a call of a worker of another pool waits for no other call") {
  Pool pool({.num_threads = 1});
  Pool other({.num_threads = 4});
  std::latch inside(3);
  // Each item waits for the others.
  const auto meet = [&](int) { pool.install([&] { inside.arrive_and_wait(); }); };
  std::vector<std::thread> callers;
  for (int c = 0; c < 3; ++c) callers.emplace_back([&, c] { other.install([&] { meet(c); }); });
  for (std::thread& caller : callers) caller.join();
  CHECK(inside.try_wait());
}

// More jobs than a queue of the async backend holds: some overflow, and are fetched again in batches. In a pool of one thread
// no other worker takes them.
POOL_TEST_CASE("pools: a call from another pool runs all its jobs at the limit of nested waits") {
  for_each_size([](Pool& caller) {
    for (const std::size_t size : {1, 2}) {
      Pool pool({.num_threads = size, .max_nested_waits = 0});
      constexpr int kJobs = 1000;
      std::atomic<int> ran{0};
      caller.install([&] {
        pool.scope([&](auto& scope) {
          for (int i = 0; i < kJobs; ++i) scope.spawn([&] { ++ran; });
          for (int i = 0; i < kJobs / 2; ++i) static_cast<void>(blitz::yield_now());
        });
      });
      CHECK(ran == kJobs);
    }
  });
}

BACKEND_TEST_CASE("pools: a yield inside isolate in another pool runs no job of its own pool") {
  Pool own({.num_threads = 1});
  for_each_size([&](Pool& pool) {
    own.install([&] {
      std::atomic<bool> ran{false};
      blitz::spawn([&] { ran = true; });  // Only this worker can run it.
      pool.install([&] {
        blitz::isolate([&] {
          for (int i = 0; i < 200; ++i) static_cast<void>(blitz::yield_now());
          CHECK_FALSE(ran);
        });
        while (!ran) static_cast<void>(blitz::yield_now());
      });
    });
  });
}

POOL_TEST_CASE("pools: a call of another pool inside isolate runs no earlier job") {
  Pool own({.num_threads = 1});
  Pool pool({.num_threads = 1});
  own.install([&] {
    pool.install([&] {
      std::atomic<bool> ran{false};
      blitz::scope([&](blitz::Scope& scope) {
        scope.spawn([&] { ran = true; });  // Only this thread can run it.
        own.install([&] {
          blitz::isolate([&] {
            pool.install([&] {
              for (int i = 0; i < 200; ++i) static_cast<void>(blitz::yield_now());
              CHECK_FALSE(ran);
            });
          });
        });
      });
      CHECK(ran);
    });
  });
}

BACKEND_TEST_CASE("pools: a wait at the nesting limit runs an outside job if the other thread cannot") {
  for (const bool through_third : {false, true}) {
    for (const bool blocking : {false, true}) {
      CAPTURE(through_third);
      CAPTURE(blocking);
      Pool own({.num_threads = 2, .max_nested_waits = 0});
      Pool third({.num_threads = 1});
      Pool pool({.num_threads = 2});
      blitz::TaskGroup group(own);
      std::latch inside(1);
      std::latch stolen(1);
      std::latch spawned(1);
      std::latch ran(1);
      std::thread at_limit([&] {
        own.install([&] {
          inside.count_down();
          spawned.wait();
          group.wait();
        });
      });
      inside.wait();
      const auto until_it_ran = [&] {
        blitz::join([&] { stolen.wait(); },
                    [&] {
                      stolen.count_down();
                      ran.wait();
                    });
      };
      const auto elsewhere = [&] {
        blocking ? pool.install_blocking(until_it_ran) : pool.install([&] { blitz::isolate(until_it_ran); });
      };
      blitz::AsyncHandle<void> other = own.async([&] { through_third ? third.install(elsewhere) : elsewhere(); });
      stolen.wait();
      group.run([&] { ran.count_down(); });
      spawned.count_down();
      at_limit.join();
      other.get();
    }
  }
}

namespace {

/// A worker of `own` waits in a call of `pool` until `over`. In this wait it runs `on_top`, as a worker of `own`.
template <class F, class G>
void wait_elsewhere(Pool& own, Pool& pool, const std::atomic<bool>& over, const F& first, const G& on_top) {
  std::latch busy(1);
  own.install([&] {
    // The other worker of `own`.
    blitz::AsyncHandle<void> end = blitz::async([&] {
      busy.count_down();
      while (!over) std::this_thread::yield();
    });
    busy.wait();
    blitz::spawn(on_top);
    pool.install([&] {
      first();
      end.get();
    });
  });
}

}  // namespace

POOL_TEST_CASE("pools: a job spawned by a call inside a wait in the same pool is run") {
  for_each_size([](Pool& pool) {
    Pool own({.num_threads = 2});
    std::atomic<bool> over{false};
    wait_elsewhere(
        own, pool, over, [] {}, [&] { pool.install([&] { blitz::spawn([&] { over = true; }); }); });
    CHECK(over);
  });
}

// A thread that helps the call spawns more jobs than its queue holds. It must then run a job from outside that waits for them.
BACKEND_TEST_CASE("pools: jobs left in a call that waits as a worker of its own pool are run") {
  for (int round = 0; round < 20; ++round) {
    constexpr int kJobs = 1000;
    Pool own({.num_threads = 2});
    Pool pool({.num_threads = 2});
    std::atomic<int> ran{0};
    std::atomic<bool> over{false};
    std::latch begun(1);
    std::latch waits(1);
    std::latch inside(1);
    std::thread slot_0([&] {
      pool.install([&] {
        inside.count_down();
        while (!over) std::this_thread::yield();
      });
    });
    inside.wait();
    const auto until_all_ran = [&] {
      while (ran != kJobs) static_cast<void>(blitz::yield_now());
      over = true;
    };
    const auto leave_jobs = [&] {
      begun.count_down();
      waits.wait();
      for (int i = 0; i < kJobs; ++i) blitz::spawn([&] { ++ran; });
    };
    wait_elsewhere(
        own, pool, over,
        [&] {
          blitz::spawn(leave_jobs);
          begun.wait();
        },
        [&] {
          pool.spawn(until_all_ran);
          waits.count_down();
        });
    slot_0.join();
    CHECK(ran == kJobs);
  }
}

// --- install_blocking ---

POOL_TEST_CASE("install_blocking: returns the result of the callable from every kind of caller") {
  for_each_size([](Pool& pool) {
    const auto test = [&] {
      CHECK(pool.install_blocking([] { return 1; }) == 1);
      CHECK(*pool.install_blocking([] { return std::make_unique<int>(2); }) == 2);
      int target = 0;
      static_assert(std::is_same_v<decltype(pool.install_blocking([&]() -> int& { return target; })), int&>);
      CHECK(&pool.install_blocking([&]() -> int& { return target; }) == &target);
      static_assert(std::is_void_v<decltype(pool.install_blocking([] {}))>);
      CHECK_THROWS_AS(pool.install_blocking([] { throw 1; }), int);
      CHECK(pool.install_blocking([&] { return pool.current_thread_index().has_value(); }));
      CHECK(pool.install_blocking([] { return fib(8); }) == 21);
    };
    test();
    pool.install(test);
    Pool other({.num_threads = 2});
    other.install(test);
  });
}

/// A job from outside that has begun on another thread.
blitz::AsyncHandle<void> begun_elsewhere(Pool& pool, std::atomic<bool>& over) {
  std::atomic<bool> begun{false};
  blitz::AsyncHandle<void> job;
  std::thread([&] {
    job = pool.async([&begun, &over] {
      begun = true;
      while (!over) std::this_thread::yield();
    });
  }).join();
  while (!begun) std::this_thread::yield();
  return job;
}

POOL_TEST_CASE("install: a worker of another pool runs its own pool's jobs while it waits") {
  // With install_blocking it does not.
  for (const bool blocking : {false, true}) {
    CAPTURE(blocking);
    for (const bool yields : {false, true}) {
      CAPTURE(yields);
      Pool pool({.num_threads = 1});
      Pool other({.num_threads = 1});
      std::atomic<int> ran{0};
      int ran_meanwhile = 0;
      pool.install([&] {
        const auto job = [&ran] { ++ran; };
        blitz::spawn(job);
        std::thread([&] { pool.spawn(job); }).join();
        std::atomic<bool> over{false};
        blitz::AsyncHandle<void> awaited = begun_elsewhere(other, over);
        std::thread ends([&] {
          for (int i = 0; ran < 2 && (!blocking || i < 1000); ++i) std::this_thread::yield();
          over = true;
        });
        const auto wait = [&] {
          while (yields && !over) static_cast<void>(blitz::yield_now());
          awaited.get();
        };
        blocking ? other.install_blocking(wait) : other.install(wait);
        ran_meanwhile = ran;
        ends.join();
      });
      CHECK(ran_meanwhile == (blocking ? 0 : 2));
      pool.shutdown();
      CHECK(ran == 2);
    }
  }
}

POOL_TEST_CASE("install: a broadcast reaches a worker that is in a call of another pool") {
  Pool pool({.num_threads = 2});
  Pool other({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    // From a job of that call, on this thread or another.
    std::atomic<int> calls{0};
    const auto send = [&] { pool.broadcast([&](blitz::BroadcastContext) { ++calls; }); };
    pool.install([&] {
      other.install([&] {
        send();
        blitz::join(send, send);
      });
    });
    REQUIRE(calls == 6);
  }
}

POOL_TEST_CASE("install_blocking: the pool's other workers run calls that come back") {
  Pool pool({.num_threads = 2});
  Pool other({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    REQUIRE(pool.install([&] {
      return other.install_blocking([&] { return pool.install([] { return fib(6); }) + fib(5); });
    }) == 13);
  }
}

POOL_TEST_CASE("options: a call runs in the pool of its options for every caller") {
  Pool pool({.num_threads = 2});
  Pool other({.num_threads = 2});
  std::atomic<int> elsewhere{0};
  const auto in_pool = [&] {
    if (!pool.current_thread_index()) ++elsewhere;
  };
  const auto call_all = [&] {
    std::vector<int> items(100, 1);
    blitz::parallel_for({.pool = &pool}, items, [&](int&) { in_pool(); });
    blitz::parallel_for({.schedule = blitz::Schedule::kFixed, .pool = pool}, 0, 100, [&](int) { in_pool(); });
    blitz::parallel_for_blocks({.pool = &pool}, items, [&](auto) { in_pool(); });
    const auto sum = [&](int a, int b) {
      in_pool();
      return a + b;
    };
    CHECK(blitz::parallel_reduce({.pool = &pool}, items, 0, sum) == 100);
    CHECK(blitz::parallel_reduce({.deterministic = true, .pool = &pool}, items, 0, sum) == 100);
    blitz::scope({.pool = &pool}, [&](blitz::Scope& scope) {
      in_pool();
      scope.spawn(in_pool);
    });
    blitz::scope({.in_place = true, .pool = &pool}, [&](blitz::Scope& scope) { scope.spawn(in_pool); });
  };
  call_all();
  other.install(call_all);
  pool.install(call_all);
  CHECK(elsewhere == 0);
}
