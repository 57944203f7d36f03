// join: its results and exceptions, and that everything is run and destroyed exactly once.
#include <atomic>
#include <cstddef>
#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/counted.hpp"
#include "support/fib.hpp"
#include "support/policies.hpp"

using blitz::Unit;
using namespace blitz_test;

namespace {

struct ErrorA : std::runtime_error {
  ErrorA() : std::runtime_error("a") {}
};
struct ErrorB : std::runtime_error {
  ErrorB() : std::runtime_error("b") {}
};

/// Keeps the only other worker of a pool of two busy while `f` runs on the caller's: nothing is stolen from `f`.
template <class F>
void with_the_other_busy(Pool& pool, F&& f) {
  std::latch busy(1);
  std::latch let_go(1);
  pool.join(
      [&] {
        busy.wait();
        f();
        let_go.count_down();
      },
      [&] {
        busy.count_down();
        let_go.wait();
      });
}

}  // namespace

// --- results ---

POOL_TEST_CASE("join: returns both results and Unit for void") {
  from_outside_and_inside([](Pool& pool) {
    auto values = pool.join([] { return 1; }, [] { return std::string("two"); });
    static_assert(std::is_same_v<decltype(values), std::pair<int, std::string>>);
    CHECK(values == std::pair<int, std::string>(1, "two"));

    int calls = 0;
    auto nothing = pool.join([&] { ++calls; }, [] {});
    static_assert(std::is_same_v<decltype(nothing), std::pair<Unit, Unit>>);
    CHECK(nothing == std::pair(Unit{}, Unit{}));
    CHECK(calls == 1);

    auto mixed = pool.join([] {}, [] { return 2.5; });
    static_assert(std::is_same_v<decltype(mixed), std::pair<Unit, double>>);
    CHECK(mixed.second == 2.5);
  });
}

POOL_TEST_CASE("join: returns move-only results and references and types without a default constructor") {
  struct Named {
    explicit Named(int i) : number(i) {}
    int number;
  };
  from_outside_and_inside([](Pool& pool) {
    auto [unique, named] = pool.join([] { return std::make_unique<int>(1); }, [] { return Named(2); });
    CHECK(*unique == 1);
    CHECK(named.number == 2);

    int a = 1;
    const int b = 2;
    auto references = pool.join([&]() -> int& { return a; }, [&]() -> const int& { return b; });
    static_assert(std::is_same_v<decltype(references), std::pair<int&, const int&>>);
    CHECK(&references.first == &a);
    CHECK(&references.second == &b);

    auto swapped = pool.join([] { return Named(3); }, [] { return std::make_unique<int>(4); });
    CHECK(swapped.first.number == 3);
    CHECK(*swapped.second == 4);
  });
}

POOL_TEST_CASE("join: returns a tuple in order for three or more callables") {
  from_outside_and_inside([](Pool& pool) {
    auto three = pool.join([] { return 1; }, [] {}, [] { return 'c'; });
    static_assert(std::is_same_v<decltype(three), std::tuple<int, Unit, char>>);
    CHECK(three == std::tuple(1, Unit{}, 'c'));

    int target = 0;
    auto five = pool.join([] { return std::make_unique<int>(1); }, [&]() -> int& { return target; }, [] { return 3; },
                          [] {}, [] { return std::string("five"); });
    static_assert(std::is_same_v<decltype(five), std::tuple<std::unique_ptr<int>, int&, int, Unit, std::string>>);
    CHECK(*std::get<0>(five) == 1);
    CHECK(&std::get<1>(five) == &target);
    CHECK(std::get<2>(five) == 3);
    CHECK(std::get<4>(five) == "five");
  });
}

POOL_TEST_CASE("join: calls each callable with its value category") {
  struct Overloaded {
    int operator()() & { return 1; }
    int operator()() const& { return 2; }
    int operator()() && { return 3; }
  };
  Pool pool({.num_threads = 2});
  Overloaded f;
  const Overloaded constant;
  CHECK(pool.join(f, constant) == std::pair(1, 2));
  CHECK(pool.join(Overloaded{}, std::move(f)) == std::pair(3, 3));
  const std::function<int()> function = [] { return 4; };
  int (*const pointer)() = [] { return 5; };
  CHECK(pool.join(function, pointer) == std::pair(4, 5));

  int (&named)() = *pointer;
  CHECK(pool.join(named, named) == std::pair(5, 5));
  CHECK(pool.join(named, named, named) == std::tuple(5, 5, 5));
  pool.parallel_invoke(named, named, named);

  // Move-only callables.
  auto owner = [p = std::make_unique<int>(6)] { return *p; };
  CHECK(pool.join(std::move(owner), [p = std::make_unique<int>(7)]() mutable { return *p; }) == std::pair(6, 7));

  pool.install([&] {
    Overloaded g;
    CHECK(blitz::join(g, constant) == std::pair(1, 2));
    CHECK(blitz::join(Overloaded{}, std::move(g)) == std::pair(3, 3));
    CHECK(blitz::join(g, constant, Overloaded{}) == std::tuple(1, 2, 3));
  });
}

POOL_TEST_CASE("join: returns the result of a stolen second callable") {
  Pool pool({.num_threads = 2});
  int target = 0;
  for (int round = 0; round < 10; ++round) {
    std::latch both(2);
    auto [unit, unique] = pool.join([&] { both.arrive_and_wait(); },
                                    [&] {
                                      both.arrive_and_wait();
                                      return std::make_unique<int>(8);
                                    });
    CHECK(*unique == 8);

    std::latch again(2);
    auto references = pool.join(
        [&]() -> int& {
          again.arrive_and_wait();
          return target;
        },
        [&]() -> int& {
          again.arrive_and_wait();
          return target;
        });
    CHECK(&references.first == &target);
    CHECK(&references.second == &target);
  }
}

// --- exceptions ---

POOL_TEST_CASE("join: rethrows the first callable's exception if both throw") {
  from_outside_and_inside(
      [](Pool& pool) { CHECK_THROWS_AS(pool.join([] { throw ErrorA(); }, [] { throw ErrorB(); }), ErrorA); });
  // Concurrently, too.
  Pool pool({.num_threads = 2});
  std::latch both(2);
  CHECK_THROWS_AS(pool.join(
                      [&] {
                        both.arrive_and_wait();
                        throw ErrorA();
                      },
                      [&] {
                        both.arrive_and_wait();
                        throw ErrorB();
                      }),
                  ErrorA);
}

POOL_TEST_CASE("join: runs the second callable even if the first throws before it begins") {
  from_outside_and_inside([](Pool& pool) {
    std::atomic<int> runs{0};
    CHECK_THROWS_AS(pool.join([] { throw ErrorA(); }, [&] { ++runs; }), ErrorA);
    CHECK(runs == 1);
  });
  Pool pool({.num_threads = 2});
  with_the_other_busy(pool, [] {
    int runs = 0;
    CHECK_THROWS_AS(blitz::join([] { throw ErrorA(); }, [&] { ++runs; }), ErrorA);
    CHECK(runs == 1);
  });
}

POOL_TEST_CASE("join: rethrows the first callable's exception after the second has finished") {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    std::latch begun(1);
    bool finished = false;
    CHECK_THROWS_AS(pool.join(
                        [&] {
                          begun.wait();
                          throw ErrorA();
                        },
                        [&] {
                          begun.count_down();
                          for (int i = 0; i < 100; ++i) std::this_thread::yield();
                          finished = true;
                        }),
                    ErrorA);
    CHECK(finished);
  }
}

POOL_TEST_CASE("join: rethrows the second callable's exception after the first has finished") {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    Lives lives;
    std::latch thrown(1);
    bool finished = false;
    CHECK_THROWS_AS(pool.join(
                        [&] {
                          thrown.wait();
                          finished = true;
                          return Counted(lives, 1);
                        },
                        [&] {
                          struct Leaving {
                            std::latch& latch;
                            ~Leaving() { latch.count_down(); }
                          } leaving{thrown};
                          throw ErrorB();
                        }),
                    ErrorB);
    CHECK(finished);
    CHECK(lives.alive == 0);
    CHECK(lives.made > 0);
  }
}

POOL_TEST_CASE("join: destroys a result if the other callable throws") {
  from_outside_and_inside([](Pool& pool) {
    Lives lives;
    CHECK_THROWS_AS(pool.join([&] { return Counted(lives, 1); }, [] { throw ErrorB(); }), ErrorB);
    CHECK(lives.made > 0);
    CHECK(lives.alive == 0);

    const int before = lives.made;
    CHECK_THROWS_AS(pool.join([] { throw ErrorA(); }, [&] { return Counted(lives, 2); }), ErrorA);
    CHECK(lives.made > before);
    CHECK(lives.alive == 0);
  });
}

POOL_TEST_CASE("join: rethrows the leftmost exception") {
  from_outside_and_inside([](Pool& pool) {
    const auto fine = [] {};
    const auto a = [] { throw ErrorA(); };
    const auto b = [] { throw ErrorB(); };
    CHECK(what_is_thrown_by([&] { pool.join(fine, a, b); }) == "a");
    CHECK(what_is_thrown_by([&] { pool.join(b, fine, a); }) == "b");
    CHECK(what_is_thrown_by([&] { pool.join(fine, fine, fine, b); }) == "b");
    CHECK(what_is_thrown_by([&] { pool.join(fine, fine, fine, fine); }) == "nothing");
  });
}

POOL_TEST_CASE("join: rethrows exceptions of any type and the pool works on") {
  from_outside_and_inside([](Pool& pool) {
    for (int i = 0; i < 20; ++i) {
      CHECK_THROWS_AS(pool.join([] { throw 1; }, [] {}), int);
      CHECK_THROWS_AS(pool.join([] {}, [] { throw "text"; }), const char*);
      CHECK(pool.join([] { return 1; }, [] { return 2; }) == std::pair(1, 2));
    }
  });
}

POOL_TEST_CASE("join: an exception passes up through a deep tree and every leaf runs") {
  struct Tree {
    std::atomic<int> leaves{0};
    void visit(int depth, int path) {
      if (depth == 0) {
        ++leaves;
        if (path == 5) throw ErrorB();
        return;
      }
      blitz::join([&] { visit(depth - 1, 2 * path); }, [&] { visit(depth - 1, 2 * path + 1); });
    }
  };
  from_outside_and_inside([](Pool& pool) {
    Tree tree;
    CHECK_THROWS_AS(pool.install([&] { tree.visit(8, 0); }), ErrorB);
    CHECK(tree.leaves == 256);
  });
}

// --- three and more: some counts are compiled in the caller, larger ones call the library ---

/// The free function, with the interface of a pool.
struct Here {
  template <class... F>
  auto join(F&&... f) {
    return blitz::join(std::forward<F>(f)...);
  }
};

template <class R>
struct IndexedCall {
  const std::function<R(std::size_t)>& body;
  std::size_t index;
  R operator()() const { return body(index); }
};

/// Joins `kCount` calls of `f`, with 0, 1, ...
template <std::size_t kCount, class R, class PoolOrHere>
auto join_each(PoolOrHere& pool, const std::function<R(std::size_t)>& f) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return pool.join(IndexedCall<R>{f, i}...);
  }(std::make_index_sequence<kCount>());
}

/// Calls `test` with each number of callables as a constant.
template <class Test>
void for_each_count(const Test& test) {
  const auto call = [&]<std::size_t count>(std::integral_constant<std::size_t, count> constant) {
    CAPTURE(count);
    test(constant);
  };
  call(std::integral_constant<std::size_t, 3>());
  call(std::integral_constant<std::size_t, 6>());
  call(std::integral_constant<std::size_t, 17>());
}

POOL_TEST_CASE("join: returns each of many results in its place and destroys it once") {
  from_outside_and_inside([](Pool& pool) {
    for_each_count([&](auto count) {
      Lives lives;
      {
        const auto results =
            join_each<count, Counted>(pool, [&](std::size_t i) { return Counted(lives, static_cast<int>(i)); });
        static_assert(std::tuple_size_v<decltype(results)> == count);
        std::apply(
            [](const auto&... result) {
              int i = 0;
              CHECK(((result.value == i++) && ...));
            },
            results);
        CHECK(lives.alive == static_cast<int>(count));
      }
      CHECK(lives.alive == 0);
    });
  });
}

POOL_TEST_CASE("join: calls all of many and rethrows the leftmost exception") {
  from_outside_and_inside([](Pool& pool) {
    for_each_count([&](auto count) {
      for (std::size_t first = 0; first < count; ++first) {
        for (const std::size_t second : {first, first + 1, std::size_t{count} - 1}) {
          Lives lives;
          std::atomic<std::size_t> calls{0};
          int caught = -1;
          try {
            join_each<count, Counted>(pool, [&](std::size_t i) {
              ++calls;
              if (i == first || i == second) throw static_cast<int>(i);
              return Counted(lives, static_cast<int>(i));
            });
          } catch (int thrower) {
            caught = thrower;
          }
          CHECK(caught == static_cast<int>(first));
          CHECK(calls == count);
          CHECK(lives.alive == 0);
        }
      }
    });
  });
}

POOL_TEST_CASE("join: many callables run concurrently if there are as many workers") {
  for_each_count([](auto count) {
    Pool pool({.num_threads = count});
    Lives lives;
    for (int round = 0; round < 5; ++round) {
      std::latch all(static_cast<std::ptrdiff_t>(count()));
      const auto results = join_each<count, Counted>(pool, [&](std::size_t i) {
        all.arrive_and_wait();
        return Counted(lives, static_cast<int>(i));
      });
      CHECK(std::get<0>(results).value == 0);
      CHECK(std::get<count - 1>(results).value == static_cast<int>(count) - 1);
    }
    // All except the last throw concurrently.
    std::latch all(static_cast<std::ptrdiff_t>(count()));
    const auto fail = [&](std::size_t i) {
      all.arrive_and_wait();
      if (i == 0) throw ErrorA();
      if (i < count - 1) throw ErrorB();
      return Counted(lives, 1);
    };
    CHECK(what_is_thrown_by([&] { join_each<count, Counted>(pool, fail); }) == "a");
    CHECK(lives.alive == 0);
  });
}

POOL_TEST_CASE("join: one worker runs many from left to right") {
  Pool pool({.num_threads = 1});
  for_each_count([&](auto count) {
    std::vector<std::size_t> order;
    const std::function<void(std::size_t)> note = [&](std::size_t i) { order.push_back(i); };
    Here here;
    pool.install([&] { join_each<count, void>(here, note); });
    pool.install([&] { blitz::isolate([&] { join_each<count, void>(here, note); }); });
    CHECK(order.size() == 2 * count);
    for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == i % count);
  });
}

POOL_TEST_CASE("join: many callables may spawn jobs and yield") {
  for_each_size([](Pool& pool) {
    std::atomic<int> spawned{0};
    for (int round = 0; round < 20; ++round) {
      pool.scope([&](blitz::Scope& scope) {
        const auto leave = [&] {
          scope.spawn([&] { ++spawned; });
          static_cast<void>(blitz::yield_now());
          scope.spawn([&] { ++spawned; });
          return 1;
        };
        CHECK(blitz::join(leave, leave, [] { return 3; }) == std::tuple(1, 1, 3));
        const auto results = blitz::join(
            leave, [] { return 2; }, [] { return 3; }, [] { return 4; }, [] { return 5; }, leave);
        CHECK(results == std::tuple(1, 2, 3, 4, 5, 1));
      });
    }
    CHECK(spawned == 20 * 8);
  });
}

POOL_TEST_CASE("join: many callables may be nested and may enter another pool") {
  struct Tree {
    static int leaves(int depth) {
      if (depth == 0) return 1;
      const auto below = [depth] { return leaves(depth - 1); };
      const auto [a, b, c, d, e] = blitz::join(below, below, below, below, below);
      return a + b + c + d + e;
    }
  };
  from_outside_and_inside([](Pool& pool) {
    CHECK(pool.install([] { return Tree::leaves(3); }) == 125);
    CHECK(pool.install([] { return blitz::isolate([] { return Tree::leaves(2); }); }) == 25);
    Pool other({.num_threads = 2});
    const auto across = [&] { return other.install([] { return Tree::leaves(2); }); };
    CHECK(pool.join(across, across, across) == std::tuple(25, 25, 25));
  });
}

// --- lives ---

POOL_TEST_CASE("join: destroys results once on whichever worker made them") {
  from_outside_and_inside([](Pool& pool) {
    Lives lives;
    for (int i = 0; i < 100; ++i) {
      auto [a, b] = pool.join([&] { return Counted(lives, 1); }, [&] { return Counted(lives, 2); });
      CHECK(a.value == 1);
      CHECK(b.value == 2);
      CHECK(lives.alive == 2);
    }
    CHECK(lives.alive == 0);
    {
      auto [a, b, c] = pool.join([&] { return Counted(lives, 1); }, [&] { return Counted(lives, 2); },
                                 [&] { return Counted(lives, 3); });
      CHECK(std::tuple(a.value, b.value, c.value) == std::tuple(1, 2, 3));
      CHECK(lives.alive == 3);
    }
    CHECK(lives.alive == 0);
  });

  Pool pool({.num_threads = 2});
  Lives lives;
  for (int round = 0; round < 20; ++round) {
    std::latch both(2);
    const auto meet = [&] {
      both.arrive_and_wait();
      return Counted(lives, 3);
    };
    auto [a, b] = pool.join(meet, meet);
    CHECK(a.value + b.value == 6);
  }
  CHECK(lives.alive == 0);
}

POOL_TEST_CASE("join: neither copies nor moves callables and calls them once") {
  struct Immovable {
    explicit Immovable(std::atomic<int>& the_calls) : calls(the_calls) {}
    Immovable(const Immovable&) = delete;
    void operator()() { ++calls; }
    std::atomic<int>& calls;
  };
  from_outside_and_inside([](Pool& pool) {
    std::atomic<int> calls{0};
    Immovable a(calls);
    pool.join(a, Immovable(calls));
    CHECK(calls == 2);
    pool.join(a, Immovable(calls), a);
    CHECK(calls == 5);
  });
}

// --- many ---

POOL_TEST_CASE("join: a recursive tree returns the serial result") {
  from_outside_and_inside([](Pool& pool) {
    CHECK(pool.install([] { return fib(is_reference() ? 12 : 20); }) == (is_reference() ? 144 : 6765));
  });
}

POOL_TEST_CASE("join: half a million joins in a row return their results") {
  for_each_size([](Pool& pool) {
    const std::size_t count = repetitions(500'000);
    std::size_t firsts = 0;
    std::size_t seconds = 0;
    pool.install([&] {
      for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = blitz::join([i] { return i; }, [i] { return i + 1; });
        firsts += a;
        seconds += b;
      }
    });
    CHECK(firsts == count * (count - 1) / 2);
    CHECK(seconds == firsts + count);
  });
}

POOL_TEST_CASE("join: many joins in a row from outside return their results") {
  for_each_size([](Pool& pool) {
    const std::size_t count = repetitions(50'000);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto [a, b] = pool.join([] { return std::size_t{1}; }, [] { return std::size_t{2}; });
      sum += a + b;
    }
    CHECK(sum == 3 * count);
  });
}

POOL_TEST_CASE("join: nests deep enough that the queue must grow") {
  struct Chain {
    static int down(int depth) {
      if (depth == 0) return 0;
      const auto [below, one] = blitz::join([depth] { return down(depth - 1); }, [] { return 1; });
      return below + one;
    }
  };
  for_each_size([](Pool& pool) {
    CHECK(pool.install([] { return Chain::down(2000); }) == 2000);
    // The waiting jobs are the lowest of the stack; the deep ones return in order.
    CHECK(pool.install([] { return Chain::down(300); }) == 300);
  });
}

POOL_TEST_CASE("join: both callables run concurrently in a pool of several workers") {
  for (const std::size_t size : {2, 3, 16}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    for (int round = 0; round < 20; ++round) {
      std::latch both(2);
      pool.join([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
    }
  }
}

POOL_TEST_CASE("join: a recursive tree occupies all workers concurrently") {
  struct Meeting {
    std::latch everyone;
    void split(std::size_t workers) {
      if (workers == 1) {
        everyone.arrive_and_wait();
      } else {
        blitz::join([&] { split(workers / 2); }, [&] { split(workers - workers / 2); });
      }
    }
  };
  for_each_size([](Pool& pool) {
    for (int round = 0; round < 10; ++round) {
      Meeting meeting{std::latch(static_cast<std::ptrdiff_t>(pool.num_threads()))};
      pool.install([&] { meeting.split(pool.num_threads()); });
    }
  });
}

POOL_TEST_CASE("join: a waiting worker runs other jobs") {
  Pool pool({.num_threads = 2});
  // The caller waits for a stolen job. The second half of that job can run only on the caller.
  std::latch stolen(1);
  std::size_t caller = 0;
  std::size_t helper = 0;
  pool.join(
      [&] {
        caller = *blitz::current_thread_index();
        stolen.wait();
      },
      [&] {
        stolen.count_down();
        std::latch both(2);
        blitz::join([&] { both.arrive_and_wait(); },
                    [&] {
                      helper = *blitz::current_thread_index();
                      both.arrive_and_wait();
                    });
      });
  CHECK(helper == caller);
}
