// isolate: while a worker waits inside, it starts only jobs that were made inside.
#include <atomic>
#include <cstddef>
#include <latch>
#include <limits>
#include <memory>
#include <mutex>
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

namespace {

/// Set while the thread simulates holding a lock: a job that begins in that time would deadlock on the lock.
thread_local bool holds_lock = false;

class Hold {
 public:
  Hold() : before_(std::exchange(holds_lock, true)) {}
  ~Hold() { holds_lock = before_; }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  bool before_;
};

void yield_often() {
  for (int i = 0; i < 300; ++i) std::this_thread::yield();
}

/// Tests whether the only worker of a pool starts jobs of its pool during a wait. `wait(f)` calls f, which waits for another
/// pool. Returns whether a job started. `patience`: how long the other pool waits for that.
template <class Wait>
bool begins_strangers(Wait&& wait, int patience) {
  Pool pool({.num_threads = 1});
  Pool other({.num_threads = 1});
  std::atomic<bool> begun{false};
  std::atomic<int> under_lock{0};
  std::atomic<int> ran{0};
  const auto stranger = [&] {
    ++ran;
    under_lock += holds_lock;
    if (holds_lock) begun = true;
  };
  pool.scope([&](blitz::Scope& scope) {
    scope.spawn(stranger);
    scope.spawn_fifo(stranger);
    blitz::spawn(stranger);
    blitz::spawn_fifo(stranger);
    std::thread([&] { pool.spawn(stranger); }).join();
    const Hold lock;
    wait([&] {
      other.install([&] {
        for (int i = 0; i < patience && !begun; ++i) static_cast<void>(blitz::yield_now());
      });
    });
  });
  pool.shutdown();
  CHECK(ran == 5);
  return under_lock > 0;
}
constexpr int kForEver = std::numeric_limits<int>::max();

/// All ways of waiting, with their results.
int wait_in_all_ways() {
  int right = 0;
  right += fib(6) == 8;
  const auto [a, b, c] = blitz::join([] { return 1; }, [] { return 2; }, [] { return 3; });
  right += a + b + c == 6;
  std::atomic<int> count{0};
  const auto spawn_some = [&](blitz::Scope& scope) {
    for (int i = 0; i < 4; ++i) {
      scope.spawn([&](blitz::Scope& same) {
        ++count;
        same.spawn([&] { ++count; });
      });
    }
  };
  blitz::scope(spawn_some);
  blitz::scope_fifo(spawn_some);
  blitz::in_place_scope(spawn_some);
  right += count == 24;
  std::atomic<int> sum{0};
  blitz::parallel_for(0, 100, [&](int i) { sum += i; });
  right += sum == 4950;
  right += blitz::parallel_transform_reduce(0, 100, 0, std::plus<>(), [](int i) { return i; }) == 4950;
  blitz::parallel_invoke([&] { ++sum; }, [&] { ++sum; }, [&] { ++sum; });
  right += sum == 4953;
  blitz::join_all(std::vector(3, [&] { ++sum; }));
  right += sum == 4956;
  right += blitz::async([] { return fib(5); }).get() == 5;
  right += blitz::isolate([] { return fib(5); }) == 5;
  return right;
}
constexpr int kWays = 9;

}  // namespace

POOL_TEST_CASE("isolate: a worker that waits outside isolate begins other callers' jobs") {
  CHECK(begins_strangers([](auto&& f) { f(); }, kForEver));
}

POOL_TEST_CASE("isolate: a worker that waits inside begins no jobs from outside") {
  for (int round = 0; round < 10; ++round) {
    REQUIRE_FALSE(begins_strangers([](auto&& f) { blitz::isolate(f); }, 1000));
  }
  CHECK_FALSE(begins_strangers(
      [](auto&& f) {
        blitz::isolate([&] {
          blitz::spawn_fifo([] {});  // of one list with those outside
          f();
          CHECK(fib(5) == 5);
        });
      },
      1000));
}

POOL_TEST_CASE("isolate: returns the result and rethrows the exception of the callable") {
  for_each_size([](Pool& pool) {
    pool.install([] {
      CHECK(blitz::isolate([] { return 1; }) == 1);
      CHECK(*blitz::isolate([] { return std::make_unique<int>(2); }) == 2);
      int target = 0;
      static_assert(std::is_same_v<decltype(blitz::isolate([&]() -> int& { return target; })), int&>);
      CHECK(&blitz::isolate([&]() -> int& { return target; }) == &target);
      static_assert(std::is_void_v<decltype(blitz::isolate([] {}))>);
      Lives lives;
      CHECK(blitz::isolate([&] { return Counted(lives, 5); }).value == 5);
      CHECK_THROWS_AS(blitz::isolate([&] { throw Counted(lives, 1); }), Counted);
      CHECK(lives.alive == 0);
      CHECK_THROWS_WITH_AS(blitz::isolate([] { blitz::join([] {}, [] { throw std::runtime_error("b"); }); }), "b",
                           std::runtime_error);
      CHECK_THROWS_AS(blitz::isolate([] { blitz::parallel_for(0, 100, [](int i) { throw i; }); }), int);
      CHECK_THROWS_AS(blitz::isolate([] { blitz::isolate([] { throw 1; }); }), int);
      CHECK(blitz::isolate(wait_in_all_ways) == kWays);
    });
  });
}

POOL_TEST_CASE("isolate: the worker runs other jobs again after a return or an exception") {
  CHECK(begins_strangers(
      [](auto&& f) {
        CHECK_THROWS_AS(blitz::isolate([] { throw 1; }), int);
        blitz::isolate([] { blitz::isolate([] {}); });
        f();
      },
      kForEver));
}

POOL_TEST_CASE("isolate: every kind of wait completes inside and begins no jobs from outside") {
  for_each_size([](Pool& pool) {
    std::atomic<int> strangers{0};
    std::atomic<int> begun_under_lock{0};
    const auto stranger = [&] {
      if (holds_lock) ++begun_under_lock;
      ++strangers;
    };
    int expected = 0;
    for (int round = 0; round < 5; ++round) {
      pool.scope([&](blitz::Scope& scope) {
        for (int i = 0; i < 20; ++i) {
          scope.spawn(stranger);
          pool.spawn(stranger);
          pool.spawn_fifo(stranger);
        }
        expected += 60;
        const Hold lock;
        CHECK(blitz::isolate(wait_in_all_ways) == kWays);
      });
    }
    pool.shutdown();
    CHECK(strangers == expected);
    CHECK(begun_under_lock == 0);
  });
}

POOL_TEST_CASE("isolate: calls into another pool and into its own pool work inside") {
  for_each_size([](Pool& pool) {
    Pool other({.num_threads = 2});
    std::atomic<int> begun_under_lock{0};
    pool.scope([&](blitz::Scope& scope) {
      for (int i = 0; i < 20; ++i) {
        scope.spawn([&] {
          if (holds_lock) ++begun_under_lock;
        });
      }
      const Hold lock;
      for (int round = 0; round < 10; ++round) {
        const long result = blitz::isolate([&] {
          const long there = other.install([&] {
            yield_often();
            return fib(7) + blitz::isolate([] { return fib(5); });
          });
          const long blocking = other.install_blocking([] { return fib(6); });
          const auto [x, y] = pool.join([] { return fib(5); }, [] { return fib(6); });
          return there + blocking + x + y + pool.install([] { return fib(4); });
        });
        REQUIRE(result == 13 + 5 + 8 + 5 + 8 + 3);
      }
    });
    CHECK(begun_under_lock == 0);
  });
}

POOL_TEST_CASE("isolate: many jobs may hold one mutex over an isolated wait") {
  for_each_size([](Pool& pool) {
    std::mutex mutex;
    int inside = 0;
    std::atomic<int> reentries{0};
    std::atomic<int> right{0};
    constexpr int kJobs = 60;
    blitz::parallel_for({.pool = &pool}, 0, kJobs, [&](int) {
      if (holds_lock) {
        ++reentries;  // It would deadlock on the lock of its own thread.
        return;
      }
      const std::lock_guard lock(mutex);
      const Hold hold;
      ++inside;
      blitz::isolate([&] { right += wait_in_all_ways() == kWays; });
      --inside;
    });
    CHECK(reentries == 0);
    CHECK(right == kJobs);
    CHECK(inside == 0);
  });
}

POOL_TEST_CASE("isolate: many jobs with separate thread-local state never enter one another") {
  for_each_size([](Pool& pool) {
    std::atomic<int> reentries{0};
    std::atomic<int> right{0};
    constexpr int kJobs = 100;
    blitz::parallel_for({.pool = &pool}, 0, kJobs, [&](int) {
      if (holds_lock) ++reentries;
      const Hold hold;
      blitz::isolate([&] { right += wait_in_all_ways() == kWays; });
    });
    // Another worker that runs a region's job may wait there, and then runs only jobs of that region.
    CHECK(reentries == 0);
    CHECK(right == kJobs);
  });
}

// --- sharing of jobs made inside ---

POOL_TEST_CASE("isolate: free workers take jobs made inside") {
  for (const std::size_t size : {2, 16}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    for (int round = 0; round < 50; ++round) {
      std::latch both(2);
      const auto meet = [&] { both.arrive_and_wait(); };
      pool.install([&] { blitz::isolate([&] { blitz::join(meet, meet); }); });
    }
    for (int round = 0; round < 10; ++round) {
      std::latch all(static_cast<std::ptrdiff_t>(size));
      pool.install([&] {
        blitz::isolate([&] {
          blitz::scope([&](blitz::Scope& scope) {
            for (std::size_t i = 0; i < size; ++i) scope.spawn([&] { all.arrive_and_wait(); });
          });
        });
      });
    }
  }
}

POOL_TEST_CASE("isolate: a sleeping worker that waits inside is woken for a job made inside") {
  // `size` threads must meet, and one of them waits inside.
  for (const int size : {2, 3}) {
    CAPTURE(size);
    Pool pool({.num_threads = static_cast<std::size_t>(size)});
    for (int round = 0; round < 30; ++round) {
      std::latch all(size);
      std::atomic<bool> stolen{false};
      pool.install([&] {
        blitz::isolate([&] {
          blitz::join(
              [&] {
                while (!stolen) std::this_thread::yield();
              },
              [&] {
                stolen = true;
                for (int i = 0; i < round % 10; ++i) yield_often();
                blitz::scope([&](blitz::Scope& scope) {
                  for (int i = 0; i < 4; ++i) scope.spawn([] {});
                  for (int i = 0; i < size; ++i) scope.spawn([&] { all.arrive_and_wait(); });
                });
              });
        });
      });
    }
  }
}

POOL_TEST_CASE("isolate: detached jobs made inside run before the pool ends") {
  for_each_size([](Pool& pool) {
    std::atomic<int> ran{0};
    for (int round = 0; round < 20; ++round) {
      pool.install([&] {
        blitz::isolate([&] {
          blitz::spawn([&] {
            ++ran;
            blitz::spawn([&] { ++ran; });
          });
          blitz::spawn_fifo([&] { ran += wait_in_all_ways() == kWays; });
          blitz::spawn_broadcast([&](blitz::BroadcastContext) { ++ran; });
        });
      });
    }
    pool.shutdown();
    CHECK(ran == 20 * (3 + static_cast<int>(pool.num_threads())));
  });
}

POOL_TEST_CASE("isolate: spawn_fifo keeps the order of jobs made inside and of jobs made outside") {
  Pool pool({.num_threads = 1});
  std::vector<int> order;
  pool.scope([&](blitz::Scope& outer) {
    for (int i = 0; i < 3; ++i) outer.spawn_fifo([&, i] { order.push_back(10 + i); });
    blitz::isolate([&] {
      blitz::scope_fifo([&](blitz::Scope& inner) {
        for (int i = 0; i < 3; ++i) inner.spawn([&, i] { order.push_back(i); });
      });
      blitz::scope([&](blitz::Scope& inner) {
        // The list belongs to the outer scope. Its jobs from inside must not fetch its jobs from outside.
        for (int i = 0; i < 3; ++i) outer.spawn_fifo([&, i] { order.push_back(20 + i); });
        inner.spawn([] {});
      });
    });
    CHECK(order.size() >= 3);
    for (const int entry : order) CHECK((entry < 3 || entry >= 20));
  });
  CHECK(order.size() == 9);
  const auto in_order = [&](int first) {
    std::vector<int> part;
    for (const int entry : order) {
      if (entry >= first && entry < first + 3) part.push_back(entry);
    }
    return part == std::vector<int>{first, first + 1, first + 2};
  };
  CHECK(in_order(0));
  CHECK(in_order(10));
  CHECK(in_order(20));
}

POOL_TEST_CASE("isolate: broadcast reaches a worker that waits inside") {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 10; ++round) {
    std::atomic<bool> stolen{false};
    pool.install([&] {
      blitz::isolate([&] {
        blitz::join(
            [&] {
              while (!stolen) std::this_thread::yield();
            },
            [&] {
              stolen = true;
              if (round % 2 == 0) yield_often();
              const auto indices = blitz::broadcast([](blitz::BroadcastContext c) { return c.index(); });
              CHECK(indices == std::vector<std::size_t>{0, 1});
            });
      });
    });
  }
}

// --- in one another ---

POOL_TEST_CASE("isolate: a nested isolate begins no job of the outer one") {
  for_each_size([](Pool& pool) {
    std::atomic<int> begun_under_lock{0};
    pool.install([&] {
      blitz::isolate([&] {
        blitz::scope([&](blitz::Scope& scope) {
          for (int i = 0; i < 20; ++i) {
            scope.spawn([&] {
              if (holds_lock) ++begun_under_lock;
            });
          }
          const Hold lock;
          blitz::isolate([&] {
            CHECK(wait_in_all_ways() == kWays);
            blitz::isolate([&] { CHECK(wait_in_all_ways() == kWays); });
          });
        });
      });
    });
    CHECK(begun_under_lock == 0);
  });
}

POOL_TEST_CASE("isolate: the outer isolate may run jobs that a nested one leaves") {
  for_each_size([](Pool& pool) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> ran{0};
      const int result = pool.install([&] {
        return blitz::isolate([&] {
          // With one worker, no other thread could run these.
          auto handle = blitz::isolate([] { return blitz::async([] { return 1; }); });
          blitz::scope([&](blitz::Scope& scope) {
            blitz::isolate([&] {
              for (int i = 0; i < 5; ++i) {
                scope.spawn([&](blitz::Scope& same) {
                  ++ran;
                  blitz::isolate([&] { same.spawn_fifo([&] { ++ran; }); });
                });
              }
            });
            CHECK_THROWS_AS(blitz::isolate([&] {
                              scope.spawn([&] { ++ran; });
                              throw 1;
                            }),
                            int);
          });
          auto deep = blitz::isolate([] {
            return blitz::isolate([] { return blitz::isolate([] { return blitz::async([] { return 2; }); }); });
          });
          return handle.get() + deep.get();
        });
      });
      REQUIRE(result == 3);
      REQUIRE(ran == 11);
    }
  });
}

// --- outside of pools ---

TEST_CASE("isolate: runs in the global pool outside every pool") {
  CHECK_FALSE(blitz::current_thread_index());
  blitz::isolate([] {
    CHECK(blitz::current_thread_index().has_value());
    CHECK(wait_in_all_ways() == kWays);
  });
  CHECK_FALSE(blitz::current_thread_index());
}

POOL_TEST_CASE("isolate: keeps the pool and the worker and the thread") {
  for_each_size([](Pool& pool) {
    pool.install([&] {
      const auto index = blitz::current_thread_index();
      const auto thread = std::this_thread::get_id();
      blitz::isolate([&] {
        CHECK(blitz::current_thread_index() == index);
        CHECK(pool.current_thread_index() == index);
        CHECK(blitz::current_num_threads() == pool.num_threads());
        CHECK(std::this_thread::get_id() == thread);
        CHECK(pool.install([] { return std::this_thread::get_id(); }) == thread);
        std::atomic<int> elsewhere{0};
        blitz::parallel_for(0, 200, [&](int) {
          if (!pool.current_thread_index()) ++elsewhere;
        });
        CHECK(elsewhere == 0);
      });
    });
  });
}
