/// join: random trees with exceptions, compared with serial execution.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "stress.hpp"
#include "tree.hpp"

namespace blitz_test {
namespace {

TEST_CASE_TEMPLATE("join: a random tree gives the serial result", Pool, blitz::ThreadPool, blitz::AsyncThreadPool) {
  TestWatchdog dog;
  Random random(10);
  // 64: far more threads than processors.
  for (const std::size_t size : {1, 2, 3, 64}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    const Deadline deadline(stress_time() / 4);
    std::uint64_t trees = 0;
    std::uint64_t leaves = 0;
    std::uint64_t threw = 0;
    while (!deadline.passed()) {
      const Shape shape = random_shape(random);
      CAPTURE(shape.root);
      const Outcome serial = serial_tree(shape, shape.root, shape.depth);
      CHECK((tree_on(pool, shape) == serial));
      ++trees;
      leaves += serial.leaves;
      threw += serial.value ? 0U : 1U;
      if (random.one_in(16)) random_gap(random);
      dog.progress();
    }
    MESSAGE(size << " threads, done: " << trees << " trees, " << leaves << " leaves, " << threw << " exceptions");
  }
}

TEST_CASE_TEMPLATE("join: concurrent calls of several outside threads give the serial results", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  Random random(11);
  for (const std::size_t size : {1, 2, 8, 64}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    std::atomic<std::uint64_t> wrong{0};
    std::atomic<std::uint64_t> calls{0};
    const std::uint64_t stream = random.next();
    const Deadline deadline(stress_time() / 4);
    const std::size_t callers = random.one_in(2) ? random.between(1, 8) : random.between(9, 64);
    CAPTURE(callers);
    in_threads(callers, [&](std::size_t thread) {
      Random mine(stream + thread);
      while (!deadline.passed()) {
        const std::uint64_t kind = mine.below(4);
        if (kind < 2) {
          const Shape shape = random_shape(mine);
          if (tree_on(pool, shape) != serial_tree(shape, shape.root, shape.depth)) ++wrong;
        } else if (kind == 2) {
          std::atomic<std::size_t> sum{0};
          const std::size_t count = mine.below(2'000);
          blitz::parallel_for({.pool = &pool}, std::size_t{0}, count,
                              [&](std::size_t i) { sum.fetch_add(i, std::memory_order_relaxed); });
          if (sum != count * (count == 0 ? 0 : count - 1) / 2) ++wrong;
        } else {
          const bool ok = pool.install([&] {
            if (mine.one_in(4)) std::this_thread::yield();
            return pool.current_thread_index().has_value() && blitz::current_num_threads() == size;
          });
          if (!ok || pool.current_thread_index().has_value()) ++wrong;
        }
        if (mine.one_in(8)) random_gap(mine);
        if (mine.one_in(64)) (void)pool.stats();
        ++calls;
        dog.progress();
      }
    });
    CHECK(wrong.load() == 0);
    MESSAGE(size << " threads, done: " << calls.load() << " calls");
  }
}

/// Pools that call one another, and themselves through one another.
template <class Pool>
struct Ring {
  std::array<std::unique_ptr<Pool>, 3> pools;

  std::uint64_t wander(std::uint64_t node, unsigned depth) {
    if (depth == 0) return node;
    Pool& pool = *pools[(node >> 8) % pools.size()];
    const auto go_on = [&](std::uint64_t which) { return wander(child(node, which), depth - 1); };
    switch ((node >> 16) % 4) {
      case 0:
        return pool.install([&] { return go_on(0); });
      case 1: {
        const auto [x, y] = pool.join([&] { return go_on(0); }, [&] { return go_on(1); });
        return combine(x, y);
      }
      case 2: {
        const auto [x, y] = blitz::join([&] { return go_on(0); }, [&] { return go_on(1); });
        return combine(x, y);
      }
      default: {
        std::atomic<std::uint64_t> sum{0};
        blitz::parallel_for({.pool = &pool}, 0, 4, [&](int i) { sum.fetch_add(go_on(static_cast<std::uint64_t>(i))); });
        return sum;
      }
    }
  }

  static std::uint64_t serially(std::uint64_t node, unsigned depth) {
    if (depth == 0) return node;
    const auto go_on = [&](std::uint64_t which) { return serially(child(node, which), depth - 1); };
    switch ((node >> 16) % 4) {
      case 0:
        return go_on(0);
      case 1:
      case 2:
        return combine(go_on(0), go_on(1));
      default:
        return go_on(0) + go_on(1) + go_on(2) + go_on(3);
    }
  }
};

TEST_CASE_TEMPLATE("join: pools that install in one another give the serial results", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  Random random(12);
  const Deadline deadline(stress_time() / 2);
  std::atomic<std::uint64_t> calls{0};
  while (!deadline.passed()) {
    Ring<Pool> ring;
    for (auto& pool : ring.pools) {
      const std::size_t size = random.one_in(8) ? 64 : random.between(1, 3);
      pool = std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = size});
      dog.watch(*pool);
    }
    std::atomic<std::uint64_t> wrong{0};
    const std::uint64_t stream = random.next();
    const Deadline round(std::min<Clock::duration>(std::chrono::milliseconds(300), stress_time()));
    in_threads(random.between(1, 4), [&](std::size_t thread) {
      Random mine(stream + thread);
      while (!round.passed()) {
        const std::uint64_t node = mine.next();
        const auto depth = static_cast<unsigned>(mine.below(6));
        if (ring.wander(node, depth) != Ring<Pool>::serially(node, depth)) ++wrong;
        if (mine.one_in(8)) random_gap(mine);
        ++calls;
        dog.progress();
      }
    });
    CHECK(wrong.load() == 0);
  }
  MESSAGE("done: " << calls.load() << " calls");
}

}  // namespace
}  // namespace blitz_test
