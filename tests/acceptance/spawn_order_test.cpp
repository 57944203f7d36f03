// The order of the spawned jobs of one worker: exact sequences.
//
// The cases are from rayon-core's tests. When an inner scope waits, its worker always takes the newest job of its queue,
// including jobs of the outer scope. A job spawned first-in-first-out is only a token in the queue: taking it runs the oldest
// job of its own list.
#include <functional>
#include <latch>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "scopes.hpp"

using blitz::Scope;
using namespace blitz_test;

namespace {

using Numbers = std::vector<int>;
using ScopeFunction = std::function<void(Scope&)>;

/// The two orders of scopes and of detached spawns.
struct Order {
  void (*scope)(const ScopeFunction& body);
  void (*spawn)(Scope& scope, const ScopeFunction& job);
  void (*spawn_detached)(const std::function<void()>& job);
};

constexpr Order kLifo{[](const ScopeFunction& body) { blitz::scope(body); },
                      [](Scope& scope, const ScopeFunction& job) { scope.spawn(job); },
                      [](const std::function<void()>& job) { blitz::spawn(job); }};
constexpr Order kFifo{[](const ScopeFunction& body) { blitz::scope_fifo(body); },
                      [](Scope& scope, const ScopeFunction& job) { scope.spawn_fifo(job); },
                      [](const std::function<void()>& job) { blitz::spawn_fifo(job); }};
/// The default order of scope_fifo, without an order at the spawn.
constexpr Order kFifoByScope{kFifo.scope, kLifo.spawn, kFifo.spawn_detached};
/// The order of in_place_scope_fifo on a worker.
constexpr Order kFifoInPlace{[](const ScopeFunction& body) { blitz::in_place_scope_fifo(body); }, kLifo.spawn,
                             kFifo.spawn_detached};
constexpr Order kLifoInPlace{[](const ScopeFunction& body) { blitz::in_place_scope(body); }, kLifo.spawn,
                             kLifo.spawn_detached};

/// 0 to 99, in tens: each of the two digits ascends or descends.
enum class Count : bool { kUp, kDown };
Numbers hundred(Count tens, Count ones) {
  Numbers numbers;
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) {
      numbers.push_back(10 * (tens == Count::kUp ? i : 9 - i) + (ones == Count::kUp ? j : 9 - j));
    }
  }
  return numbers;
}

/// Calls `f` on the only worker of a pool, and returns the numbers that it and its jobs have written.
Numbers on_one_worker(const std::function<void(Numbers&)>& f) {
  Numbers numbers;
  Pool pool({.num_threads = 1});
  pool.install([&] { f(numbers); });
  pool.shutdown();
  return numbers;
}

/// Ten jobs spawn ten each, in one scope.
Numbers spawn_in_spawn(const Order& order) {
  return on_one_worker([&order](Numbers& numbers) {
    order.scope([&](Scope& scope) {
      for (int i = 0; i < 10; ++i) {
        order.spawn(scope, [&, i](Scope& same) {
          for (int j = 0; j < 10; ++j) {
            order.spawn(same, [&numbers, i, j](Scope&) { numbers.push_back(10 * i + j); });
          }
        });
      }
    });
  });
}

/// Each of ten jobs opens a scope with ten.
Numbers scope_in_spawn(const Order& outer, const Order& inner) {
  return on_one_worker([&](Numbers& numbers) {
    outer.scope([&](Scope& scope) {
      for (int i = 0; i < 10; ++i) {
        outer.spawn(scope, [&, i](Scope&) {
          inner.scope([&](Scope& nested) {
            for (int j = 0; j < 10; ++j) {
              inner.spawn(nested, [&numbers, i, j](Scope&) { numbers.push_back(10 * i + j); });
            }
          });
        });
      }
    });
  });
}

/// Jobs of an inner scope, with numbers below zero, among jobs of the outer scope. The inner scope ends before the last job is
/// spawned, and runs some jobs of the outer scope.
Numbers mixed_scopes(const Order& outer, const Order& inner) {
  return on_one_worker([&](Numbers& numbers) {
    const auto write = [&numbers](int number) { return [&numbers, number](Scope&) { numbers.push_back(number); }; };
    outer.scope([&](Scope& scope) {
      outer.spawn(scope, write(0));
      inner.scope([&](Scope& nested) {
        inner.spawn(nested, write(-1));
        outer.spawn(scope, write(1));
        inner.spawn(nested, write(-2));
        outer.spawn(scope, write(2));
        inner.spawn(nested, write(-3));
      });
      outer.spawn(scope, write(3));
    });
  });
}

/// Calls `f` on the only worker of a pool. The worker then runs the spawned jobs: in the pool's order of search or, if that is
/// not newest first, during a wait, in the order of its queue.
Numbers detached_on_one_worker(const std::function<void(Numbers&)>& f) {
  return on_one_worker([&](Numbers& numbers) {
    if (tested_policy == TestedPolicy::kAsync) {
      blitz::scope([&](Scope& scope) {
        scope.spawn([] {});  // At the bottom of the queue: the scope ends when all jobs above it have been run.
        f(numbers);
      });
    } else {
      f(numbers);
    }
  });
}

/// Like spawn_in_spawn, with detached jobs.
Numbers detached_in_detached(const Order& outer, const Order& inner) {
  return detached_on_one_worker([outer, inner](Numbers& numbers) {
    for (int i = 0; i < 10; ++i) {
      outer.spawn_detached([inner, &numbers, i] {
        for (int j = 0; j < 10; ++j) {
          inner.spawn_detached([&numbers, i, j] { numbers.push_back(10 * i + j); });
        }
      });
    }
  });
}

/// Non-negative numbers by one kind of spawn, negative numbers by the other.
Numbers mixed_detached(const Order& positive, const Order& negative) {
  return detached_on_one_worker([&](Numbers& numbers) {
    const auto write = [&numbers](int number) { return [&numbers, number] { numbers.push_back(number); }; };
    positive.spawn_detached(write(0));
    negative.spawn_detached(write(-1));
    positive.spawn_detached(write(1));
    negative.spawn_detached(write(-2));
    positive.spawn_detached(write(2));
    negative.spawn_detached(write(-3));
    positive.spawn_detached(write(3));
  });
}

}  // namespace

// --- scopes ---

POOL_TEST_CASE("scope order: scope runs jobs newest first and scope_fifo oldest first") {
  CHECK(spawn_in_spawn(kLifo) == hundred(Count::kDown, Count::kDown));
  CHECK(spawn_in_spawn(kLifoInPlace) == hundred(Count::kDown, Count::kDown));
  CHECK(spawn_in_spawn(kFifo) == hundred(Count::kUp, Count::kUp));
  CHECK(spawn_in_spawn(kFifoByScope) == hundred(Count::kUp, Count::kUp));
  CHECK(spawn_in_spawn(kFifoInPlace) == hundred(Count::kUp, Count::kUp));
}

POOL_TEST_CASE("scope order: nested scopes each keep their order") {
  CHECK(scope_in_spawn(kLifo, kLifo) == hundred(Count::kDown, Count::kDown));
  CHECK(scope_in_spawn(kFifo, kFifo) == hundred(Count::kUp, Count::kUp));
  CHECK(scope_in_spawn(kLifo, kFifo) == hundred(Count::kDown, Count::kUp));
  CHECK(scope_in_spawn(kFifo, kLifo) == hundred(Count::kUp, Count::kDown));
  CHECK(scope_in_spawn(kLifoInPlace, kFifoInPlace) == hundred(Count::kDown, Count::kUp));
  CHECK(scope_in_spawn(kFifoByScope, kLifo) == hundred(Count::kUp, Count::kDown));
}

POOL_TEST_CASE("scope order: a waiting inner scope also runs jobs of the outer one in queue order") {
  CHECK(mixed_scopes(kLifo, kLifo) == Numbers{-3, 2, -2, 1, -1, 3, 0});
  CHECK(mixed_scopes(kFifo, kFifo) == Numbers{-1, 0, -2, 1, -3, 2, 3});
  CHECK(mixed_scopes(kLifo, kFifo) == Numbers{-1, 2, -2, 1, -3, 3, 0});
  CHECK(mixed_scopes(kFifo, kLifo) == Numbers{-3, 0, -2, 1, -1, 2, 3});
}

POOL_TEST_CASE("scope order: spawn and spawn_fifo may be mixed in one scope") {
  const auto numbers = on_one_worker([](Numbers& all) {
    blitz::scope([&](Scope& scope) {
      for (int i = 0; i < 3; ++i) {
        scope.spawn([&all, i] { all.push_back(i); });
        scope.spawn_fifo([&all, i] { all.push_back(10 + i); });
      }
    });
  });
  CHECK(numbers == Numbers{10, 2, 11, 1, 12, 0});
}

POOL_TEST_CASE("scope order: jobs from outside run in the order of their arrival") {
  Numbers expected;
  for (int i = 0; i < 200; ++i) expected.push_back(i);
  const auto run = [](auto&& open) {
    Numbers all;
    std::latch all_there(1);
    open([&](Scope& scope) {
      scope.spawn([&] { all_there.wait(); });
      for (int i = 0; i < 200; ++i) scope.spawn([&all, i] { all.push_back(i); });
      all_there.count_down();
    });
    return all;
  };
  Pool pool({.num_threads = 1});
  CHECK(run([&](const ScopeFunction& body) { pool.in_place_scope(body); }) == expected);
  CHECK(run([&](const ScopeFunction& body) { pool.in_place_scope_fifo(body); }) == expected);
}

// --- detached ---

POOL_TEST_CASE("spawn order: nested spawns each keep their order") {
  CHECK(detached_in_detached(kLifo, kLifo) == hundred(Count::kDown, Count::kDown));
  CHECK(detached_in_detached(kFifo, kFifo) == hundred(Count::kUp, Count::kUp));
  CHECK(detached_in_detached(kLifo, kFifo) == hundred(Count::kDown, Count::kUp));
  CHECK(detached_in_detached(kFifo, kLifo) == hundred(Count::kUp, Count::kDown));
}

POOL_TEST_CASE("spawn order: spawn and spawn_fifo may be mixed") {
  CHECK(mixed_detached(kLifo, kFifo) == Numbers{3, -1, 2, -2, 1, -3, 0});
  CHECK(mixed_detached(kFifo, kLifo) == Numbers{0, -3, 1, -2, 2, -1, 3});
}

POOL_TEST_CASE("spawn order: spawn_fifo runs oldest first with every order of search") {
  Numbers expected;
  for (int i = 0; i < 1000; ++i) expected.push_back(i);
  CHECK(on_one_worker([](Numbers& numbers) {
          for (int i = 0; i < 1000; ++i) blitz::spawn_fifo([&numbers, i] { numbers.push_back(i); });
        }) == expected);
}

POOL_TEST_CASE("spawn order: jobs from outside run in the order of their arrival") {
  Numbers numbers;
  Numbers expected;
  Pool pool({.num_threads = 1});
  for (int i = 0; i < 1000; ++i) {
    if (i % 2 == 0) {
      pool.spawn([&numbers, i] { numbers.push_back(i); });
    } else {
      pool.spawn_fifo([&numbers, i] { numbers.push_back(i); });
    }
    expected.push_back(i);
  }
  pool.shutdown();
  CHECK(numbers == expected);
}
