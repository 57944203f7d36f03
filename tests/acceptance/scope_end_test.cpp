// Early ends of scopes: exceptions, and requests to stop.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <latch>
#include <stop_token>
#include <string>
#include <thread>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "scopes.hpp"
#include "support/in_pool.hpp"

using blitz::Scope;
using namespace blitz_test;

namespace {

constexpr int kSpawns = 50;

/// Spawns jobs that count.
void spawn_many(Scope& scope, std::atomic<int>& count) {
  for (int i = 0; i < kSpawns; ++i) scope.spawn([&count] { ++count; });
}

}  // namespace

// --- exceptions ---

POOL_TEST_CASE("scope: rethrows an exception of its body after all jobs have run") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> count{0};
    CHECK_THROWS_WITH_AS(open([&](Scope& scope) {
                           spawn_many(scope, count);
                           throw Failure("body");
                         }),
                         "body", Failure);
    CHECK(count == kSpawns);
  });
}

POOL_TEST_CASE("scope: rethrows an exception of a job after all others have run") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> count{0};
    bool body_ended = false;
    CHECK_THROWS_WITH_AS(open([&](Scope& scope) {
                           spawn_many(scope, count);
                           scope.spawn([] { throw Failure("job"); });
                           spawn_many(scope, count);
                           body_ended = true;
                         }),
                         "job", Failure);
    CHECK(body_ended);
    CHECK(count == 2 * kSpawns);
    CHECK_THROWS_WITH_AS(open([&](Scope& scope) {
                           spawn_many(scope, count);
                           scope.spawn_fifo([] { throw Failure("fifo"); });
                           spawn_many(scope, count);
                         }),
                         "fifo", Failure);
    CHECK(count == 4 * kSpawns);
  });
}

POOL_TEST_CASE("scope: rethrows an exception of a nested job after all others have run") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> count{0};
    CHECK_THROWS_WITH_AS(open([&](Scope& scope) {
                           spawn_many(scope, count);
                           scope.spawn([&](Scope& same) {
                             spawn_many(same, count);
                             same.spawn([&](Scope& still) {
                               spawn_many(still, count);
                               throw Failure("nested");
                             });
                             spawn_many(same, count);
                           });
                         }),
                         "nested", Failure);
    CHECK(count == 4 * kSpawns);
  });
}

POOL_TEST_CASE("scope: rethrows one exception if all jobs throw and a new scope works") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> count{0};
    CHECK_THROWS_AS(open([&](Scope& scope) {
                      for (int i = 0; i < kSpawns; ++i) {
                        scope.spawn([&] {
                          ++count;
                          throw Failure("job");
                        });
                      }
                      throw Failure("body");
                    }),
                    Failure);
    CHECK(count == kSpawns);
    open([&](Scope& scope) { spawn_many(scope, count); });
    CHECK(count == 2 * kSpawns);
  });
}

POOL_TEST_CASE("scope: rethrows the first exception") {
  for_each_size([](Pool& pool) {
    with_others_busy(pool, [&] {
      with_each_kind_of_scope(pool, [](Pool&, const OpenScope& open) {
        CHECK(what_is_thrown_by([&] {
                open([](Scope& scope) {
                  scope.spawn([] { throw Failure("job"); });
                  throw Failure("body");
                });
              }) == "body");
        CHECK(what_is_thrown_by([&] {
                open([](Scope& scope) {
                  scope.spawn([] { throw Failure("job"); });
                  CHECK(blitz::yield_local() == blitz::Yield::kExecuted);
                  throw Failure("body");
                });
              }) == "job");
        CHECK(what_is_thrown_by([&] {
                open([](Scope& scope) {
                  scope.spawn([](Scope& same) {
                    same.spawn([] { throw Failure("second"); });
                    throw Failure("first");
                  });
                });
              }) == "first");
      });
    });
  });
}

POOL_TEST_CASE("scope: rethrows an exception after running jobs have ended") {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    bool finished = false;
    const OpenScope::Body body = [&](Scope& scope) {
      std::latch begun(1);
      scope.spawn([&] {
        begun.count_down();
        for (int i = 0; i < 100; ++i) std::this_thread::yield();
        finished = true;
      });
      begun.wait();
      throw Failure("body");
    };
    CHECK_THROWS_AS(pool.scope(body), Failure);
    CHECK(finished);
    finished = false;
    CHECK_THROWS_AS(pool.in_place_scope(body), Failure);
    CHECK(finished);
  }
}

POOL_TEST_CASE("scope: destroys the result of its body if a job throws") {
  from_outside_and_inside([](Pool& pool) {
    Lives lives;
    const auto body = [&](Scope& scope) {
      scope.spawn([life = Counted(lives, 1)] { throw Failure("job"); });
      return Counted(lives, 2);
    };
    CHECK_THROWS_AS(static_cast<void>(pool.scope(body)), Failure);
    CHECK_THROWS_AS(static_cast<void>(pool.in_place_scope(body)), Failure);
    CHECK(lives.made > 0);
    CHECK(lives.alive == 0);
  });
}

POOL_TEST_CASE("scope: an inner scope rethrows in its caller and then in the outer scope") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::atomic<int> caught{0};
    const auto fail = [](Scope& scope) { scope.spawn([] { throw Failure("inner"); }); };
    open([&](Scope& scope) {
      for (int i = 0; i < kSpawns; ++i) {
        scope.spawn([&] { caught += static_cast<int>(what_is_thrown_by([&] { blitz::scope(fail); }) == "inner"); });
      }
    });
    CHECK(caught == kSpawns);
    CHECK(what_is_thrown_by([&] { open([&](Scope& scope) { scope.spawn([&] { blitz::scope(fail); }); }); }) == "inner");
  });
}

POOL_TEST_CASE("scope: destroys the closures of jobs that throw once") {
  for_each_scope([](Pool&, const OpenScope& open) {
    Lives lives;
    CHECK_THROWS_AS(open([&](Scope& scope) {
                      for (int i = 0; i < kSpawns; ++i) {
                        scope.spawn([life = Counted(lives, i)] { throw Failure("job"); });
                        scope.spawn_fifo([life = Counted(lives, i)] { throw Failure("job"); });
                      }
                    }),
                    Failure);
    CHECK(lives.made >= 2 * kSpawns);
    CHECK(lives.alive == 0);
  });
}

// --- stopping ---

namespace {

/// With all workers busy: stops the scope by `stop`, and checks that none of its jobs begins.
void check_nothing_begins(Pool& pool, const blitz::ScopeOptions& options, const std::function<void(Scope&)>& stop) {
  Lives lives;
  std::atomic<int> begun{0};
  const auto spawn_some = [&](Scope& scope) {
    for (int i = 0; i < kSpawns; ++i) {
      scope.spawn(CountedCall<>(lives, begun));
      scope.spawn_fifo(CountedCall<1000>(lives, begun));
    }
    scope.spawn_broadcast(CountedCall<>(lives, begun));
  };
  const auto others = static_cast<std::ptrdiff_t>(pool.num_threads()) - 1;
  std::latch busy(others);
  std::latch let_go(1);
  blitz::scope(in(pool, options), [&](Scope& scope) {
    for (std::ptrdiff_t i = 0; i < others; ++i) {
      scope.spawn([&](Scope& same) {
        busy.count_down();
        let_go.wait();
        spawn_some(same);  // Runs to its end; its spawned jobs do not begin.
      });
    }
    busy.wait();
    spawn_some(scope);
    CHECK_FALSE(scope.stop_requested());
    stop(scope);
    CHECK(scope.stop_requested());
    spawn_some(scope);
    let_go.count_down();
  });
  CHECK(begun == 0);
  CHECK(lives.made >= 2 * kSpawns);
  CHECK(lives.alive == 0);
}

}  // namespace

POOL_TEST_CASE("scope: no job begins after request_stop and the closures are destroyed") {
  from_outside_and_inside([](Pool& pool) {
    check_nothing_begins(pool, {}, [](Scope& scope) { scope.request_stop(); });
    check_nothing_begins(pool, {}, [](Scope& scope) {
      scope.request_stop();
      scope.request_stop();
    });
    std::stop_source source;
    check_nothing_begins(pool, {.stop = source.get_token()}, [&](Scope&) { source.request_stop(); });
    std::stop_source unused;
    check_nothing_begins(pool, {.stop = unused.get_token()}, [](Scope& scope) { scope.request_stop(); });
    CHECK_FALSE(unused.stop_requested());
  });
}

POOL_TEST_CASE("scope: returns the result of its body after a job requests a stop") {
  for_each_scope([](Pool&, const OpenScope& open) {
    Lives lives;
    std::atomic<int> calls{0};
    bool went_on = false;
    open([&](Scope& scope) {
      std::latch stopped(1);
      scope.spawn([&](Scope& same) {
        same.request_stop();
        went_on = same.stop_requested();
        same.spawn(CountedCall<>(lives, calls));
        stopped.count_down();
      });
      if (blitz::current_num_threads() == 1) blitz::yield_local();
      stopped.wait();
      for (int i = 0; i < kSpawns; ++i) scope.spawn(CountedCall<>(lives, calls));
    });
    CHECK(went_on);
    CHECK(calls == 0);
    CHECK(lives.made > kSpawns);
    CHECK(lives.alive == 0);
  });
  Pool pool({.num_threads = 2});
  CHECK(pool.scope([](Scope& scope) {
    scope.request_stop();
    return 1;
  }) == 1);
}

POOL_TEST_CASE("scope: a scope stopped before it begins runs its body and no jobs") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::stop_source source;
    source.request_stop();
    std::atomic<int> count{0};
    bool called = false;
    open(
        [&](Scope& scope) {
          called = scope.stop_requested() && scope.stop_token().stop_requested();
          spawn_many(scope, count);
        },
        {.stop = source.get_token()});
    CHECK(called);
    CHECK(count == 0);
  });
}

POOL_TEST_CASE("scope: its stop tokens report a stop and call callbacks") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::stop_source source;
    std::stop_token left;
    open(
        [&](Scope& scope) {
          const std::stop_token early = scope.stop_token();
          CHECK(early.stop_possible());
          CHECK_FALSE(early.stop_requested());
          int calls = 0;
          const std::stop_callback callback(early, [&] {
            ++calls;
            CHECK(scope.stop_requested());
            CHECK(scope.stop_token().stop_requested());  // It may call back.
          });
          source.request_stop();
          CHECK(calls == 1);
          CHECK(early.stop_requested());
          CHECK(scope.stop_token() == early);
          left = early;
        },
        {.stop = source.get_token()});
    CHECK(left.stop_requested());

    open([&](Scope& scope) { left = scope.stop_token(); });
    CHECK_FALSE(left.stop_requested());  // The end of a scope is not a stop request.
  });
}

POOL_TEST_CASE("scope: rethrows an exception of a job after a stop request") {
  for_each_scope([](Pool&, const OpenScope& open) {
    CHECK_THROWS_AS(open([](Scope& scope) {
                      scope.spawn([](Scope& same) {
                        same.request_stop();
                        throw Failure("job");
                      });
                    }),
                    Failure);
  });
}

POOL_TEST_CASE("scope: a stop request of another thread ends a job that polls its token") {
  for_each_scope([](Pool&, const OpenScope& open) {
    std::stop_source source;
    std::latch running(1);
    std::thread stopper([&] {
      running.wait();
      source.request_stop();
    });
    open(
        [&](Scope& scope) {
          scope.spawn([&](Scope& same) {
            running.count_down();
            const std::stop_token token = same.stop_token();
            while (!token.stop_requested()) std::this_thread::yield();
          });
        },
        {.stop = source.get_token()});
    stopper.join();
    CHECK(source.stop_requested());
  });
}

POOL_TEST_CASE("scope: may be stopped at any moment and after its end") {
  for_each_size([](Pool& pool) {
    RandomGap gap(1);
    for (int round = 0; round < 100; ++round) {
      Lives lives;
      std::atomic<int> calls{0};
      std::stop_source source;
      std::latch begun(1);
      std::thread stopper([&, other_gap = RandomGap(static_cast<unsigned>(round) + 2)]() mutable {
        begun.wait();
        other_gap(std::chrono::microseconds(200));
        source.request_stop();
      });
      begun.count_down();
      gap(std::chrono::microseconds(100));
      blitz::scope({.stop = source.get_token(), .pool = &pool}, [&](Scope& scope) {
        for (int i = 0; i < kSpawns; ++i) scope.spawn(CountedCall<>(lives, calls));
      });
      CHECK(lives.alive == 0);
      CHECK(calls <= kSpawns);
      stopper.join();
    }
  });
}
