// Calls on every worker: exactly once each, independent of the work of the workers.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "scopes.hpp"
#include "support/asleep.hpp"

using blitz::BroadcastContext;
using blitz::Scope;
using namespace blitz_test;

namespace {

/// The numbers from 0 to `count` - 1.
std::vector<std::size_t> indices(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// How often each worker has been called.
class Calls {
 public:
  explicit Calls(std::size_t workers) : times_(workers) {}
  void count(BroadcastContext context) { ++times_.at(context.index()); }
  [[nodiscard]] bool each(int times) const {
    return std::ranges::all_of(times_, [times](const auto& calls) { return calls == times; });
  }

 private:
  std::vector<std::atomic<int>> times_;
};

}  // namespace

// --- results ---

POOL_TEST_CASE("broadcast: calls each worker once and returns the results by index") {
  from_outside_and_inside([](Pool& pool) {
    const std::size_t workers = pool.num_threads();
    for (int round = 0; round < 10; ++round) {
      const auto result = pool.broadcast([](BroadcastContext context) { return context.index(); });
      static_assert(std::is_same_v<decltype(result), const std::vector<std::size_t>>);
      CHECK(result == indices(workers));
      CHECK(pool.broadcast([&](BroadcastContext) { return *pool.current_thread_index(); }) == indices(workers));
      CHECK(pool.broadcast([](BroadcastContext context) { return context.num_threads(); }) ==
            std::vector<std::size_t>(workers, workers));
      CHECK(pool.install([] { return blitz::broadcast([](BroadcastContext context) { return context.index(); }); }) ==
            indices(workers));
    }
  });
}

POOL_TEST_CASE("broadcast: returns results of every kind") {
  from_outside_and_inside([](Pool& pool) {
    Calls calls(pool.num_threads());
    static_assert(std::is_void_v<decltype(pool.broadcast([&](BroadcastContext context) { calls.count(context); }))>);
    pool.broadcast([&](BroadcastContext context) { calls.count(context); });
    CHECK(calls.each(1));

    const auto unique =
        pool.broadcast([](BroadcastContext context) { return std::make_unique<std::size_t>(context.index()); });
    for (std::size_t i = 0; i < unique.size(); ++i) CHECK(*unique[i] == i);

    const std::vector<bool> odd = pool.broadcast([](BroadcastContext context) { return context.index() % 2 == 1; });
    for (std::size_t i = 0; i < odd.size(); ++i) CHECK(odd[i] == (i % 2 == 1));

    Lives lives;
    {
      const auto counted =
          pool.broadcast([&](BroadcastContext context) { return Counted(lives, static_cast<int>(context.index())); });
      for (std::size_t i = 0; i < counted.size(); ++i) CHECK(counted[i].value == static_cast<int>(i));
      CHECK(lives.alive == static_cast<int>(pool.num_threads()));
    }
    CHECK(lives.alive == 0);
  });
}

POOL_TEST_CASE("broadcast: neither copies nor moves its callable") {
  struct Immovable {
    explicit Immovable(Calls& the_calls) : calls(the_calls) {}
    Immovable(const Immovable&) = delete;
    void operator()(BroadcastContext context) const { calls.count(context); }
    Calls& calls;
  };
  for_each_size([](Pool& pool) {
    Calls calls(pool.num_threads());
    const Immovable f(calls);
    pool.broadcast(f);
    pool.broadcast(Immovable(calls));
    CHECK(calls.each(2));
  });
}

// --- exceptions ---

POOL_TEST_CASE("broadcast: rethrows an exception after all calls have been made") {
  from_outside_and_inside([](Pool& pool) {
    for (std::size_t culprit = 0; culprit < pool.num_threads(); ++culprit) {
      Calls calls(pool.num_threads());
      Lives lives;
      CHECK(what_is_thrown_by([&] {
              static_cast<void>(pool.broadcast([&](BroadcastContext context) {
                calls.count(context);
                if (context.index() == culprit) throw Failure(std::to_string(culprit));
                return Counted(lives, 1);
              }));
            }) == std::to_string(culprit));
      CHECK(calls.each(1));
      CHECK(lives.alive == 0);
    }
  });
}

POOL_TEST_CASE("broadcast: rethrows the exception of the lowest index") {
  from_outside_and_inside([](Pool& pool) {
    for (std::size_t first = 0; first < pool.num_threads(); ++first) {
      Calls calls(pool.num_threads());
      CHECK(what_is_thrown_by([&] {
              pool.broadcast([&](BroadcastContext context) {
                calls.count(context);
                if (context.index() >= first) throw Failure(std::to_string(context.index()));
              });
            }) == std::to_string(first));
      CHECK(calls.each(1));
    }
  });
}

POOL_TEST_CASE("broadcast: throws after shutdown") {
  for_each_size([](Pool& pool) {
    pool.shutdown();
    CHECK_THROWS_AS(pool.broadcast([](BroadcastContext) {}), blitz::ThreadPoolError);
  });
}

// --- busy and idle workers ---

POOL_TEST_CASE("broadcast: all calls may run concurrently") {
  from_outside_and_inside([](Pool& pool) {
    for (int round = 0; round < 5; ++round) {
      std::latch everyone(static_cast<std::ptrdiff_t>(pool.num_threads()));
      pool.broadcast([&](BroadcastContext) { everyone.arrive_and_wait(); });
    }
  });
}

POOL_TEST_CASE("broadcast: a nested broadcast calls each worker from each worker") {
  from_outside_and_inside([](Pool& pool) {
    const auto workers = static_cast<int>(pool.num_threads());
    Calls calls(pool.num_threads());
    for (int round = 1; round <= 3; ++round) {
      pool.broadcast(
          [&](BroadcastContext) { blitz::broadcast([&](BroadcastContext context) { calls.count(context); }); });
      CHECK(calls.each(round * workers));
    }
  });
}

POOL_TEST_CASE("broadcast: two pools may broadcast to each other") {
  Pool a({.num_threads = 3});
  Pool b({.num_threads = 7});
  RandomGap gap(1);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> count{0};
    a.install([&] { b.broadcast([&](BroadcastContext) { a.broadcast([&](BroadcastContext) { ++count; }); }); });
    CHECK(count == 21);
    // Concurrently, in both directions.
    std::thread other([&] { b.broadcast([&](BroadcastContext) { a.broadcast([&](BroadcastContext) { ++count; }); }); });
    gap(std::chrono::microseconds(100));
    a.broadcast([&](BroadcastContext) { b.broadcast([&](BroadcastContext) { ++count; }); });
    other.join();
    CHECK(count == 63);
  }
}

POOL_TEST_CASE("broadcast: a caller on another pool's worker runs jobs of that pool while it waits") {
  Pool other({.num_threads = 1});
  for_each_size([&](Pool& pool) {
    other.install([&] {
      std::latch done(1);
      other.spawn([&] { done.count_down(); });  // Only this worker can run it.
      pool.broadcast([&](BroadcastContext) { done.wait(); });
    });
  });
}

POOL_TEST_CASE("broadcast: wakes all workers") {
  for_each_size([](Pool& pool) {
    Calls calls(pool.num_threads());
    for (int round = 1; round <= 20; ++round) {
      wait_until_all_sleep(pool);
      pool.broadcast([&](BroadcastContext context) { calls.count(context); });
      CHECK(calls.each(round));
    }
  });
}

POOL_TEST_CASE("broadcast: calls each worker once while workers fall asleep and wake") {
  for_each_size([](Pool& pool) {
    RandomGap gap(1);
    const int rounds = 1000 / static_cast<int>(pool.num_threads());
    Calls calls(pool.num_threads());
    for (int round = 1; round <= rounds; ++round) {
      // The search before sleep takes some tens or some hundreds of microseconds.
      gap(std::chrono::microseconds(round % 2 == 0 ? 60 : 400));
      pool.broadcast([&](BroadcastContext context) { calls.count(context); });
    }
    CHECK(calls.each(rounds));
    for (int round = 1; round <= rounds; ++round) {
      gap(std::chrono::microseconds(60));
      pool.install([&] {
        blitz::spawn([] {});
        blitz::broadcast([&](BroadcastContext context) { calls.count(context); });
      });
    }
    CHECK(calls.each(2 * rounds));
  });
}

POOL_TEST_CASE("broadcast: calls a busy worker after its job and the others before") {
  for (const std::size_t size : {2, 16}) {
    Pool pool({.num_threads = size});
    for (int round = 0; round < 10; ++round) {
      std::latch busy(1);
      std::latch others_called(static_cast<std::ptrdiff_t>(size) - 1);
      std::atomic<bool> job_ended{false};
      std::atomic<std::size_t> busy_index{size};
      pool.spawn([&] {
        busy_index = *pool.current_thread_index();
        busy.count_down();
        others_called.wait();
        job_ended = true;
      });
      busy.wait();
      const auto ended_before = pool.broadcast([&](BroadcastContext context) {
        if (context.index() != busy_index) others_called.count_down();
        return context.index() != busy_index || job_ended;
      });
      CHECK(std::ranges::all_of(ended_before, [](bool b) { return b; }));
    }
  }
}

POOL_TEST_CASE("broadcast: calls once the slot that an outside caller has borrowed") {
  for_each_size([](Pool& pool) {
    for (const bool waits : {false, true}) {
      Calls calls(pool.num_threads());
      std::latch inside(1);
      std::latch others_called(static_cast<std::ptrdiff_t>(pool.num_threads()) - 1);
      std::atomic<std::size_t> index{0};
      std::thread borrower([&] {
        pool.install([&] {
          index = *pool.current_thread_index();
          inside.count_down();
          others_called.wait();
          if (!waits) return;
          // The worker waits for the broadcast itself, which another worker runs.
          blitz::broadcast([&](BroadcastContext context) { calls.count(context); });
        });
      });
      inside.wait();
      pool.broadcast([&](BroadcastContext context) {
        calls.count(context);
        if (context.index() != index) others_called.count_down();
      });
      borrower.join();
      CHECK(calls.each(waits ? 2 : 1));
    }
  });
}

POOL_TEST_CASE("broadcast: calls each worker once while outside callers come and go") {
  for_each_size([](Pool& pool) {
    std::atomic<bool> over{false};
    std::vector<std::thread> callers;
    for (unsigned t = 0; t < 2; ++t) {
      callers.emplace_back([&, gap = RandomGap(t + 1)]() mutable {
        while (!over) {
          pool.join([] {}, [] {});
          gap(std::chrono::microseconds(30));
        }
      });
    }
    const int rounds = 400 / static_cast<int>(pool.num_threads());
    Calls calls(pool.num_threads());
    for (int round = 0; round < rounds; ++round) {
      pool.broadcast([&](BroadcastContext context) { calls.count(context); });
    }
    over = true;
    for (std::thread& caller : callers) caller.join();
    CHECK(calls.each(rounds));
  });
}

POOL_TEST_CASE("broadcast: calls a worker that waits and one that waits inside isolate") {
  Pool pool({.num_threads = 2});
  for (const bool isolated : {false, true}) {
    for (int round = 0; round < 20; ++round) {
      Calls calls(2);
      const auto wait_for_a_broadcast = [&] {
        std::latch begun(1);
        blitz::join([&] { begun.wait(); },
                    [&] {
                      begun.count_down();
                      blitz::broadcast([&](BroadcastContext context) { calls.count(context); });
                    });
      };
      pool.install([&] { isolated ? blitz::isolate(wait_for_a_broadcast) : wait_for_a_broadcast(); });
      CHECK(calls.each(1));
    }
  }
}

// --- spawned ---

POOL_TEST_CASE("spawn_broadcast: calls each worker once before the pool ends") {
  for (const std::size_t size : kPoolSizes) {
    Calls calls(size);
    Lives lives;
    std::atomic<int> counted{0};
    {
      Pool pool({.num_threads = size});
      const auto right = [&](BroadcastContext context) {
        if (pool.current_thread_index() == context.index() && context.num_threads() == size) calls.count(context);
      };
      pool.spawn_broadcast(right);
      pool.install([&] { blitz::spawn_broadcast(right); });
      pool.spawn([&] { blitz::spawn_broadcast(right); });
      pool.spawn_broadcast([&, right](BroadcastContext context) {
        right(context);
        blitz::spawn_broadcast(right);
      });
      pool.spawn_broadcast(CountedCall<1000, 256>(lives, counted));
      pool.install([&] { blitz::spawn_broadcast(CountedCall<>(lives, counted)); });
    }
    CHECK(calls.each(4 + static_cast<int>(size)));
    CHECK(counted == 2 * static_cast<int>(size));
    CHECK(lives.alive == 0);
  }
}

POOL_TEST_CASE("spawn_broadcast: the scope waits for it and rethrows its exception") {
  for_each_scope([](Pool& pool, const OpenScope& open) {
    const std::size_t workers = pool.num_threads();
    Calls calls(workers);
    Lives lives;
    std::atomic<int> counted{0};
    open([&](Scope& scope) {
      scope.spawn_broadcast([&](BroadcastContext context) {
        if (pool.current_thread_index() == context.index() && context.num_threads() == workers) calls.count(context);
      });
      scope.spawn_broadcast([&](Scope& same, BroadcastContext context) {
        calls.count(context);
        same.spawn_broadcast([&](BroadcastContext nested) { calls.count(nested); });
      });
      scope.spawn([&](Scope& same) { same.spawn_broadcast(CountedCall<1000>(lives, counted)); });
    });
    CHECK(calls.each(2 + static_cast<int>(workers)));
    CHECK(counted == static_cast<int>(workers));
    CHECK(lives.alive == 0);

    CHECK(what_is_thrown_by([&] {
            open([&](Scope& scope) {
              scope.spawn_broadcast([&](BroadcastContext context) {
                calls.count(context);
                if (context.index() == workers - 1) throw Failure("last");
              });
            });
          }) == "last");
    CHECK(calls.each(3 + static_cast<int>(workers)));
  });
}
