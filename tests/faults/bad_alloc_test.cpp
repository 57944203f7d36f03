// operator new fails at each allocation of a public call, one after the other. The call throws std::bad_alloc if its
// documentation says so, closures are destroyed, and the pool works afterwards.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stop_token>
#include <string>
#include <vector>

#include <blitz/c.h>
#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "blitz/detail/job/job_memory.hpp"
#include "blitz/detail/sys/usual_cpus.hpp"
#include "support/child_process.hpp"
#include "support/counted.hpp"
#include "support/fail_each.hpp"
#include "support/failing_new.hpp"
#include "support/policies.hpp"
#include "support/watchdog.hpp"

using namespace blitz_test;

namespace {

/// A pool, closures with counted calls and lifetimes, and the number of std::bad_alloc that detached jobs threw.
struct Bench {
  explicit Bench(std::size_t size)
      : pool({.num_threads = size, .exception_handler = [this](std::exception_ptr error) { note(error); }}) {
    // Allocations that a thread makes once, late.
    pool.broadcast([](blitz::BroadcastContext) {});
  }

  void note(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
      ++failures;
    }
  }

  /// A closure with counted calls and lifetime.
  auto closure() {
    return [this, life = Counted(lives, 1)](auto&&...) { calls += life.value; };
  }

  Lives lives;
  std::atomic<int> calls{0};
  std::atomic<int> expected{0};  // the value that `calls` must have
  std::atomic<int> failures{0};  // std::bad_alloc that reached the exception handler
  Pool pool;
};

/// Under AddressSanitizer each job is a separate allocation. Only some of these many similar ones fail.
std::size_t next(std::size_t nth) {
#if defined(BLITZ_ADDRESS_SANITIZER)
  return nth < 50 ? nth + 1 : nth + 29;
#else
  return nth + 1;
#endif
}

/// Calls `call(bench)` with new pools: the first allocation fails, then the second, and so on, until no allocation fails. The
/// call may throw std::bad_alloc, but must leave nothing allocated. On some pools it may allocate nothing.
template <class Call>
void fail_each_in(Call&& call) {
  for (const std::size_t size : {1, 2, 4}) {
    CAPTURE(size);
    const auto run = [&](std::size_t nth) {
      Bench bench(size);
      bool threw = false;
      fail_allocation_after(nth);
      try {
        call(bench);
      } catch (const std::bad_alloc&) {
        threw = true;
      }
      const bool failed = stop_failing();
      if (threw) CHECK(failed);
      // The pool still works.
      std::atomic<int> sum{0};
      bench.pool.scope([&](blitz::Scope& scope) {
        for (int i = 0; i < 300; ++i) scope.spawn([&] { ++sum; });
      });
      blitz::parallel_for({.pool = &bench.pool}, 0, 300, [&](int) { ++sum; });
      CHECK(sum == 600);
      bench.pool.shutdown();
      CHECK(bench.calls == bench.expected);
      CHECK(bench.lives.alive == 0);
      if (!failed) CHECK(bench.failures == 0);
      return failed;
    };
    fail_each(run, next);
  }
}

void nest_joins(int depth) {
  if (depth > 0) blitz::join([&] { nest_joins(depth - 1); }, [] {});
}

}  // namespace

TEST_CASE("bad_alloc: the chosen allocation fails") {
  const auto allocate = [] { ::operator delete(::operator new(1)); };
  fail_allocation_after(1);
  allocate();
  bool threw = false;
  try {
    allocate();
  } catch (const std::bad_alloc&) {
    threw = true;
  }
  allocate();
  CHECK(threw);
  CHECK(stop_failing());
  fail_allocation_after(3);
  allocate();
  CHECK_FALSE(stop_failing());
}

// Not with the reference policy: its queues allocate in functions that must not throw.
BACKEND_TEST_CASE("bad_alloc: a pool that cannot be made leaves no thread") {
  static_cast<void>(blitz::detail::usual_cpus());  // A pool can be made without this number.
  for (const std::size_t size : {1, 2, 16}) {
    CAPTURE(size);
    const std::size_t threads = count_threads();
    fail_each([&](std::size_t nth) {
      std::atomic<int> starts{0};
      std::atomic<int> ends{0};
      const blitz::ThreadPoolOptions options{
          .num_threads = size,
          .thread_name = [](std::size_t i) { return "a name longer than a string's own buffer " + std::to_string(i); },
          .on_thread_start = [&](std::size_t) { ++starts; },
          .on_thread_exit = [&](std::size_t) { ++ends; },
      };
      bool threw = false;
      fail_allocation_after(nth);
      try {
        const Pool pool(options);
      } catch (const std::bad_alloc&) {
        threw = true;
      } catch (const blitz::ThreadPoolError&) {
        threw = true;
      }
      const bool failed = stop_failing();
      CHECK(threw == failed);
      CHECK(starts == ends);
      CHECK(starts <= static_cast<int>(size));
      return failed;
    });
    CHECK(threads_come_down_to(threads));
  }
}

BACKEND_TEST_CASE("bad_alloc: deep joins throw if the queue cannot grow and the pool works on") {
  fail_each_in([](auto& bench) { bench.pool.install([] { nest_joins(3000); }); });
}

BACKEND_TEST_CASE("bad_alloc: loops and reductions throw or complete and the pool works on") {
  std::vector<int> items(5000, 1);
  fail_each_in([&](auto& bench) {
    std::atomic<int> sum{0};
    blitz::parallel_for({.pool = &bench.pool}, items, [&](int i) { sum += i; });
    blitz::parallel_for_blocks({.schedule = blitz::Schedule::kFixed, .pool = &bench.pool}, items,
                               [&](auto block) { sum += static_cast<int>(block.size()); });
    CHECK(sum == 10'000);
    CHECK(blitz::parallel_reduce({.pool = &bench.pool}, items, 0, std::plus<>()) == 5000);
    CHECK(blitz::parallel_reduce({.deterministic = true, .pool = &bench.pool}, items, 0, std::plus<>()) == 5000);
    // A value that allocates.
    const auto text = blitz::parallel_transform_reduce({.pool = &bench.pool}, 0, 500, std::string(), std::plus<>(),
                                                       [](int) { return std::string("twenty characters  !"); });
    CHECK(text.size() == 10'000);
  });
}

BACKEND_TEST_CASE("bad_alloc: scopes of every kind run each spawned job once") {
  fail_each_in([](auto& bench) {
    const auto body = [&](blitz::Scope& scope) {
      for (int i = 0; i < 400; ++i) {
        scope.spawn(bench.closure());
        ++bench.expected;  // A spawned job runs, whatever fails next.
      }
    };
    bench.pool.scope(body);
    bench.pool.scope_fifo(body);
    bench.pool.in_place_scope(body);
    bench.pool.in_place_scope_fifo(body);
  });
}

BACKEND_TEST_CASE("bad_alloc: scopes whose jobs spawn and broadcast run each spawned job once") {
  fail_each_in([](auto& bench) {
    bench.pool.scope([&](blitz::Scope& scope) {
      scope.spawn_broadcast(bench.closure());
      bench.expected += static_cast<int>(bench.pool.num_threads());
      for (int i = 0; i < 10; ++i) {
        scope.spawn([&](blitz::Scope& inner) {
          for (int k = 0; k < 50; ++k) {
            inner.spawn(bench.closure());
            ++bench.expected;
          }
        });
      }
    });
  });
}

BACKEND_TEST_CASE("bad_alloc: stopped scopes destroy their closures uncalled") {
  fail_each_in([](auto& bench) {
    std::stop_source outside;
    blitz::scope({.stop = outside.get_token(), .pool = &bench.pool}, [&](blitz::Scope& scope) {
      const std::stop_token token = scope.stop_token();
      CHECK_FALSE(token.stop_requested());
      scope.request_stop();
      CHECK(token.stop_requested());
      for (int i = 0; i < 10; ++i) scope.spawn(bench.closure());
    });
  });
}

BACKEND_TEST_CASE("bad_alloc: detached jobs run once if their spawn returned") {
  fail_each_in([](auto& bench) {
    const auto spawn_all = [&bench] {
      for (int i = 0; i < 300; ++i) {
        bench.pool.spawn(bench.closure());
        ++bench.expected;
        bench.pool.spawn_fifo(bench.closure());
        ++bench.expected;
      }
      bench.pool.spawn_broadcast(bench.closure());
      bench.expected += static_cast<int>(bench.pool.num_threads());
    };
    spawn_all();
    bench.pool.install(spawn_all);
    bench.pool.spawn(spawn_all);  // Its failures go to the exception handler.
  });
}

BACKEND_TEST_CASE("bad_alloc: task groups run each accepted job once and the pool works on") {
  fail_each_in([](auto& bench) {
    blitz::TaskGroup group(bench.pool);
    const auto run_all = [&] {
      for (int i = 0; i < 300; ++i) {
        group.run(bench.closure());
        ++bench.expected;
      }
    };
    run_all();
    group.run(run_all);  // The wait throws its failures.
    group.wait();
    bench.pool.install([&] { group.run_and_wait(run_all); });
    const std::stop_token token = group.stop_token();
    group.request_stop();
    CHECK(token.stop_requested());
    group.run(bench.closure());
    group.wait();
    run_all();
  });
}

BACKEND_TEST_CASE("bad_alloc: async and broadcast throw or complete and the pool works on") {
  fail_each_in([](auto& bench) {
    const auto all = [&bench] {
      std::vector<blitz::AsyncHandle<int>> handles;
      for (int i = 0; i < 200; ++i) {
        handles.push_back(bench.pool.async([i, life = Counted(bench.lives, 1)] { return i + life.value; }));
      }
      int sum = 0;
      for (auto& handle : handles) sum += handle.get();
      CHECK(sum == 199 * 100 + 200);
      std::atomic<int> calls{0};
      try {
        const std::vector<int> numbers = bench.pool.broadcast([&](auto) { return ++calls; });
        CHECK(numbers.size() == bench.pool.num_threads());
      } catch (const std::bad_alloc&) {
        CHECK(calls == 0);
        throw;
      }
      const auto texts = bench.pool.broadcast(
          [](blitz::BroadcastContext context) { return std::string(100, static_cast<char>('a' + context.index())); });
      CHECK(texts.front().size() == 100);
    };
    all();
    bench.pool.install(all);
  });
}

BACKEND_TEST_CASE("bad_alloc: nested joins and join_all and yields throw or complete and the pool works on") {
  fail_each_in([](auto& bench) {
    const auto nest = [](const auto& self, int depth) -> int {
      if (depth == 0) return 1;
      const auto [deep, flat] = blitz::join_context([&](blitz::JoinContext) { return self(self, depth - 1); },
                                                    [](blitz::JoinContext) { return 1; });
      return deep + flat;
    };
    const int sum = bench.pool.install([&] { return nest(nest, 600); });
    CHECK(sum == 601);
    const auto three = [&bench](const auto& self, int depth) -> void {
      if (depth == 0) return;
      bench.pool.parallel_invoke([&] { self(self, depth - 1); }, [] {}, [] { blitz::yield_now(); });
    };
    bench.pool.install([&] { three(three, 300); });
    // One allocation for the results, and one for the vector.
    const std::vector<std::function<Counted()>> callables(20, [&] { return Counted(bench.lives, 1); });
    const std::vector<Counted> results = bench.pool.join_all(callables);
    CHECK(results.size() == 20);
    bench.pool.install([&] {
      for (int i = 0; i < 100; ++i) {
        blitz::spawn(bench.closure());
        ++bench.expected;
        blitz::yield_local();
      }
    });
    bench.pool.set_max_concurrency(1);
    bench.pool.warm_up(std::chrono::microseconds(1));
  });
}

TEST_CASE("bad_alloc: a join that cannot offer all callables calls none") {
  struct Nest {
    Lives lives;
    int refused = 0;

    Counted down(int depth) {
      int calls = 0;
      const auto leaf = [&] { return Counted(lives, ++calls); };
      if (depth == 0) return leaf();
      try {
        auto results = blitz::join(
            [&] {
              ++calls;
              return down(depth - 1);
            },
            leaf, leaf, leaf, leaf);
        CHECK(calls == 5);
        return std::get<4>(std::move(results));
      } catch (const std::bad_alloc&) {
        // Either this join was refused, or a deeper one. In the second case the other callables were called nevertheless.
        CHECK((calls == 0 || calls == 5));
        if (calls == 0) ++refused;
        throw;
      }
    }
  };
  int refused = 0;
  fail_each([&](std::size_t nth) {
    blitz::ThreadPool pool({.num_threads = 1});
    Nest nest;
    fail_allocation_after(nth);
    try {
      const int last = pool.install([&] { return nest.down(300).value; });
      CHECK(last == 5);
    } catch (const std::bad_alloc&) {
    }
    const bool failed = stop_failing();
    CHECK(nest.lives.alive == 0);
    refused += nest.refused;
    return failed;
  });
  CHECK(refused > 0);
}

BACKEND_TEST_CASE("bad_alloc: isolate runs each spawned job once and the pool works on") {
  fail_each_in([](auto& bench) {
    bench.pool.install([&] {
      blitz::isolate([&] {
        nest_joins(300);
        blitz::scope([&](blitz::Scope& scope) {
          for (int i = 0; i < 100; ++i) {
            scope.spawn(bench.closure());
            ++bench.expected;
          }
        });
        blitz::TaskGroup group;
        for (int i = 0; i < 100; ++i) {
          group.run(bench.closure());
          ++bench.expected;
        }
        group.wait();
        blitz::isolate([&] {
          blitz::spawn(bench.closure());
          ++bench.expected;
        });
      });
    });
  });
}

// Only workers of the region may run these jobs: on one thread no other worker can.
BACKEND_TEST_CASE("bad_alloc: async and scope_fifo inside isolate run each job once") {
  fail_each_in([](auto& bench) {
    bench.pool.install([&] {
      blitz::isolate([&] {
        std::vector<blitz::AsyncHandle<void>> handles;
        handles.reserve(100);
        for (int i = 0; i < 100; ++i) {
          handles.push_back(blitz::async(bench.closure()));
          ++bench.expected;
        }
        for (auto& handle : handles) handle.get();
        blitz::scope_fifo([&](blitz::Scope& scope) {
          for (int i = 0; i < 200; ++i) {
            scope.spawn(bench.closure());
            ++bench.expected;
          }
        });
      });
    });
  });
}

BACKEND_TEST_CASE("bad_alloc: nested pools throw or complete and the pool works on") {
  fail_each_in([](auto& bench) {
    Pool other({.num_threads = 2});
    bench.pool.install([&] {
      other.install([&] { bench.pool.install([] { nest_joins(600); }); });
      other.install_blocking([] { nest_joins(600); });
      // No slot is free for this call, and the pool has no other thread: the worker that is already in the pool makes it.
      other.install([&] { blitz::isolate([&] { bench.pool.install([] { nest_joins(5); }); }); });
    });
  });
}

BACKEND_TEST_CASE("bad_alloc: WorkerLocal and stats throw or complete and the pool works on") {
  fail_each_in([](auto& bench) {
    blitz::WorkerLocal<std::vector<int>> scratch(bench.pool, [] { return std::vector<int>(10); });
    blitz::parallel_for({.pool = &bench.pool}, 0, 100, [&](int i) { scratch.local()->push_back(i); });
    const std::size_t size =
        scratch.combine(std::size_t{0}, [](std::size_t n, std::vector<int>& v) { return n + v.size(); });
    CHECK(size >= 100 + 10);
    const auto stats = bench.pool.stats();
    CHECK(stats.workers.size() == bench.pool.num_threads());
  });
}

TEST_CASE("bad_alloc: each function of c.h returns BLITZ_NO_MEMORY and works in the next call") {
  static std::atomic<int> calls;
  static blitz_pool* pool;
  static constexpr blitz_reduction kCount = {
      [](void*, void* value, std::size_t first, std::size_t last) {
        *static_cast<std::size_t*>(value) += last - first;
        return 0;
      },
      [](void*, void* left, void* right) { *static_cast<std::size_t*>(left) += *static_cast<std::size_t*>(right); },
      [](void (*call)(void*, void*) noexcept, void* argument) {
        const auto count = std::make_unique<std::size_t>(0);  // may fail, too
        call(argument, count.get());
      }};
  static constexpr auto kCall = [](void*) { ++calls; };
  static constexpr auto kBranch = [](void*, int) { ++calls; };
  static constexpr auto kBlock = [](void*, std::size_t, std::size_t) {
    ++calls;
    return 0;
  };
  blitz_status (*const functions[])() = {
      [] {
        blitz_pool* other = nullptr;
        const blitz_status status = blitz_pool_create(3, &other);
        blitz_pool_destroy(other);
        return status;
      },
      [] { return blitz_install(pool, kCall, nullptr); },
      [] { return blitz_isolate(pool, kCall, nullptr); },
      [] { return blitz_join(pool, kBranch, nullptr, kBranch, nullptr); },
      [] { return blitz_parallel_for(pool, 5000, 1, kBlock, nullptr); },
      [] {
        std::size_t count = 0;
        const blitz_status status = blitz_parallel_reduce(pool, 5000, 1, &kCount, nullptr, &count);
        if (status == BLITZ_OK) CHECK(count == 5000);
        return status;
      },
      [] {
        blitz_stats stats;
        return blitz_pool_stats(pool, &stats, sizeof stats);
      },
      [] {
        blitz_task_group* group = nullptr;
        blitz_status status = blitz_task_group_create(pool, &group);
        if (status == BLITZ_OK) status = blitz_task_group_run(group, kCall, nullptr);
        if (status == BLITZ_OK) status = blitz_task_group_wait(group);
        blitz_task_group_destroy(group);
        return status;
      },
  };
  for (const std::size_t threads : {1, 2, 3, 16}) {
    CAPTURE(threads);
    for (const auto& function : functions) {
      CAPTURE(&function - functions);
      fail_each([&](std::size_t nth) {
        REQUIRE(blitz_pool_create(threads, &pool) == BLITZ_OK);
        fail_allocation_after(nth);
        const blitz_status status = function();
        const bool failed = stop_failing();
        if (status != BLITZ_OK) {
          CHECK(status == BLITZ_NO_MEMORY);
          CHECK(failed);
        }
        CHECK(function() == BLITZ_OK);
        blitz_pool_destroy(pool);
        return failed;
      });
    }
  }
}

#if defined(__unix__) && !defined(BLITZ_THREAD_SANITIZER)

// In child processes: each starts its global pool.
TEST_CASE("bad_alloc: the next use starts the global pool after a failed start") {
  constexpr int kNoneFailed = 1;
  for (const bool lazily : {false, true}) {
    CAPTURE(lazily);
    const std::size_t failures = fail_each([&](std::size_t nth) {
      const int status = wait_for(start_child(
          [&] {
            const std::size_t threads = count_threads();
            bool threw = false;
            fail_allocation_after(nth);
            try {
              if (!lazily) blitz::init_global_pool({.num_threads = 3});
              blitz::join([] {}, [] {});
            } catch (const std::bad_alloc&) {
              threw = true;
            } catch (const blitz::ThreadPoolError&) {
              threw = true;
            }
            const bool failed = stop_failing();
            if (threw && !failed) return 2;
            if (threw && !threads_come_down_to(threads)) return 3;
            if (threw && !lazily) blitz::init_global_pool({.num_threads = 3});
            std::atomic<int> sum{0};
            blitz::parallel_for(0, 300, [&](int) { ++sum; });
            if (sum != 300 || (!lazily && blitz::current_num_threads() != 3)) return 4;
            return failed ? 0 : kNoneFailed;
          },
          std::chrono::seconds(60)));
      REQUIRE((status == 0 || status == kNoneFailed));
      return status == 0;
    });
    CHECK(failures > 5);
  }
}

#endif
