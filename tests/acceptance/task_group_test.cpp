// TaskGroup: jobs from anywhere, waits from anywhere, exceptions, requests to stop, and its end.
#include <atomic>
#include <cstddef>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "scopes.hpp"
#include "support/all_busy.hpp"

using blitz::TaskGroup;
using namespace blitz_test;

static_assert(!std::is_copy_constructible_v<TaskGroup> && !std::is_move_constructible_v<TaskGroup>);

namespace {

constexpr int kMany = 50;

void run_many(TaskGroup& group, std::atomic<int>& count) {
  for (int i = 0; i < kMany; ++i) group.run([&count] { ++count; });
}

}  // namespace

// --- jobs and waits ---

POOL_TEST_CASE("task group: runs all jobs before wait returns and may be used again") {
  from_outside_and_inside([](Pool& pool) {
    TaskGroup group(pool);
    group.wait();
    std::vector<int> values(kMany);
    for (int round = 1; round <= 20; ++round) {
      for (int& value : values) group.run([&value] { ++value; });
      group.wait();
      CHECK(values == std::vector<int>(values.size(), round));
    }
    group.wait();
    group.wait();
  });
}

POOL_TEST_CASE("task group: its jobs may add jobs") {
  from_outside_and_inside([](Pool& pool) {
    TaskGroup group(pool);
    std::atomic<int> leaves{0};
    const std::function<void(int)> grow = [&](int depth) {
      if (depth == 0) {
        ++leaves;
        return;
      }
      for (int i = 0; i < 2; ++i) group.run([&grow, depth] { grow(depth - 1); });
    };
    for (int round = 1; round <= 3; ++round) {
      grow(8);
      group.wait();
      CHECK(leaves == 256 * round);
    }
  });
}

POOL_TEST_CASE("task group: accepts jobs from other threads and pools and groups") {
  Pool other({.num_threads = 2});
  for_each_size([&](Pool& pool) {
    TaskGroup group(pool);
    TaskGroup second(pool);
    std::atomic<int> count{0};
    std::atomic<int> misplaced{0};
    const auto give = [&] {
      for (int i = 0; i < kMany; ++i) {
        group.run([&] {
          ++count;
          misplaced += static_cast<int>(!pool.current_thread_index());
        });
      }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back(give);
    threads.emplace_back([&] { other.install(give); });
    second.run(give);
    pool.spawn(give);
    std::latch last(1);
    pool.spawn([&] {
      give();
      last.count_down();
    });
    for (std::thread& thread : threads) thread.join();
    second.wait();
    last.wait();
    while (count != 7 * kMany) group.wait();  // For the jobs that the spawned job gives.
    CHECK(count == 7 * kMany);
    CHECK(misplaced == 0);
  });
}

POOL_TEST_CASE("task group: a job may make another group and wait for it") {
  from_outside_and_inside([](Pool& pool) {
    std::atomic<int> count{0};
    TaskGroup outer(pool);
    for (int i = 0; i < 10; ++i) {
      outer.run([&] {
        TaskGroup inner;  // of the same pool
        std::atomic<int> mine{0};
        run_many(inner, mine);
        inner.wait();
        count += mine;
      });
    }
    outer.wait();
    CHECK(count == 10 * kMany);
  });
}

POOL_TEST_CASE("task group: may be destroyed as soon as wait has returned") {
  from_outside_and_inside([](Pool& pool) {
    const std::size_t rounds = repetitions(2000);
    std::atomic<int> count{0};
    for (std::size_t round = 0; round < rounds; ++round) {
      auto group = std::make_unique<TaskGroup>(pool);
      for (int i = 0; i < 3; ++i) group->run([&] { ++count; });
      group->wait();
      group.reset();
    }
    CHECK(count == 3 * static_cast<int>(rounds));
  });
}

POOL_TEST_CASE("task group: uses the pool of its creator") {
  Pool pool({.num_threads = 2});
  std::optional<TaskGroup> group;
  pool.install([&] { group.emplace(); });
  bool in_pool = false;
  group->run([&] { in_pool = pool.current_thread_index().has_value(); });
  group->wait();
  CHECK(in_pool);
}

TEST_CASE("task group: uses the global pool outside every pool") {
  TaskGroup group;
  bool in_pool = false;
  group.run([&] { in_pool = blitz::global_pool().current_thread_index().has_value(); });
  group.wait();
  CHECK(in_pool);
}

POOL_TEST_CASE("task group: run_and_wait calls the callable without a copy and waits for all jobs") {
  from_outside_and_inside([](Pool& pool) {
    TaskGroup group(pool);
    std::atomic<int> count{0};
    struct Unmovable {
      explicit Unmovable(std::function<void()> f) : function(std::move(f)) {}
      Unmovable(const Unmovable&) = delete;
      void operator()() { function(); }
      std::function<void()> function;
    };
    Unmovable body([&] {
      CHECK(pool.current_thread_index().has_value());
      run_many(group, count);
    });
    group.run_and_wait(body);
    CHECK(count == kMany);
    group.run_and_wait(Unmovable([&] { run_many(group, count); }));
    CHECK(count == 2 * kMany);
    CHECK(what_is_thrown_by([&] { group.run_and_wait([] { throw Failure("body"); }); }) == "body");
  });
}

POOL_TEST_CASE("task group: destroys closures of every kind once") {
  from_outside_and_inside([](Pool& pool) {
    Lives lives;
    std::atomic<int> calls{0};
    TaskGroup group(pool);
    with_each_kind_of_closure(lives, calls, [&](auto&& make) {
      calls = 0;
      group.run(make());
      group.wait();
      CHECK(calls == 1);
      CHECK(lives.alive == 0);
    });
  });
}

POOL_TEST_CASE("task group: run rethrows an exception of a closure's copy and the group works on") {
  struct ThrowingCopy {
    ThrowingCopy() = default;
    ThrowingCopy(const ThrowingCopy&) { throw Failure("copy"); }
    void operator()() const {}
  };
  from_outside_and_inside([](Pool& pool) {
    TaskGroup group(pool);
    const ThrowingCopy closure;
    CHECK_THROWS_WITH_AS(group.run(closure), "copy", Failure);
    group.wait();
    group.run_and_wait(closure);
  });
}

// --- waiting ---

POOL_TEST_CASE("task group: a waiting worker runs the jobs if all others are busy") {
  for_each_size([](Pool& pool) {
    with_others_busy(pool, [&] {
      bool other_called = false;
      TaskGroup group;
      std::atomic<int> count{0};
      blitz::spawn([&] { other_called = true; });
      run_many(group, count);
      group.wait();
      CHECK(count == kMany);
      while (blitz::yield_now() == blitz::Yield::kExecuted) {
      }
      CHECK(other_called);
    });
  });
}

POOL_TEST_CASE("task group: a waiting outside thread runs jobs of the group") {
  Pool pool({.num_threads = 2});
  TaskGroup group(pool);
  std::atomic<bool> helped{false};
  while (!helped) {
    for (int i = 0; i < kMany; ++i) {
      group.run([&, caller = std::this_thread::get_id()] {
        if (std::this_thread::get_id() == caller) helped = pool.current_thread_index().has_value();
        std::this_thread::yield();
      });
    }
    group.wait();
    CHECK_FALSE(pool.current_thread_index());
  }
}

POOL_TEST_CASE("task group: a waiting outside thread blocks if no slot is free") {
  Pool pool({.num_threads = 1});
  for (int round = 0; round < 20; ++round) {
    TaskGroup group(pool);
    std::latch begun(1);
    std::latch waiting(1);
    bool ended = false;
    group.run([&] {
      begun.count_down();
      waiting.wait();
      for (int i = 0; i < 100; ++i) std::this_thread::yield();
      ended = true;
    });
    begun.wait();
    waiting.count_down();
    group.wait();
    CHECK(ended);
  }
}

BACKEND_TEST_CASE("task group: an outside thread does not wait for another caller's work") {
  for_each_size([](Pool& pool) {
    const AllBusy busy(pool);
    std::atomic<int> count{0};
    {
      TaskGroup group(pool);
      run_many(group, count);
      group.wait();
      CHECK(count == kMany);
      for (int i = 0; i < kMany; ++i) group.run([&] { run_many(group, count); });
      group.run([] { throw Failure("thrown"); });
      CHECK(what_is_thrown_by([&] { group.wait(); }) == "thrown");
      CHECK(count == kMany + kMany * kMany);
    }
  });
}

// The first job runs on one of the waiting threads until the other one has run the second.
BACKEND_TEST_CASE("task group: an outside thread that waits already runs a later job") {
  for_each_size([](Pool& pool) {
    const AllBusy busy(pool);
    for (int round = 0; round < 20; ++round) {
      TaskGroup group(pool);
      std::latch begun(1);
      std::latch second(1);
      group.run([&] {
        begun.count_down();
        second.wait();
      });
      std::thread waiters[2] = {std::thread([&] { group.wait(); }), std::thread([&] { group.wait(); })};
      begun.wait();
      for (int i = 0; i < round; ++i) std::this_thread::yield();
      group.run([&] { second.count_down(); });
      for (std::thread& waiter : waiters) waiter.join();
    }
  });
}

POOL_TEST_CASE("task group: a waiting worker of another pool runs jobs of that pool") {
  Pool other({.num_threads = 1});
  for_each_size([&](Pool& pool) {
    for (int round = 0; round < 20; ++round) {
      other.install([&] {
        std::latch done(1);
        TaskGroup group(pool);
        group.run([&] { done.wait(); });
        blitz::spawn([&] { done.count_down(); });  // Only this worker can run it.
        group.wait();
      });
    }
  });
}

POOL_TEST_CASE("task group: workers and outside threads may wait concurrently") {
  Pool other({.num_threads = 2});
  for_each_size([&](Pool& pool) {
    for (int round = 0; round < 20; ++round) {
      TaskGroup group(pool);
      std::atomic<int> count{0};
      std::atomic<int> early{0};
      std::latch given(1);
      const auto wait = [&] {
        given.wait();
        group.wait();
        early += static_cast<int>(count != kMany);
      };
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t) threads.emplace_back(wait);
      threads.emplace_back([&] { other.install(wait); });
      run_many(group, count);
      given.count_down();
      pool.install(wait);
      for (std::thread& thread : threads) thread.join();
      CHECK(early == 0);
    }
  });
}

POOL_TEST_CASE("task group: wait returns after the caller's own jobs if several threads use the group") {
  for_each_size([](Pool& pool) {
    TaskGroup group(pool);
    std::atomic<int> early{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int round = 0; round < 50; ++round) {
          std::atomic<int> mine{0};
          for (int i = 0; i < 5; ++i) group.run([&] { ++mine; });
          group.wait();
          early += static_cast<int>(mine != 5);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(early == 0);
  });
}

POOL_TEST_CASE("task group: a wait inside isolate runs only jobs of the isolated call") {
  for_each_size([](Pool& pool) {
    with_others_busy(pool, [&] {
      bool strange = false;
      blitz::spawn([&] { strange = true; });
      blitz::isolate([&] {
        TaskGroup group;
        std::atomic<int> count{0};
        run_many(group, count);
        group.wait();
        CHECK(count == kMany);
        CHECK_FALSE(strange);
      });
      while (blitz::yield_now() == blitz::Yield::kExecuted) {
      }
      CHECK(strange);
    });
  });
}

POOL_TEST_CASE("task group: a wait after isolate covers the jobs that isolate left") {
  from_outside_and_inside([](Pool& pool) {
    TaskGroup group(pool);
    std::atomic<int> count{0};
    pool.install([&] { blitz::isolate([&] { run_many(group, count); }); });
    group.wait();
    CHECK(count == kMany);
  });
}

// --- exceptions ---

POOL_TEST_CASE("task group: wait rethrows an exception after all others have run and the group works on") {
  from_outside_and_inside([](Pool& pool) {
    TaskGroup group(pool);
    std::atomic<int> count{0};
    for (int round = 1; round <= 5; ++round) {
      run_many(group, count);
      group.run([] { throw Failure("job"); });
      run_many(group, count);
      CHECK(what_is_thrown_by([&] { group.wait(); }) == "job");
      CHECK(count == 2 * kMany * round);
      group.wait();
    }
    for (int i = 0; i < kMany; ++i) {
      group.run([&] {
        ++count;
        throw Failure("each");
      });
    }
    CHECK(what_is_thrown_by([&] { group.wait(); }) == "each");
    CHECK(what_is_thrown_by([&] { group.wait(); }) == "nothing");
    CHECK(count == 11 * kMany);
  });
}

POOL_TEST_CASE("task group: wait rethrows the first exception") {
  Pool pool({.num_threads = 1});
  TaskGroup group(pool);
  group.run([&] {
    try {
      throw Failure("first");
    } catch (...) {
      group.run([] { throw Failure("second"); });
      throw;
    }
  });
  CHECK(what_is_thrown_by([&] { group.wait(); }) == "first");
}

POOL_TEST_CASE("task group: one of several waiting threads gets the exception") {
  for_each_size([](Pool& pool) {
    for (int round = 0; round < 20; ++round) {
      TaskGroup group(pool);
      std::latch waiting(3);
      group.run([&] {
        waiting.wait();
        throw Failure("job");
      });
      std::atomic<int> thrown{0};
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
          waiting.count_down();
          thrown += static_cast<int>(what_is_thrown_by([&] { group.wait(); }) == "job");
        });
      }
      for (std::thread& thread : threads) thread.join();
      CHECK(thrown == 1);
    }
  });
}

// --- stopping ---

POOL_TEST_CASE("task group: no job begins after request_stop until a wait ends the request") {
  from_outside_and_inside([](Pool& pool) {
    Lives lives;
    std::atomic<int> calls{0};
    TaskGroup group(pool);
    for (int round = 1; round <= 3; ++round) {
      CHECK_FALSE(group.stop_requested());
      group.request_stop();
      CHECK(group.stop_requested());
      for (int i = 0; i < kMany; ++i) group.run(CountedCall<>(lives, calls));
      CHECK(group.stop_requested());
      group.wait();
      CHECK(lives.alive == 0);
      CHECK(calls == round - 1);

      CHECK_FALSE(group.stop_requested());
      group.run(CountedCall<>(lives, calls));
      group.wait();
      CHECK(calls == round);
      CHECK(lives.alive == 0);
    }
  });
}

POOL_TEST_CASE("task group: a job may stop jobs that have not begun and jobs that poll") {
  from_outside_and_inside([](Pool& pool) {
    TaskGroup group(pool);
    std::atomic<int> begun{0};
    std::atomic<bool> told{false};
    group.run([&] {
      const std::stop_token token = group.stop_token();
      group.request_stop();
      told = token.stop_requested() && group.stop_requested();
      for (int i = 0; i < kMany; ++i) group.run([&] { ++begun; });
      throw Failure("all the same");
    });
    CHECK(what_is_thrown_by([&] { group.wait(); }) == "all the same");
    CHECK(told);
    CHECK(begun == 0);
    CHECK_FALSE(group.stop_requested());
  });
}

POOL_TEST_CASE("task group: a stop ends a job that polls and each request has a new token") {
  for_each_size([](Pool& pool) {
    TaskGroup group(pool);
    std::stop_token last;
    for (int round = 0; round < 5; ++round) {
      const std::stop_token token = group.stop_token();
      CHECK(token.stop_possible());
      CHECK_FALSE(token.stop_requested());
      CHECK(token == group.stop_token());
      CHECK_FALSE(token == last);
      int calls = 0;
      const std::stop_callback callback(token, [&] { ++calls; });
      group.run([token] {
        while (!token.stop_requested()) std::this_thread::yield();
      });
      std::thread stopper([&] { group.request_stop(); });
      group.wait();
      stopper.join();
      CHECK(calls == 1);
      group.wait();  // The first may have returned before the request was complete.
      CHECK_FALSE(group.stop_requested());
      last = token;
    }
  });
}

// --- ends ---

POOL_TEST_CASE("task group: its destructor waits and discards the exception") {
  from_outside_and_inside([](Pool& pool) {
    Lives lives;
    std::atomic<int> calls{0};
    {
      TaskGroup group(pool);
      for (int i = 0; i < kMany; ++i) group.run(CountedCall<>(lives, calls));
      group.run([] { throw Failure("nobody asks"); });
    }
    CHECK(calls == kMany);
    CHECK(lives.alive == 0);
  });
}

POOL_TEST_CASE("task group: its pool runs its jobs before it ends and then rejects more") {
  const auto test = [](std::size_t size, bool destroy) {
    CAPTURE(size);
    CAPTURE(destroy);
    auto pool = std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = size});
    Lives lives;
    std::atomic<int> calls{0};
    TaskGroup group(*pool);
    for (int i = 0; i < kMany; ++i) {
      group.run([&, life = Counted(lives, 1)] {
        group.run(CountedCall<>(lives, calls));
        std::this_thread::yield();
        if (life.value == 1) ++calls;
      });
    }
    group.run([] { throw Failure("kept"); });
    destroy ? pool.reset() : pool->shutdown();
    CHECK(calls == 2 * kMany);
    CHECK(lives.alive == 0);
    CHECK(what_is_thrown_by([&] { group.wait(); }) == "kept");
    CHECK_THROWS_AS(group.run(CountedCall<>(lives, calls)), blitz::ThreadPoolError);
    CHECK_THROWS_AS(group.run_and_wait([&] { ++calls; }), blitz::ThreadPoolError);
    group.wait();
    CHECK(calls == 2 * kMany);
    CHECK(lives.alive == 0);
  };
  for (const std::size_t size : kPoolSizes) {
    test(size, false);
    test(size, true);
  }
}
