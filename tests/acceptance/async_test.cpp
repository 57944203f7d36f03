// async: any thread may ask for a result later, or no thread does.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "scopes.hpp"
#include "support/all_busy.hpp"

using blitz::AsyncHandle;
using namespace blitz_test;

namespace {

/// Fibonacci numbers, with a handle for each first call.
int fib_by_handles(int n) {
  if (n < 2) return n;
  auto first = blitz::async([n] { return fib_by_handles(n - 1); });
  auto second = blitz::async([n] { return fib_by_handles(n - 2); });
  return first.get() + second.get();
}

/// Each level is a job, and the level above waits for it.
int depth_by_handles(int depth) {
  if (depth == 0) return 0;
  return blitz::async([depth] { return depth_by_handles(depth - 1); }).get() + 1;
}

}  // namespace

// --- results ---

POOL_TEST_CASE("async: get returns results of every kind") {
  from_outside_and_inside([](Pool& pool) {
    auto number = pool.async([] { return 1; });
    static_assert(std::is_same_v<decltype(number), AsyncHandle<int>>);
    CHECK(number.get() == 1);

    int calls = 0;
    auto nothing = pool.async([&] { ++calls; });
    static_assert(std::is_same_v<decltype(nothing.get()), void>);
    nothing.get();
    CHECK(calls == 1);

    int target = 0;
    auto reference = pool.async([&]() -> int& { return target; });
    static_assert(std::is_same_v<decltype(reference.get()), int&>);
    CHECK(&reference.get() == &target);
    auto constant = pool.async([&]() -> const int& { return target; });
    CHECK(&constant.get() == &target);

    CHECK(*pool.async([] { return std::make_unique<int>(2); }).get() == 2);
    CHECK(*pool.async([p = std::make_unique<int>(3)]() mutable { return std::move(p); }).get() == 3);
    CHECK(pool.install([] { return blitz::async([] { return std::string("four"); }).get(); }) == "four");
  });
}

POOL_TEST_CASE("async: effects of the job happen before get returns") {
  from_outside_and_inside([](Pool& pool) {
    std::vector<int> values(50);
    std::vector<AsyncHandle<void>> handles;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 1;
      handles.push_back(pool.async([&values, i] { ++values[i]; }));
    }
    for (auto& handle : handles) handle.get();
    CHECK(values == std::vector<int>(values.size(), 2));
  });
}

POOL_TEST_CASE("async: get rethrows the exception of the job") {
  from_outside_and_inside([](Pool& pool) {
    for (int i = 0; i < 20; ++i) {
      auto number = pool.async([]() -> int { throw Failure("number"); });
      auto nothing = pool.async([] { throw Failure("nothing at all"); });
      auto good = pool.async([] { return 1; });
      CHECK(what_is_thrown_by([&] { static_cast<void>(number.get()); }) == "number");
      CHECK(what_is_thrown_by([&] { nothing.get(); }) == "nothing at all");
      CHECK(good.get() == 1);
      CHECK_FALSE(number.valid());
    }
  });
}

// --- the handle ---

POOL_TEST_CASE("async: wait makes the handle ready and get makes it invalid") {
  for_each_size([](Pool& pool) {
    std::latch let_go(1);
    auto handle = pool.async([&] {
      let_go.wait();
      return 1;
    });
    CHECK(handle.valid());
    CHECK_FALSE(handle.ready());
    let_go.count_down();
    handle.wait();
    CHECK(handle.ready());
    handle.wait();  // A handle can be waited for again, and is then ready immediately.
    CHECK(handle.valid());
    CHECK(handle.get() == 1);
    CHECK_FALSE(handle.valid());

    auto watched = pool.async([] { return 2; });
    while (!watched.ready()) std::this_thread::yield();
    CHECK(watched.get() == 2);
  });
}

POOL_TEST_CASE("async: a handle without a result throws logic_error and a moved handle keeps its result") {
  from_outside_and_inside([](Pool& pool) {
    auto handle = pool.async([] { return 1; });
    CHECK(handle.get() == 1);
    CHECK_THROWS_AS(static_cast<void>(handle.get()), std::logic_error);
    CHECK_THROWS_AS(handle.wait(), std::logic_error);
    CHECK_THROWS_AS(static_cast<void>(handle.ready()), std::logic_error);

    AsyncHandle<int> none;
    CHECK_FALSE(none.valid());
    CHECK_THROWS_AS(static_cast<void>(none.get()), std::logic_error);

    auto from = pool.async([] { return 2; });
    AsyncHandle<int> to(std::move(from));
    CHECK_FALSE(from.valid());
    CHECK_THROWS_AS(static_cast<void>(from.get()), std::logic_error);
    none = std::move(to);
    CHECK(none.get() == 2);

    auto a = pool.async([] { return 3; });
    auto b = pool.async([] { return 4; });
    a.swap(b);
    CHECK(a.get() == 4);
    a = std::move(b);
    CHECK(a.get() == 3);
  });
}

POOL_TEST_CASE("async: a job whose handle was destroyed runs and its result or exception is discarded") {
  for (const std::size_t size : kPoolSizes) {
    Lives lives;
    std::atomic<int> calls{0};
    {
      Pool pool({.num_threads = size});
      const auto drop_some = [&] {
        for (int i = 0; i < 20; ++i) {
          {
            const auto dropped = pool.async([&, life = Counted(lives, 1)] {
              ++calls;
              return Counted(lives, 2);
            });
          }
          {
            const auto dropped = pool.async([&, life = Counted(lives, 3)] {
              ++calls;
              throw Failure("nobody asks");
            });
          }
          const auto dropped_when_done = pool.async([&] {
            ++calls;
            return Counted(lives, 4);
          });
          dropped_when_done.wait();
          auto replaced = pool.async([&] {
            ++calls;
            return Counted(lives, 5);
          });
          replaced = pool.async([&] {
            ++calls;
            return Counted(lives, 6);
          });
          CHECK(replaced.get().value == 6);
        }
      };
      drop_some();
      pool.install(drop_some);
    }
    CHECK(calls == 200);
    CHECK(lives.made > 0);
    CHECK(lives.alive == 0);
  }
}

POOL_TEST_CASE("async: the closure is destroyed once and before wait returns") {
  from_outside_and_inside([](Pool& pool) {
    Lives lives;
    std::atomic<int> calls{0};
    with_each_kind_of_closure(lives, calls, [&](auto&& make) {
      calls = 0;
      auto handle = pool.async(make());
      handle.wait();
      CHECK(calls == 1);
      CHECK(lives.alive == 0);
      handle.get();
    });
  });
}

POOL_TEST_CASE("async: a handle outlives its pool and keeps the result") {
  for (const std::size_t size : kPoolSizes) {
    Lives lives;
    {
      AsyncHandle<Counted> asked;
      AsyncHandle<Counted> dropped;
      {
        Pool pool({.num_threads = size});
        asked = pool.async([&] { return Counted(lives, 7); });
        dropped = pool.install([&] { return blitz::async([&] { return Counted(lives, 8); }); });
      }
      CHECK(asked.ready());
      CHECK(dropped.ready());
      CHECK(asked.get().value == 7);
    }
    CHECK(lives.alive == 0);
  }
}

POOL_TEST_CASE("async: throws after shutdown and destroys the closure uncalled") {
  for_each_size([](Pool& pool) {
    pool.shutdown();
    Lives lives;
    std::atomic<int> calls{0};
    CHECK_THROWS_AS(static_cast<void>(pool.async(CountedCall<>(lives, calls))), blitz::ThreadPoolError);
    CHECK(calls == 0);
    CHECK(lives.alive == 0);
  });
}

// --- waiting ---

POOL_TEST_CASE("async: get runs other jobs on a worker until the result is ready") {
  for_each_size([](Pool& pool) {
    with_others_busy(pool, [&] {
      bool other_called = false;
      auto needed = blitz::async([] { return 1; });
      auto needs = blitz::async([&] { return needed.get() + 1; });
      blitz::spawn([&] { other_called = true; });
      CHECK(needs.get() == 2);
      CHECK_FALSE(needed.valid());
      while (blitz::yield_now() == blitz::Yield::kExecuted) {
      }
      CHECK(other_called);
    });
  });
}

// The queue of a worker does not grow while its job repeatedly waits for handles.
POOL_TEST_CASE("async: a job whose result was taken leaves no entry in the queues") {
  for_each_size([](Pool& pool) {
    Lives lives;
    with_others_busy(pool, [&] {
      for (int round = 0; round < 100; ++round) {
        auto first = blitz::async([&] { return Counted(lives, 1); });
        auto second = blitz::async([&] { return Counted(lives, 2); });
        CHECK(first.get().value + second.get().value == 3);
        CHECK(lives.alive == 0);
        CHECK(blitz::yield_local() == blitz::Yield::kIdle);
      }
    });
  });
}

POOL_TEST_CASE("async: the only worker runs a job made outside isolate while it waits inside") {
  for_each_size([](Pool& pool) {
    with_others_busy(pool, [&] {
      auto handle = blitz::async([] { return 7; });
      CHECK(blitz::isolate([&] { return handle.get(); }) == 7);
    });
  });
}

POOL_TEST_CASE("async: waits may be nested deeper than max_nested_waits") {
  for (const std::size_t limit : {0, 1, 5}) {
    for (const std::size_t size : kPoolSizes) {
      Pool pool({.num_threads = size, .max_nested_waits = limit});
      CHECK(pool.async([] { return depth_by_handles(100); }).get() == 100);
    }
  }
}

POOL_TEST_CASE("async: get returns the result while the pool ends") {
  for (const std::size_t size : kPoolSizes) {
    for (int round = 0; round < 20; ++round) {
      AsyncHandle<int> handle;
      std::jthread asker;
      {
        Pool pool({.num_threads = size});
        handle = pool.async([round] { return blitz::join([round] { return round; }, [] { return 1; }).first; });
        asker = std::jthread([&] { CHECK(handle.get() == round); });
      }
    }
  }
}

POOL_TEST_CASE("async: several outside threads each get the results of their jobs") {
  for_each_size([](Pool& pool) {
    constexpr int kThreads = 4;
    const int rounds = static_cast<int>(repetitions(500));
    std::atomic<int> right{0};
    {
      std::vector<std::jthread> callers;
      for (int thread = 0; thread < kThreads; ++thread) {
        callers.emplace_back([&, thread] {
          for (int i = 0; i < rounds; ++i) {
            auto dropped = pool.async([] {});
            if (pool.async([=] { return thread * rounds + i; }).get() == thread * rounds + i) ++right;
          }
        });
      }
    }
    CHECK(right == kThreads * rounds);
  });
}

POOL_TEST_CASE("async: computes a tree of handles on every number of workers") {
  from_outside_and_inside([](Pool& pool) { CHECK(pool.install([] { return fib_by_handles(13); }) == 233); });
}

POOL_TEST_CASE("async: get works on another thread than the one that made the handle") {
  for_each_size([](Pool& pool) {
    for (int round = 0; round < 20; ++round) {
      auto handle = pool.async([round] { return round; });
      int result = -1;
      std::thread([&, mine = std::move(handle)]() mutable { result = mine.get(); }).join();
      CHECK(result == round);
      // Made on a worker, read outside.
      CHECK(pool.install([round] { return blitz::async([round] { return round; }); }).get() == round);
      // Made outside, read on a worker, perhaps the only one.
      auto outside = pool.async([round] { return round; });
      CHECK(pool.install([&] { return outside.get(); }) == round);
    }
  });
}

BACKEND_TEST_CASE("async: get does not wait for another caller's work") {
  for_each_size([](Pool& pool) {
    const AllBusy busy(pool);
    std::vector<AsyncHandle<int>> handles;
    for (int i = 0; i < 20; ++i) handles.push_back(pool.async([i] { return blitz::async([i] { return i; }).get(); }));
    for (int i = 0; i < 20; ++i) CHECK(handles[static_cast<std::size_t>(i)].get() == i);
  });
}

POOL_TEST_CASE("async: get on a worker of another pool runs jobs of that pool") {
  Pool other({.num_threads = 1});
  for_each_size([&](Pool& pool) {
    for (int round = 0; round < 20; ++round) {
      other.install([&] {
        std::latch done(1);
        auto handle = pool.async([&] {
          done.wait();
          return round;
        });
        blitz::spawn([&] { done.count_down(); });  // Only this worker can run it.
        CHECK(handle.get() == round);
      });
    }
  });
}

POOL_TEST_CASE("async: a waiting worker sleeps until the result is ready") {
  // The job runs elsewhere for longer than a worker searches, so only its end wakes the waiting worker.
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 5; ++round) {
    pool.install([&] {
      std::latch begun(1);
      auto handle = blitz::async([&] {
        const auto slept = [&] {
          std::uint64_t sum = 0;
          for (const auto& worker : pool.stats().workers) sum += worker.times_slept;
          return sum;
        };
        const std::uint64_t before = slept();
        begun.count_down();
        while (slept() == before) std::this_thread::yield();
        return 1;
      });
      begun.wait();
      CHECK(handle.get() == 1);
    });
  }
}

POOL_TEST_CASE("async: a second thread that waits for a handle gets logic_error") {
  Pool pool({.num_threads = 2});
  std::latch refused(1);
  const auto handle = pool.async([&] { refused.wait(); });
  std::atomic<int> refusals{0};
  const auto wait = [&] {
    try {
      handle.wait();
    } catch (const std::logic_error& error) {
      CHECK(std::string(error.what()).find("two threads wait for one handle") != std::string::npos);
      ++refusals;
      refused.count_down();
    }
  };
  std::jthread other(wait);
  wait();
  other.join();
  CHECK(refusals == 1);
}

POOL_TEST_CASE("async: twenty thousand handles may exist concurrently") {
  from_outside_and_inside([](Pool& pool) {
    const std::size_t count = repetitions(20'000);
    std::vector<AsyncHandle<std::size_t>> handles;
    for (std::size_t i = 0; i < count; ++i) handles.push_back(pool.async([i] { return i; }));
    std::size_t sum = 0;
    for (auto& handle : handles) sum += handle.get();
    CHECK(sum == count * (count - 1) / 2);
  });
}

TEST_CASE("async: uses the global pool outside every pool") {
  auto handle = blitz::async([] { return blitz::global_pool().current_thread_index().has_value(); });
  CHECK(handle.get());
}
