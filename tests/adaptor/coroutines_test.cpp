// Coroutines: the threads that resume them, their results, and that nothing is lost, leaked or allocated.
#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/adaptor/coroutine.hpp"
#include "support/fail_each.hpp"
#include "support/failing_new.hpp"
#include "support/policies.hpp"

using blitz::AsyncHandle;
using blitz::sync_wait;
using blitz::Task;
using blitz::when_all;
using namespace blitz_test;

static_assert(std::movable<Task<int>> && !std::copy_constructible<Task<int>>);
static_assert(std::same_as<decltype(sync_wait(std::declval<Task<int&>>())), int&>);

namespace {

// --- coroutines that tests are made of ---

Task<int> value(int x) { co_return x; }
Task<> nothing() { co_return; }
Task<int&> reference(int& x) { co_return x; }
Task<int> failing(std::string what) {
  co_await nothing();
  throw std::runtime_error(what);
}

Task<int> value_on(Pool& pool, int x) {
  co_await pool.schedule();
  co_return x;
}
Task<int> failing_on(Pool& pool, std::string what) {
  co_await pool.schedule();
  throw std::runtime_error(what);
}

Task<long> fib_by_tasks(int n) {
  if (n < 2) co_return n;
  const auto [x, y] = co_await when_all(fib_by_tasks(n - 1), fib_by_tasks(n - 2));
  co_return x + y;
}

template <class T>
std::string error_of(Task<T> task) {
  return what_is_thrown_by([&] { sync_wait(std::move(task)); });
}

/// Counts the living copies.
struct Alive {
  explicit Alive(std::atomic<int>& counter) noexcept : count(&counter) { ++*count; }
  Alive(const Alive& other) noexcept : count(other.count) { ++*count; }
  Alive& operator=(const Alive&) = delete;
  ~Alive() { --*count; }
  std::atomic<int>* count;
};

Task<int> with_alive(Pool& pool, Alive, int x, bool fails) {
  co_await pool.schedule();
  if (fails) throw std::runtime_error("failed");
  co_return x;
}

}  // namespace

// --- tasks ---

TEST_CASE("coroutine: a task returns a value, a reference or nothing") {
  CHECK(sync_wait(value(7)) == 7);
  int x = 1;
  CHECK(&sync_wait(reference(x)) == &x);
  sync_wait(nothing());
  CHECK(*sync_wait([]() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(3); }()) == 3);
}

TEST_CASE("coroutine: an exception of a task is thrown where the task is awaited") {
  CHECK(error_of(failing("first")) == "first");
  const auto caught = [](Task<int> task) -> Task<std::string> {
    try {
      co_await std::move(task);
    } catch (const std::exception& error) {
      co_return error.what();
    }
    co_return "nothing";
  };
  CHECK(sync_wait(caught(failing("second"))) == "second");
  CHECK(sync_wait(caught(value(1))) == "nothing");
}

TEST_CASE("coroutine: a task begins only when it is awaited") {
  std::atomic<int> alive = 0;
  bool began = false;
  const auto make = [&](Alive) -> Task<> {
    began = true;
    co_return;
  };
  {
    Task<> task = make(Alive(alive));
    CHECK(alive == 1);
    CHECK_FALSE(began);
    Task<> other = std::move(task);
    CHECK_FALSE(task.valid());
    CHECK(other.valid());
  }
  CHECK(alive == 0);
  CHECK_FALSE(began);
  sync_wait(make(Alive(alive)));
  CHECK(began);
  CHECK(alive == 0);
}

TEST_CASE("coroutine: awaiting or spawning an empty task throws") {
  const std::string error = "blitz: this task is empty; await the task that the coroutine returned, and only once";
  CHECK(error_of(Task<int>()) == error);
  CHECK(error_of([]() -> Task<> { co_await Task<>(); }()) == error);
  CHECK(error_of([]() -> Task<> { co_await when_all(value(1), Task<int>()); }()) == error);
  CHECK(error_of([]() -> Task<> { co_await when_all(std::vector<Task<int>>(1)); }()) == error);
  CHECK(what_is_thrown_by([] { blitz::spawn(Task<>()); }) == error);
}

TEST_CASE("coroutine: a task can await a thousand tasks in turn") {
  const auto sum = [](int count) -> Task<long> {
    long result = 0;
    for (int i = 0; i < count; ++i) result += co_await value(i);
    co_return result;
  };
  CHECK(sync_wait(sum(1000)) == 499'500);
}

// --- on a pool ---

BACKEND_TEST_CASE("coroutine: schedule resumes the coroutine as a job of the pool") {
  from_outside_and_inside([](Pool& pool) {
    const auto index = [](Pool& its_pool) -> Task<std::size_t> {
      co_await its_pool.schedule();
      const bool in_it = its_pool.current_thread_index().has_value();
      co_await blitz::schedule();
      co_return in_it&& its_pool.current_thread_index().has_value() ? *its_pool.current_thread_index() : 1000;
    };
    CHECK(sync_wait(index(pool)) < pool.num_threads());
  });
}

TEST_CASE("coroutine: schedule moves a coroutine from pool to pool") {
  blitz::ThreadPool one({.num_threads = 2});
  blitz::AsyncThreadPool other({.num_threads = 2});
  const auto hop = [&](int times) -> Task<int> {
    int right = 0;
    for (int i = 0; i < times; ++i) {
      co_await one.schedule();
      right += one.current_thread_index().has_value() && !other.current_thread_index().has_value();
      co_await blitz::schedule(other);
      right += other.current_thread_index().has_value() && !one.current_thread_index().has_value();
    }
    co_return right;
  };
  CHECK(sync_wait(hop(100)) == 200);
  const int inside = one.install([&] { return sync_wait(hop(100)); });
  CHECK(inside == 200);
}

TEST_CASE("coroutine: schedule on a pool that was shut down throws on the same thread") {
  blitz::ThreadPool pool({.num_threads = 2});
  pool.shutdown();
  const auto caller = std::this_thread::get_id();
  const auto refused = [&]() -> Task<bool> {
    try {
      co_await pool.schedule();
    } catch (const blitz::ThreadPoolError&) {
      co_return std::this_thread::get_id() == caller;
    }
    co_return false;
  };
  CHECK(sync_wait(refused()));
  CHECK_THROWS_AS(blitz::spawn(pool, nothing()), blitz::ThreadPoolError);
}

TEST_CASE("coroutine: schedule throws Stopped after a stop request") {
  blitz::ThreadPool pool({.num_threads = 2});
  std::stop_source source;
  int rounds = 0;
  const auto loop = [&]() -> Task<> {
    for (;; ++rounds) {
      co_await pool.schedule(source.get_token());
      if (rounds == 10) source.request_stop();
    }
  };
  bool stopped = false;
  try {
    sync_wait(loop());
  } catch (const blitz::Stopped&) {
    stopped = true;
  }
  CHECK(stopped);
  CHECK(rounds == 11);
}

BACKEND_TEST_CASE("coroutine: when_all returns a tuple of results, wherever the tasks run") {
  from_outside_and_inside([](Pool& pool) {
    int x = 5;
    const auto all = [&]() -> Task<int> {
      auto [a, b, c, d] = co_await when_all(value_on(pool, 1), reference(x), nothing(), value(3));
      static_assert(std::is_same_v<decltype(c), blitz::Unit>);
      ++b;
      const std::tuple<> none = co_await when_all();
      static_cast<void>(none);
      co_return a + b + d;
    };
    const int sum = sync_wait(all());
    CHECK(sum == 10);
    CHECK(x == 6);
    CHECK(pool.install([&] { return sync_wait(fib_by_tasks(12)); }) == 144);
  });
}

BACKEND_TEST_CASE("coroutine: when_all of a vector returns a vector of results") {
  for_each_size([](Pool& pool) {
    for (const int count : {0, 1, 2, 100}) {
      CAPTURE(count);
      const auto all = [&]() -> Task<bool> {
        std::vector<Task<int>> tasks;
        for (int i = 0; i < count; ++i) tasks.push_back(i % 2 == 0 ? value(i) : value_on(pool, i));
        const std::vector<int> results = co_await when_all(std::move(tasks));
        bool right = results.size() == static_cast<std::size_t>(count);
        for (int i = 0; i < count && right; ++i) right = results[static_cast<std::size_t>(i)] == i;
        std::vector<Task<>> more;
        for (int i = 0; i < count; ++i) more.push_back(nothing());
        co_await when_all(std::move(more));
        co_return right;
      };
      const bool right = pool.install([&] { return sync_wait(all()); });
      CHECK(right);
    }
  });
}

BACKEND_TEST_CASE("coroutine: when_all waits for all tasks and throws the exception of the first in the list") {
  for_each_size([](Pool& pool) {
    for (int thrower = 0; thrower < 8; ++thrower) {
      std::atomic<int> alive = 0;
      const auto all = [&]() -> Task<> {
        std::vector<Task<int>> tasks;
        for (int i = 0; i < 8; ++i) tasks.push_back(with_alive(pool, Alive(alive), i, i >= thrower));
        co_await when_all(std::move(tasks));
      };
      CHECK(error_of(all()) == "failed");
      CHECK(alive == 0);
      const auto pair = [&]() -> Task<> {
        co_await when_all(value(1), failing_on(pool, "second"), failing("third"), failing_on(pool, "fourth"));
      };
      CHECK(error_of(pair()) == "second");
    }
  });
}

#if defined(BLITZ_TEST_COUNTS_ALLOCATIONS)
TEST_CASE("coroutine: only frames, jobs of async and vectors of when_all are allocated") {
  blitz::ThreadPool pool({.num_threads = 2});
  // The least of ten: the memory of jobs grows whenever more of them wait than before, and how many wait depends on the schedule.
  const auto allocations_of = [&](auto make) {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (int round = 0; round < 10; ++round) {
      const std::size_t before = blitz_test::allocations();
      pool.install([&] { sync_wait(make()); });
      least = std::min(least, blitz_test::allocations() - before);
    }
    return least;
  };
  CHECK(allocations_of([] { return fib_by_tasks(12); }) <= 465);  // one per call
  const auto hops = [&]() -> Task<> {
    for (int i = 0; i < 1000; ++i) co_await pool.schedule();
  };
  CHECK(allocations_of(hops) <= 1);
  const auto jobs = [&]() -> Task<> {
    for (int i = 0; i < 1000; ++i) co_await pool.async([i] { return i; });
  };
  CHECK(allocations_of(jobs) <= 1001);  // one for each job, by async
  const auto spawns = [&]() -> Task<> {
    std::atomic<int> ran = 0;
    const auto count = [&ran]() -> Task<> {
      ++ran;
      co_return;
    };
    for (int i = 0; i < 1000; ++i) blitz::spawn(pool, count());
    while (ran != 1000) co_await pool.schedule();
  };
  CHECK(allocations_of(spawns) <= 1001);  // the frames
  const auto all = [&]() -> Task<> {
    std::vector<Task<int>> tasks;
    tasks.reserve(100);
    for (int i = 0; i < 100; ++i) tasks.push_back([](int x) -> Task<int> { co_return x; }(i));
    co_await blitz::when_all(std::move(tasks));
  };
  CHECK(allocations_of(all) <= 103);  // the frames, and the vectors of tasks and of results
}

// A failure arrives at the call that makes the frame, or at the co_await that needs the memory.
BACKEND_TEST_CASE("coroutine: calls throw bad_alloc and leak no coroutine when each allocation fails") {
  if (!blitz_test::allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  blitz_test::fail_each([](std::size_t nth) {
    std::atomic<int> alive = 0;
    std::atomic<int> failures = 0;
    bool thrown = false;
    bool failed = false;
    int sum = 0;
    {
      Pool pool({.num_threads = 2, .exception_handler = [&](const std::exception_ptr&) { ++failures; }});
      pool.broadcast([](blitz::BroadcastContext) {});
      const auto all = [&]() -> Task<int> {
        const auto [x, y] = co_await when_all(with_alive(pool, Alive(alive), 1, false), value_on(pool, 2));
        std::vector<Task<int>> tasks;
        for (int i = 0; i < 10; ++i) tasks.push_back(with_alive(pool, Alive(alive), i, false));
        int result = x + y;
        for (const int each : co_await when_all(std::move(tasks))) result += each;
        blitz::spawn(pool, [](Pool& its_pool, Alive) -> Task<> { co_await its_pool.schedule(); }(pool, Alive(alive)));
        const auto job = [life = Alive(alive)] { return 4; };  // g++ 12 loses a temporary here if async throws.
        co_return result + co_await pool.async(job);
      };
      blitz_test::fail_allocation_after(nth);
      try {
        sum = sync_wait(all());
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      failed = blitz_test::stop_failing();
      CHECK(sync_wait(value_on(pool, 1)) == 1);
    }
    CHECK(alive == 0);
    CHECK(failures == 0);
    CHECK(thrown == (sum == 0));
    if (thrown) CHECK(failed);
    return failed;
  });
}

// Only the region's workers may resume a coroutine that is awaited there. With one thread, no other worker can.
BACKEND_TEST_CASE("coroutine: co_await throws bad_alloc if the queue of its region cannot grow") {
  const auto fails = [](auto make) {
    Pool pool({.num_threads = 1});
    std::atomic<int> ran = 0;
    bool failed = false;
    pool.install([&] {
      blitz::isolate([&] {
        for (int i = 0; i < 32; ++i) blitz::spawn([&] { ++ran; });  // The queue is full.
        Task<> task = make(pool, ran);
        blitz_test::fail_allocation_after(0);
        CHECK_THROWS_AS(sync_wait(std::move(task)), std::bad_alloc);
        failed = blitz_test::stop_failing();
      });
    });
    pool.shutdown();
    CHECK(ran == 32);
    return failed;
  };
  const auto run = [](std::atomic<int>& ran) -> Task<> {
    ++ran;
    co_return;
  };
  CHECK(fails([](Pool& pool, std::atomic<int>&) -> Task<> { co_await pool.schedule(); }));
  CHECK(fails([&](Pool&, std::atomic<int>& ran) {
    return [](Task<> a, Task<> b) -> Task<> { co_await when_all(std::move(a), std::move(b)); }(run(ran), run(ran));
  }));
  CHECK(fails([&](Pool& pool, std::atomic<int>& ran) {
    return [](Pool& its_pool, Task<> a) -> Task<> {
      blitz::spawn(its_pool, std::move(a));
      co_return;
    }(pool, run(ran));
  }));
}
#endif

// --- handles of async ---

BACKEND_TEST_CASE("coroutine: a handle can be awaited before and after it is ready") {
  from_outside_and_inside([](Pool& pool) {
    const auto both = [&]() -> Task<int> {
      AsyncHandle<int> handle = pool.async([] { return 1; });
      handle.wait();
      int sum = co_await handle;
      std::atomic<bool> go = false;
      AsyncHandle<int> late = pool.async([&] {
        while (!go) blitz::yield_now();
        return 2;
      });
      AsyncHandle<void> other = pool.async([&] { go = true; });
      sum += co_await late;
      co_await std::move(other);
      for (int i = 0; i < 100; ++i) sum += co_await pool.async([i] { return i; });
      co_return late.valid() ? -1 : sum;
    };
    CHECK(sync_wait(both()) == 4953);
    CHECK(error_of([&]() -> Task<int> {
            co_return co_await pool.async([]() -> int { throw std::runtime_error("failed"); });
          }()) == "failed");
    CHECK(error_of([&]() -> Task<int> { co_return co_await AsyncHandle<int>(); }()).starts_with("blitz: this handle"));
  });
}

// --- tasks that are not awaited ---

BACKEND_TEST_CASE("coroutine: the end of a pool waits for spawned tasks, and their exceptions are reported") {
  std::atomic<int> ran = 0;
  std::atomic<int> alive = 0;
  std::atomic<int> reported = 0;
  {
    Pool pool({.num_threads = 2, .exception_handler = [&](std::exception_ptr) { ++reported; }});
    const auto run = [&](Alive, int i) -> Task<> {
      co_await pool.schedule();
      const int x = co_await value_on(pool, i);
      ++ran;
      if (x % 2 == 0) throw std::runtime_error("even");
    };
    for (int i = 0; i < 100; ++i) blitz::spawn(pool, run(Alive(alive), i));
    pool.install([&] { blitz::spawn(run(Alive(alive), 100)); });
  }
  CHECK(ran == 101);
  CHECK(reported == 51);
  CHECK(alive == 0);
}
