// The number of threads that run a pool's jobs: num_threads, or the limit of set_max_concurrency. warm_up: how long they
// stay awake.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <latch>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/crowd.hpp"
#include "support/fib.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

void crowded_tree(Crowd& crowd, int depth) {
  const Crowd::Visit visit(crowd);
  if (depth == 0) {
    std::this_thread::yield();
    return;
  }
  blitz::join([&] { crowded_tree(crowd, depth - 1); }, [&] { crowded_tree(crowd, depth - 1); });
}

/// When this returns, every worker has been between two jobs, so it has seen the last change of max_concurrency.
void settle(Pool& pool) {
  pool.broadcast([](blitz::BroadcastContext) {});
}

/// Calls `test(count)` for several limits of the pool, first for its initial limit.
template <class Test>
void for_each_limit(Pool& pool, Test&& test) {
  for (const std::size_t count : {pool.num_threads(), std::size_t{1}, std::size_t{2}, std::size_t{5},
                                  pool.num_threads(), std::size_t{3}, std::size_t{1}}) {
    if (count > pool.num_threads()) continue;
    CAPTURE(count);
    if (count != pool.max_concurrency()) {
      pool.set_max_concurrency(count);
      settle(pool);
    }
    test(count);
  }
}

/// Processor time of the whole process.
std::chrono::duration<double> processor_time() {
#if defined(CLOCK_PROCESS_CPUTIME_ID)  // On Windows std::clock() is the time since the program's start.
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
#else
  return std::chrono::duration<double>(static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
#endif
}

/// Whether the idle process soon has a tenth of a second with almost no processor time.
bool comes_to_rest() {
  for (int i = 0; i < 50; ++i) {
    const auto before = processor_time();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (processor_time() - before < std::chrono::milliseconds(10)) return true;
  }
  return false;
}

}  // namespace

POOL_TEST_CASE("max_concurrency: is num_threads until set_max_concurrency changes it") {
  for_each_size([](Pool& pool) {
    CHECK(pool.max_concurrency() == pool.num_threads());
    for (std::size_t count = 1; count <= pool.num_threads(); ++count) {
      pool.set_max_concurrency(count);
      CHECK(pool.max_concurrency() == count);
      CHECK(pool.num_threads() >= count);
    }
    pool.install([&] {
      pool.set_max_concurrency(1);
      CHECK(pool.max_concurrency() == 1);
      CHECK(fib(8) == 21);
    });
  });
}

POOL_TEST_CASE("set_max_concurrency: rejects 0 and more than num_threads and changes nothing") {
  for_each_size([](Pool& pool) {
    pool.set_max_concurrency(1);
    for (const std::size_t count : {std::size_t{0}, pool.num_threads() + 1, std::numeric_limits<std::size_t>::max()}) {
      CAPTURE(count);
      CHECK_THROWS_AS(pool.set_max_concurrency(count), std::invalid_argument);
      CHECK(pool.max_concurrency() == 1);
    }
    try {
      pool.set_max_concurrency(0);
    } catch (const std::invalid_argument& error) {
      CHECK(std::string(error.what()).find(std::to_string(pool.num_threads())) != std::string::npos);
    }
  });
}

POOL_TEST_CASE("max_concurrency: limits the pool's threads that run jobs in addition to its callers") {
  for_each_size([](Pool& pool) {
    for_each_limit(pool, [&](std::size_t count) {
      Crowd crowd;
      constexpr int kCallers = 6;
      std::latch start(kCallers);
      std::vector<std::thread> callers;
      for (int c = 0; c < kCallers; ++c) {
        callers.emplace_back([&] {
          start.arrive_and_wait();
          for (int i = 0; i < 3; ++i) {
            pool.install([&] { crowded_tree(crowd, 5); });
            blitz::parallel_for({.pool = &pool}, 0, 50, [&](int) {
              const Crowd::Visit visit(crowd);
              blitz::parallel_for(0, 4, [&](int) { const Crowd::Visit inner(crowd); });
            });
            pool.join([&] { crowded_tree(crowd, 2); }, [&] { crowded_tree(crowd, 2); });
            pool.scope([&](blitz::Scope& scope) {
              for (int k = 0; k < 20; ++k) scope.spawn([&] { crowded_tree(crowd, 1); });
            });
            pool.async([&] { crowded_tree(crowd, 2); }).get();
          }
        });
      }
      for (std::thread& caller : callers) caller.join();
      CHECK(crowd.most() >= 1);
      CHECK(crowd.most() <= static_cast<int>(count) + kCallers);
    });
  });
}

POOL_TEST_CASE("max_concurrency: lets that many threads work concurrently") {
  for_each_size([](Pool& pool) {
    for_each_limit(pool, [&](std::size_t count) {
      for (int round = 0; round < 5; ++round) {
        std::latch spawned(static_cast<std::ptrdiff_t>(count));
        pool.scope([&](blitz::Scope& scope) {
          for (std::size_t i = 0; i < count; ++i) scope.spawn([&] { spawned.arrive_and_wait(); });
        });
        std::latch injected(static_cast<std::ptrdiff_t>(count));
        std::vector<blitz::AsyncHandle<void>> handles;
        for (std::size_t i = 0; i < count; ++i) handles.push_back(pool.async([&] { injected.arrive_and_wait(); }));
        for (auto& handle : handles) handle.get();
        std::latch called(static_cast<std::ptrdiff_t>(count));
        std::vector<std::thread> callers;
        for (std::size_t i = 0; i < count; ++i) {
          callers.emplace_back([&] { pool.install([&] { called.arrive_and_wait(); }); });
        }
        for (std::thread& caller : callers) caller.join();
      }
    });
  });
}

POOL_TEST_CASE("set_max_concurrency: a lower limit holds from the next job of each worker") {
  Pool pool({.num_threads = 16});
  Crowd crowd;
  std::atomic<bool> over{false};
  std::atomic<int> jobs{0};
  struct Endless {
    Crowd& crowd;
    std::atomic<bool>& over;
    std::atomic<int>& jobs;
    void operator()() const {
      {
        const Crowd::Visit visit(crowd);
        ++jobs;
        std::this_thread::yield();
      }
      if (!over) blitz::spawn(*this);
    }
  };
  for (int i = 0; i < 64; ++i) pool.spawn(Endless{crowd, over, jobs});
  for (const std::size_t count : {16, 4, 1, 8, 2}) {
    CAPTURE(count);
    pool.set_max_concurrency(count);
    settle(pool);
    crowd.forget();
    for (const int before = jobs; jobs < before + 500;) std::this_thread::yield();
    CHECK(crowd.most() <= static_cast<int>(count));
  }
  over = true;
  pool.shutdown();
}

POOL_TEST_CASE("set_max_concurrency: a waiting worker above a lowered limit runs no other jobs") {
  const auto wait_for = [](const std::atomic<bool>& flag) {
    while (!flag) std::this_thread::yield();
  };
  for (const bool within : {false, true}) {
    CAPTURE(within);
    Pool pool({.num_threads = 2});
    std::atomic<bool> outer{false};
    std::atomic<bool> inner{false};
    std::atomic<bool> lowered{false};
    std::atomic<bool> ran{false};
    bool ran_too_soon = false;
    const auto lower = [&] {
      pool.set_max_concurrency(1);
      lowered = true;
    };
    // On worker 0, which has stolen it from worker 1. Worker 1 waits for it, and might run the jobs spawned here.
    const auto taken = [&] {
      inner = true;
      if (within) blitz::spawn(lower);
      wait_for(lowered);
      blitz::spawn([&] { ran = true; });
      // Far longer than a worker takes to find the job.
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
      while (!ran && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      ran_too_soon = ran;
    };
    pool.join([&] { wait_for(outer); },
              [&] {
                outer = true;
                blitz::join(
                    [&] {
                      wait_for(inner);
                      if (!within) lower();
                    },
                    taken);
              });
    wait_for(ran);
    CHECK_FALSE(ran_too_soon);
  }
}

POOL_TEST_CASE("set_max_concurrency: all work completes while the limit changes") {
  for (const std::size_t limit : {0, 1, 32}) {
    CAPTURE(limit);
    Pool pool({.num_threads = 16, .max_nested_waits = limit});
    constexpr int kCallers = 4;
    std::atomic<int> right{0};
    std::atomic<int> left{kCallers};
    std::atomic<int> detached{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < kCallers; ++c) {
      callers.emplace_back([&] {
        for (int i = 0; i < 15; ++i) {
          std::atomic<int> sum{0};
          blitz::parallel_for({.pool = &pool}, 0, 100, [&](int k) { sum += k; });
          pool.spawn([&] { blitz::spawn([&] { ++detached; }); });
          const bool fine = sum == 4950 && pool.install([] { return fib(9); }) == 34 &&
                            pool.async([] { return fib(6); }).get() == 8 &&
                            pool.install([] { return blitz::isolate([] { return fib(7); }); }) == 13;
          if (fine) ++right;
        }
        --left;
      });
    }
    for (std::size_t i = 0; left > 0; ++i) {
      pool.set_max_concurrency(1 + i * 7 % 16);
      std::this_thread::yield();
    }
    for (std::thread& caller : callers) caller.join();
    pool.shutdown();
    CHECK(right == kCallers * 15);
    CHECK(detached == kCallers * 15);
  }
}

POOL_TEST_CASE("set_max_concurrency: broadcast reaches the workers above the limit") {
  Pool pool({.num_threads = 16});
  pool.set_max_concurrency(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::atomic<int>> calls(16);
    std::atomic<int> right{0};
    pool.broadcast([&](blitz::BroadcastContext c) {
      ++calls[c.index()];
      if (blitz::current_thread_index() == c.index() && fib(5) == 5) ++right;
    });
    CHECK(right == 16);
    for (const auto& count : calls) REQUIRE(count == 1);

    // Jobs spawned by workers above the limit are run, by these workers or by others.
    std::atomic<int> done{0};
    pool.spawn_broadcast([&](blitz::BroadcastContext) {
      blitz::spawn([&] { ++done; });
      ++done;
    });
    while (done < 32) std::this_thread::yield();
    if (round == 10) CHECK(comes_to_rest());
  }
}

POOL_TEST_CASE("set_max_concurrency: workers above the limit use no processor time") {
  Pool pool({.num_threads = 16});
  for (const std::size_t count : {1, 3}) {
    pool.set_max_concurrency(count);
    CHECK(pool.install([] { return fib(10); }) == 55);
    settle(pool);
    CHECK(comes_to_rest());
  }
}

POOL_TEST_CASE("set_max_concurrency: a pool with workers above the limit ends") {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ran{0};
    {
      Pool pool({.num_threads = 8});
      pool.set_max_concurrency(1 + static_cast<std::size_t>(round) % 3);
      if (round % 2 == 0) settle(pool);
      for (int i = 0; i < 20; ++i) pool.spawn([&] { ran += fib(3) == 2; });
      if (round % 5 == 0) pool.set_max_concurrency(8);
    }
    REQUIRE(ran == 20);
  }
}

// --- warm_up ---

POOL_TEST_CASE("warm_up: does not change results or the thread of a call") {
  for_each_size([](Pool& pool) {
    for (int round = 0; round < 10; ++round) {
      pool.warm_up();
      // An outside caller still finds its slot.
      REQUIRE(pool.install([] { return std::this_thread::get_id(); }) == std::this_thread::get_id());
      REQUIRE(pool.install([] { return fib(10); }) == 55);
      pool.install([&] { pool.warm_up(std::chrono::microseconds(100)); });
    }
    pool.warm_up(std::chrono::nanoseconds(0));
    pool.warm_up(std::chrono::nanoseconds(-1));
    CHECK(comes_to_rest());
  });
}

POOL_TEST_CASE("warm_up: keeps workers awake until a call with zero time") {
  Pool pool({.num_threads = 2});
  pool.warm_up(std::chrono::hours(1));
  // The only worker without an outside caller is awake, and stays awake.
  const auto times_woken = [&] { return pool.stats().workers[1].times_woken; };
  while (times_woken() == 0) std::this_thread::yield();
  for (int round = 0; round < 20; ++round) {
    std::latch both(2);
    pool.join([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
  }
  CHECK(times_woken() == 1);
  pool.warm_up(std::chrono::nanoseconds(0));
  CHECK(comes_to_rest());
}

POOL_TEST_CASE("warm_up: the longest time does not delay the end of the pool") {
  Pool pool({.num_threads = 3});
  pool.warm_up(std::chrono::nanoseconds::max());
  CHECK(pool.install([] { return fib(8); }) == 21);
  pool.set_max_concurrency(1);
  CHECK(pool.install([] { return fib(8); }) == 21);
}
