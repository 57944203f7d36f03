// Nested waits: how many unrelated jobs may accumulate on a stack, and that everything ends with every limit.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <latch>
#include <thread>
#include <type_traits>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/fib.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

constexpr std::size_t kLimits[] = {0, 1, 2, 32};

/// Calls `test` with a new pool of each size and each limit, and also passes the limit if `test` takes it.
template <class Test>
void for_each_limit(Test&& test) {
  for (const std::size_t limit : kLimits) {
    CAPTURE(limit);
    for (const std::size_t size : {1, 2, 3, 16}) {
      CAPTURE(size);
      Pool pool({.num_threads = size, .max_nested_waits = limit});
      if constexpr (std::is_invocable_v<Test&, Pool&>) {
        test(pool);
      } else {
        test(pool, limit);
      }
    }
  }
}

/// A tree of scopes. Each job also spawns into the scope around its own.
void spawn_outwards(blitz::Scope& outer, int depth, std::atomic<int>& count) {
  ++count;
  if (depth == 0) return;
  blitz::scope([&](blitz::Scope& inner) {
    for (int i = 0; i < 2; ++i) {
      inner.spawn([&, depth] { spawn_outwards(inner, depth - 1, count); });
      outer.spawn([&] { ++count; });
    }
  });
}
int outwards_count(int depth) { return depth == 0 ? 1 : 1 + 2 * outwards_count(depth - 1) + 2; }

/// The greatest number of certain jobs that were on the stack of one thread at the same time.
class Depth {
 public:
  class Visit {
   public:
    explicit Visit(Depth& depth) {
      const int now = ++here();
      int most = depth.most_.load();
      while (most < now && !depth.most_.compare_exchange_weak(most, now)) {
      }
    }
    ~Visit() { --here(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
  };

  int most() const { return most_; }

 private:
  static int& here() {
    thread_local int value = 0;
    return value;
  }
  std::atomic<int> most_{0};
};

/// Three workers: one is in a long job, and the others are given jobs, one by one, that all wait for the same event, each with
/// `kFrame` bytes on its stack. Returns how many of `jobs` have begun when no more begin.
template <std::size_t kFrame = 1>
int begun_waits(blitz::ThreadPoolOptions options, int jobs, int expected) {
  options.num_threads = 3;
  Pool pool(options);
  Pool other({.num_threads = 1});
  std::latch waiting(1);
  std::latch event(1);
  blitz::TaskGroup until_event(other);
  until_event.run([&] {
    waiting.count_down();
    event.wait();
  });
  waiting.wait();  // If it had not begun, a thread that waits for it would run it.
  std::latch busy(1);
  std::latch end_of_long_job(1);
  std::atomic<bool> released{
      false};  // Jobs that begin after the release do not wait: the last free worker must stay able to run jobs.
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  pool.spawn([&] {
    busy.count_down();
    end_of_long_job.wait();
  });
  busy.wait();
  for (int i = 0; i < jobs; ++i) {
    pool.spawn([&] {
      volatile char frame[kFrame];
      frame[0] = 1;
      frame[kFrame - 1] = 1;
      ++begun;
      if (!released) until_event.wait();
      ended += frame[0];
    });
    while (begun <= i && i < expected) std::this_thread::yield();
  }
  // Long enough for a worker to begin one more job.
  for (int i = 0; i < 2000 && begun < jobs; ++i) std::this_thread::yield();
  const int result = begun;
  released = true;
  event.count_down();
  end_of_long_job.count_down();
  pool.shutdown();
  CHECK(ended == jobs);
  return result;
}

}  // namespace

// --- everything ends ---

POOL_TEST_CASE("nested waits: joins complete with every limit") {
  for_each_limit([](Pool& pool) {
    for (int round = 0; round < 5; ++round) REQUIRE(pool.install([] { return fib(12); }) == 144);
  });
}

POOL_TEST_CASE("nested waits: scopes whose jobs spawn into outer scopes complete") {
  for_each_limit([](Pool& pool) {
    for (int round = 0; round < 5; ++round) {
      std::atomic<int> count{0};
      pool.scope([&](blitz::Scope& scope) { spawn_outwards(scope, 5, count); });
      REQUIRE(count == outwards_count(5));
    }
  });
}

POOL_TEST_CASE("nested waits: nested loops of several callers complete") {
  for_each_limit([](Pool& pool) {
    std::atomic<int> count{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 3; ++c) {
      callers.emplace_back([&] {
        blitz::parallel_for({.pool = &pool}, 0, 10, [&](int) {
          blitz::parallel_for(0, 10, [&](int) { blitz::parallel_for(0, 10, [&](int) { ++count; }); });
        });
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(count == 3000);
  });
}

POOL_TEST_CASE("nested waits: handles and broadcasts and waits for another pool complete") {
  for_each_limit([](Pool& pool) {
    Pool other({.num_threads = 2, .max_nested_waits = pool.num_threads() % 2});
    std::atomic<long> sum{0};
    blitz::parallel_for({.pool = &pool}, 0, 20, [&](int) {
      auto handle = blitz::async([] { return fib(6); });
      const auto everywhere = blitz::broadcast([](blitz::BroadcastContext) { return 1; });
      sum += other.install([&] { return fib(5) + pool.install([] { return fib(4); }); });
      sum += handle.get() + static_cast<long>(everywhere.size());
    });
    CHECK(sum == 20 * (8 + 5 + 3 + static_cast<long>(pool.num_threads())));
  });
}

POOL_TEST_CASE("nested waits: a worker at the limit runs a job if all others wait there") {
  // A chain through two pools and back: each hop is one more wait on some stack, and needs one more worker.
  for (const std::size_t limit : {0, 1, 2}) {
    CAPTURE(limit);
    for (const std::size_t size : {1, 2, 3}) {
      CAPTURE(size);
      Pool pool({.num_threads = size, .max_nested_waits = limit});
      Pool other({.num_threads = size, .max_nested_waits = limit});
      struct Chain {
        static int hop(Pool& to, Pool& from, int hops) {
          return hops == 0 ? 0 : 1 + to.install([&] { return hop(from, to, hops - 1); });
        }
      };
      for (int round = 0; round < 2; ++round) REQUIRE(Chain::hop(pool, other, 12) == 12);
    }
  }
}

POOL_TEST_CASE("nested waits: a worker at the limit runs a job if the other blocks in another pool") {
  Pool pool({.num_threads = 2, .max_nested_waits = 0});
  Pool other({.num_threads = 1});
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> stolen{false};
    std::atomic<bool> came_back{false};
    pool.join(
        [&] {
          while (!stolen) std::this_thread::yield();
        },
        [&] {
          stolen = true;
          for (int i = 0; i < 50 * (round % 3); ++i) std::this_thread::yield();
          // This worker can do nothing in the meantime, and the other waits for it.
          other.install_blocking([&] { pool.install([&] { came_back = true; }); });
        });
    REQUIRE(came_back.load());
  }
}

// --- how deep ---

POOL_TEST_CASE("nested waits: a worker at the limit begins no other job") {
  for (const int limit : {0, 1, 2, 5}) {
    CAPTURE(limit);
    const int expected = 2 * (limit + 1);
    CHECK(begun_waits({.max_nested_waits = static_cast<std::size_t>(limit)}, expected + 5, expected) == expected);
  }
  CHECK(begun_waits({.max_nested_waits = 1000}, 40, 40) == 40);
}

TEST_CASE("nested waits: unrelated jobs on one stack never exceed the limit") {
  // Only pools with queues that contain nothing but jobs of their owners.
  const auto test = [](TestedPolicy policy, std::size_t limit, std::size_t size) {
    CAPTURE(limit);
    CAPTURE(size);
    Pool pool = pool_of(policy, {.num_threads = size, .max_nested_waits = limit});
    Depth depth;
    std::atomic<int> ran{0};
    constexpr int kJobs = 400;
    for (int i = 0; i < kJobs; ++i) {
      pool.spawn([&] {
        const Depth::Visit visit(depth);
        std::atomic<bool> begun{false};
        blitz::join(
            [&] {
              for (int patience = 0; patience < 20 && !begun; ++patience) std::this_thread::yield();
            },
            [&] {
              begun = true;
              for (int k = 0; k < 5; ++k) std::this_thread::yield();
            });
        ++ran;
      });
    }
    pool.shutdown();
    CHECK(ran == kJobs);
    CHECK(depth.most() <= static_cast<int>(limit) + 1);
  };
  for (const std::size_t limit : kLimits) {
    for (const std::size_t size : kPoolSizes) {
      test(TestedPolicy::kForkJoin, limit, size);
      test(TestedPolicy::kReference, limit, size);
    }
  }
}

POOL_TEST_CASE("nested waits: jobs that yield never exceed the limit on one stack") {
  for_each_limit([](Pool& pool, std::size_t limit) {
    for (const auto yield : {blitz::yield_now, blitz::yield_local}) {
      for (const int times : {1, 10}) {
        CAPTURE(times);
        Depth depth;
        std::atomic<int> ran{0};
        constexpr int kJobs = 1000;
        pool.scope([&](blitz::Scope& scope) {
          for (int i = 0; i < kJobs; ++i) {
            scope.spawn([&] {
              const Depth::Visit visit(depth);
              for (int k = 0; k < times; ++k) static_cast<void>(yield());
              ++ran;
            });
          }
        });
        CHECK(ran == kJobs);
        CHECK(depth.most() <= static_cast<int>(limit) + 2);
      }
    }
  });
}

// All wait for one job that waits for none. If each waited for the previous one, a job might run on top of that one.
POOL_TEST_CASE("nested waits: jobs that yield until another has run complete with every limit") {
  for_each_limit([](Pool& pool, std::size_t limit) {
    const std::size_t jobs = limit + 8;  // on one stack if there is one worker
    for (const auto yield : {blitz::yield_now, blitz::yield_local}) {
      for (const std::size_t awaited : {std::size_t{0}, jobs - 1}) {
        std::vector<std::atomic<bool>> ran(jobs);
        pool.scope([&](blitz::Scope& scope) {
          for (std::size_t i = 0; i < jobs; ++i) {
            scope.spawn([&, i] {
              // At the limit a worker refuses many times before it nests a job, and each yield may run other programs.
              for (int refused = 0; i != awaited && !ran[awaited];) {
                if (yield() == blitz::Yield::kIdle && ++refused % 64 == 0) std::this_thread::yield();
              }
              ran[i] = true;
            });
          }
        });
        CHECK(std::ranges::all_of(ran, [](const auto& x) { return x.load(); }));
      }
    }
  });
}

#if defined(__linux__) && !defined(BLITZ_PORTABLE)

POOL_TEST_CASE("nested waits: a small stack suffices with a limit") {
  // Nine jobs of this size on one stack would overflow it; the limit allows three.
  constexpr std::size_t kStack = std::size_t{128} << 10;
  constexpr std::size_t kFrame = std::size_t{16} << 10;
  CHECK(begun_waits<kFrame>({.stack_size = kStack, .max_nested_waits = 2}, 40, 6) == 6);
}

#endif
