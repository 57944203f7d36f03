/// Pools are constructed and destroyed: idle, immediately, and right after use by threads inside and outside.
///
/// BLITZ_STRESS_POOLS: the minimum number of pools, however long they take. Without it, the time limit decides.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "stress.hpp"
#include "tree.hpp"

namespace blitz_test {
namespace {

std::size_t random_size(Random& random) {
  if (random.one_in(100)) return 64;
  return random.one_in(8) ? random.between(5, 16) : random.between(1, 4);
}

TEST_CASE_TEMPLATE("pools: all threads of a pool end with it after any use", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  Random random(30);
  const std::uint64_t at_least = number_from_environment("BLITZ_STRESS_POOLS", 1);
  const Deadline deadline;
  const std::size_t threads_before = count_threads();
  std::uint64_t pools = 0;
  std::uint64_t all_threads = 0;
  for (; pools < at_least || !deadline.passed(); ++pools) {
    const std::size_t size = random_size(random);
    CAPTURE(size);
    const bool hooks = random.one_in(3);
    std::atomic<std::size_t> begun{0};
    std::atomic<std::size_t> ended{0};
    blitz::ThreadPoolOptions options{.num_threads = size};
    if (hooks) {
      options.on_thread_start = [&](std::size_t) { ++begun; };
      options.on_thread_exit = [&](std::size_t) { ++ended; };
    }
    {
      std::optional<Pool> pool(std::in_place, options);
      dog.watch(*pool);
      switch (random.below(6)) {
        case 0:
          break;  // The pool is destroyed, perhaps before its threads have started.
        case 1:
          random_gap(random);
          break;
        case 2: {
          const Shape shape = random_shape(random);
          CHECK((tree_on(*pool, shape) == serial_tree(shape, shape.root, shape.depth)));
          break;
        }
        case 3: {
          // The last jobs of several threads, some of them injected, end just before the pool is destroyed.
          std::atomic<std::size_t> sum{0};
          in_threads(random.between(2, 4), [&](std::size_t) {
            pool->install([&] { sum += 1; });
            blitz::parallel_for({.pool = &*pool}, 0, 16, [&](int) { sum += 1; });
          });
          CHECK(sum.load() % 17 == 0);
          break;
        }
        case 4: {
          // Workers are falling asleep: the delay is about as long as falling asleep takes.
          std::atomic<std::size_t> sum{0};
          blitz::parallel_for({.schedule = blitz::Schedule::kFixed, .pool = &*pool}, 0, 64, [&](int) { sum += 1; });
          CHECK(sum.load() == 64);
          spin_for(std::chrono::nanoseconds(random.below(60'000)));
          break;
        }
        default: {
          pool->shutdown();
          CHECK_THROWS_AS(pool->install([] {}), blitz::ThreadPoolError);
          pool->shutdown();
        }
      }
      if (hooks) CHECK(begun.load() == size);
    }
    if (hooks) CHECK(ended.load() == size);
    all_threads += size;
    dog.progress();
  }
  if (threads_before > 0) CHECK(threads_come_down_to(threads_before));
  MESSAGE("done: " << pools << " pools, " << all_threads << " threads");
}

TEST_CASE_TEMPLATE("pools: a pool may end while threads of another wake its workers", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  // A worker of `inner` sleeps until a job in `outer` is done. Another wake-up arrives just then, the worker sees that the job
  // is done, and its pool is destroyed, while the worker of `outer` that ran the job is still about to wake it.
  TestWatchdog dog;
  Random random(31);
  Pool outer({.num_threads = 2});
  dog.watch(outer);
  const Deadline deadline(stress_time() / 2);
  const std::uint64_t stream = random.next();
  std::atomic<std::uint64_t> pools{0};
  in_threads(3, [&](std::size_t thread) {
    Random mine(stream + thread);
    for (; !deadline.passed(); ++pools) {
      Pool inner({.num_threads = mine.one_in(100) ? 64 : mine.between(1, 3)});
      dog.watch(inner);
      std::atomic<bool> done{false};
      std::jthread other([&] {
        auto& idle = blitz_test::registry_of(inner).idle();
        for (std::size_t slot = 0; !done; slot = (slot + 1) % inner.num_threads()) idle.try_wake(slot);
      });
      inner.install([&] {
        for (std::uint64_t rounds = mine.between(1, 3); rounds > 0; --rounds) {
          const int answer = outer.install([&] {
            // Sometimes long enough for the worker of `inner` to fall asleep.
            spin_for(std::chrono::microseconds(mine.below(100)));
            return 42;
          });
          if (answer != 42) std::abort();
        }
      });
      done = true;
      other.join();
      dog.progress();
    }
  });
  MESSAGE("done: " << pools.load() << " pools");
}

}  // namespace
}  // namespace blitz_test
