// Scopes: their results, the workers that run their jobs, and that everything is run and destroyed once before the end.
#include <atomic>
#include <cstddef>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "scopes.hpp"

using blitz::Scope;
using namespace blitz_test;

namespace {

/// Spawns a binary tree of jobs; each counts itself.
void grow(Scope& scope, int depth, std::atomic<int>& count) {
  ++count;
  if (depth == 0) return;
  for (int i = 0; i < 2; ++i) {
    scope.spawn([depth, &count](Scope& same) { grow(same, depth - 1, count); });
  }
}

/// A tree of scopes. The jobs of each open three.
int nest(int depth) {
  if (depth == 0) return 1;
  std::atomic<int> sum{0};
  blitz::scope([&](Scope& scope) {
    for (int i = 0; i < 3; ++i) scope.spawn([&] { sum += nest(depth - 1); });
  });
  return sum;
}

}  // namespace

// --- results ---

POOL_TEST_CASE("scope: returns the result of its body of any kind") {
  from_outside_and_inside([](Pool& pool) {
    CHECK(pool.scope([](Scope&) { return 1; }) == 1);
    CHECK(pool.scope_fifo([](Scope&) { return 2; }) == 2);
    CHECK(pool.in_place_scope([](Scope&) { return 3; }) == 3);
    CHECK(pool.in_place_scope_fifo([](Scope&) { return 4; }) == 4);
    CHECK(pool.install([] { return blitz::scope([](Scope&) { return 5; }); }) == 5);
    static_assert(std::is_void_v<decltype(pool.scope([](Scope&) {}))>);

    int target = 0;
    static_assert(std::is_same_v<decltype(pool.scope([&](Scope&) -> int& { return target; })), int&>);
    CHECK(&pool.scope([&](Scope&) -> int& { return target; }) == &target);
    CHECK(&pool.in_place_scope([&](Scope&) -> const int& { return target; }) == &target);

    // A job may still write to the object that the body has returned.
    const auto body = [](Scope& scope) {
      auto value = std::make_unique<int>(0);
      scope.spawn([p = value.get()] { *p = 7; });
      return value;
    };
    CHECK(*pool.scope(body) == 7);
    CHECK(*pool.in_place_scope(body) == 7);

    Lives lives;
    {
      const Counted counted = pool.scope([&](Scope&) { return Counted(lives, 3); });
      CHECK(counted.value == 3);
      CHECK(lives.alive == 1);
    }
    CHECK(lives.alive == 0);
  });
}

POOL_TEST_CASE("scope: calls its body with its value category") {
  struct Overloaded {
    int operator()(Scope&) & { return 1; }
    int operator()(Scope&) const& { return 2; }
    int operator()(Scope&) && { return 3; }
  };
  Pool pool({.num_threads = 2});
  Overloaded body;
  const Overloaded constant;
  CHECK(pool.scope(body) == 1);
  CHECK(pool.scope(constant) == 2);
  CHECK(pool.scope(Overloaded()) == 3);
  CHECK(pool.in_place_scope(body) == 1);
  CHECK(pool.in_place_scope(Overloaded()) == 3);
}

// --- spawned jobs ---

POOL_TEST_CASE("scope: waits for all jobs including those that jobs spawn") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> count{0};
    open([&](Scope& scope) { grow(scope, 9, count); });
    CHECK(count == 1023);

    open([](Scope&) {});
    open([&](Scope& scope) { scope.spawn([&] { ++count; }); });
    CHECK(count == 1024);
  });
}

POOL_TEST_CASE("scope: effects of its jobs happen before its return") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::vector<int> values(300);
    open([&](Scope& scope) {
      for (std::size_t i = 0; i < values.size(); i += 3) {
        scope.spawn([&values, i](Scope& same) {
          values[i] = 1;
          same.spawn([&values, i] { values[i + 1] = values[i] + 1; });
          same.spawn_fifo([&values, i] { values[i + 2] = values[i] + 2; });
        });
      }
    });
    int wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) wrong += static_cast<int>(values[i] != static_cast<int>(i % 3) + 1);
    CHECK(wrong == 0);
  });
}

POOL_TEST_CASE("scope: calls a job with the scope or without an argument") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> right{0};
    open([&](Scope& scope) {
      struct Either {
        void operator()() const {}
        void operator()(Scope& same) const { right += static_cast<int>(&same == &scope); }
        Scope& scope;
        std::atomic<int>& right;
      };
      scope.spawn([&] { ++right; });
      scope.spawn([&](Scope& same) { right += static_cast<int>(&same == &scope); });
      scope.spawn([&](auto& same) { right += static_cast<int>(&same == &scope); });
      scope.spawn(Either{scope, right});
      scope.spawn_fifo(Either{scope, right});
      scope.spawn([calls = 0, &right]() mutable { right += ++calls; });  // Its result is discarded.
      scope.spawn([&right] { return ++right; });
    });
    CHECK(right == 7);
  });
}

POOL_TEST_CASE("scope: as many jobs as workers run concurrently") {
  for_each_scope([](Pool& pool, const OpenScope& open) {
    const auto workers = static_cast<std::ptrdiff_t>(pool.num_threads());
    for (int round = 0; round < 5; ++round) {
      std::latch everyone(workers);
      open([&](Scope& scope) {
        for (std::ptrdiff_t i = 0; i < workers; ++i) scope.spawn([&] { everyone.arrive_and_wait(); });
      });
    }
  });
}

POOL_TEST_CASE("scope: jobs of scopes may open scopes") {
  from_outside_and_inside([](Pool& pool) { CHECK(pool.install([] { return nest(5); }) == 243); });
}

POOL_TEST_CASE("scope: the outer scope waits for jobs that an inner scope spawns in it") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> count{0};
    open([&](Scope& outer) {
      blitz::in_place_scope([&](Scope& inner) {
        for (int i = 0; i < 50; ++i) {
          inner.spawn([&] { outer.spawn([&] { ++count; }); });
          outer.spawn([&] { ++count; });
        }
      });
    });
    CHECK(count == 100);
  });
}

// --- from other threads ---

POOL_TEST_CASE("scope: outside threads may spawn in it while its body runs") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> count{0};
    open([&](Scope& scope) {
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
          for (int i = 0; i < 50; ++i) {
            scope.spawn([&] { ++count; });
            scope.spawn_fifo([&](Scope& same) { same.spawn([&] { ++count; }); });
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
    });
    CHECK(count == 300);
  });
}

POOL_TEST_CASE("scope: an outside thread may spawn in it while a job runs") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> count{0};
    std::optional<std::thread> thread;
    open([&](Scope& scope) {
      scope.spawn([&](Scope& same) {
        thread.emplace([&] {
          for (int i = 0; i < 100; ++i) same.spawn([&] { ++count; });
        });
        thread->join();
      });
    });
    CHECK(count == 100);
  });
}

POOL_TEST_CASE("scope: workers of another pool may spawn in it") {
  Pool other({.num_threads = 2});
  for_each_scope([&](Pool& pool, const OpenScope& open) {
    std::atomic<int> here{0};
    open([&](Scope& scope) {
      other.scope([&](Scope& foreign) {
        for (int i = 0; i < 50; ++i) {
          foreign.spawn([&] {
            scope.spawn([&] { here += static_cast<int>(pool.current_thread_index().has_value()); });
            scope.spawn_fifo([&] { here += static_cast<int>(pool.current_thread_index().has_value()); });
          });
        }
      });
    });
    CHECK(here == 100);
  });
}

// --- in place ---

POOL_TEST_CASE("in_place_scope: runs the body on its thread and the jobs in the pool") {
  from_outside_and_inside([](Pool& pool) {
    const auto self = std::this_thread::get_id();
    const auto index = pool.current_thread_index();
    std::atomic<int> in_pool{0};
    std::atomic<int> on_caller{0};
    const auto body = [&](Scope& scope) {
      CHECK(std::this_thread::get_id() == self);
      CHECK(pool.current_thread_index() == index);
      for (int i = 0; i < 50; ++i) {
        scope.spawn([&] {
          in_pool += static_cast<int>(pool.current_thread_index().has_value());
          on_caller += static_cast<int>(std::this_thread::get_id() == self);
        });
      }
    };
    pool.in_place_scope(body);
    pool.in_place_scope_fifo(body);
    CHECK(in_pool == 100);
    if (!index.has_value()) CHECK(on_caller == 0);
    if (index.has_value() && pool.num_threads() == 1) CHECK(on_caller == 100);
  });
}

POOL_TEST_CASE("in_place_scope: a waiting worker of another pool runs jobs of that pool") {
  Pool other({.num_threads = 1});
  for_each_size([&](Pool& pool) {
    other.install([&] {
      std::latch done(1);
      other.spawn([&] { done.count_down(); });  // Only this worker can run it.
      pool.in_place_scope([&](Scope& scope) { scope.spawn([&] { done.wait(); }); });
    });
  });
}

POOL_TEST_CASE("in_place_scope: its body may call the pool and open scopes") {
  from_outside_and_inside([](Pool& pool) {
    std::atomic<int> count{0};
    pool.in_place_scope([&](Scope& outer) {
      outer.spawn([&] { ++count; });
      pool.scope([&](Scope& inner) { inner.spawn([&] { ++count; }); });
      pool.in_place_scope([&](Scope& inner) {
        inner.spawn([&] { ++count; });
        outer.spawn([&] { ++count; });
      });
      pool.join([&] { ++count; }, [&] { outer.spawn([&] { ++count; }); });
    });
    CHECK(count == 6);
  });
}

TEST_CASE("scope: uses the global pool outside every pool") {
  const auto self = std::this_thread::get_id();
  std::atomic<int> in_pool{0};
  const auto body = [&](Scope& scope) {
    scope.spawn([&] { in_pool += static_cast<int>(blitz::global_pool().current_thread_index().has_value()); });
    return std::this_thread::get_id() == self;
  };
  blitz::scope(body);
  blitz::scope_fifo(body);
  CHECK(blitz::in_place_scope(body));
  CHECK(blitz::in_place_scope_fifo(body));
  CHECK(in_pool == 4);
}

// --- lives ---

POOL_TEST_CASE("scope: calls and destroys closures once before its end") {
  for_each_scope([](Pool&, const OpenScope& open) {
    Lives lives;
    std::atomic<int> calls{0};
    with_each_kind_of_closure(lives, calls, [&](auto&& make) {
      calls = 0;
      open([&](Scope& scope) {
        for (int i = 0; i < 20; ++i) {
          scope.spawn(make());
          scope.spawn_fifo(make());
          scope.spawn([&](Scope& same) {
            same.spawn(make());
            same.spawn_fifo(make());
          });
        }
      });
      CHECK(calls == 80);
      CHECK(lives.alive == 0);
    });
    CHECK(lives.made > 0);
  });
}

POOL_TEST_CASE("scope: spawn rethrows an exception of a closure's copy and spawns nothing") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> calls{0};
    const Fragile fragile(calls);
    open([&](Scope& scope) {
      scope.spawn([&] { ++calls; });
      CHECK_THROWS_AS(scope.spawn(fragile), Failure);
      CHECK_THROWS_AS(scope.spawn_fifo(fragile), Failure);
      CHECK_THROWS_AS(scope.spawn_broadcast(fragile), Failure);
      scope.spawn([&] { ++calls; });
    });
    CHECK(calls == 2);
  });
}
