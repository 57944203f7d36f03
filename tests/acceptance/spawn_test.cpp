// Detached jobs, and large numbers of jobs: all are run, on the right workers, with limited stack and memory.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <latch>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "scopes.hpp"
#include "support/memory_in_use.hpp"

using blitz::Scope;
using namespace blitz_test;

namespace {

/// Spawns a binary tree of detached jobs; each counts itself.
void grow(int depth, std::atomic<int>& count) {
  ++count;
  if (depth == 0) return;
  blitz::spawn([depth, &count] { grow(depth - 1, count); });
  blitz::spawn_fifo([depth, &count] { grow(depth - 1, count); });
}

/// The exceptions passed to exception_handler.
class Handled {
 public:
  blitz::ThreadPoolOptions options(std::size_t num_threads) {
    return {.num_threads = num_threads, .exception_handler = [this](std::exception_ptr error) {
              // Called while that exception is being handled.
              if (error != std::current_exception()) return;
              const std::lock_guard lock(mutex_);
              messages_.insert(what_is_thrown_by([&] { std::rethrow_exception(error); }));
            }};
  }
  /// To be called after the pool's destruction.
  [[nodiscard]] const std::multiset<std::string>& messages() const { return messages_; }

 private:
  std::mutex mutex_;
  std::multiset<std::string> messages_;
};

/// The greatest distance of a job's stack frame from the frame of the first job of the chain on the same thread.
class StackGauge {
 public:
  explicit StackGauge(std::uint64_t chain) : chain_(chain) {}
  void measure() {
    thread_local std::uint64_t chain_here = 0;
    thread_local std::uintptr_t first = 0;
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (chain_here != chain_) {
      chain_here = chain_;
      first = here;
    }
    const std::uintptr_t distance = here > first ? here - first : first - here;
    std::uintptr_t seen = growth_.load(std::memory_order_relaxed);
    while (seen < distance && !growth_.compare_exchange_weak(seen, distance, std::memory_order_relaxed)) {
    }
  }
  [[nodiscard]] std::uintptr_t growth() const { return growth_; }

 private:
  const std::uint64_t chain_;
  std::atomic<std::uintptr_t> growth_{0};
};

/// A new number for a chain in this process, for StackGauge.
std::uint64_t next_chain() {
  static std::uint64_t last = 0;
  return ++last;
}

/// The number of jobs of a mass test: a tenth if each memory access is checked.
std::size_t mass(std::size_t count) {
#if defined(BLITZ_ADDRESS_SANITIZER) || defined(BLITZ_THREAD_SANITIZER)
  count /= 10;
#endif
  return repetitions(count);
}

/// A worker's frames from its own loop, or from a scope's wait, to a job: a few hundred bytes each. Some kilobytes if the chain
/// moves from one loop to another.
constexpr std::uintptr_t kSomeFrames = 0x4000;

}  // namespace

// --- that they run, and where ---

POOL_TEST_CASE("spawn: the end of the pool waits for all jobs and for jobs that they spawn") {
  for (const std::size_t size : kPoolSizes) {
    std::atomic<int> count{0};
    {
      Pool pool({.num_threads = size});
      pool.spawn([&] { grow(7, count); });
      pool.install([&] { grow(7, count); });
    }
    CHECK(count == 510);
    count = 0;
    {
      Pool pool({.num_threads = size});
      pool.spawn([&] { grow(7, count); });
      pool.shutdown();
      CHECK(count == 255);
    }
  }
}

POOL_TEST_CASE("spawn: a pool that ends immediately runs its jobs") {
  for (const std::size_t size : kPoolSizes) {
    for (int round = 0; round < 30; ++round) {
      std::atomic<int> count{0};
      {
        Pool pool({.num_threads = size});
        pool.spawn([&] { grow(3, count); });
        if (round % 2 == 0) pool.spawn_fifo([&] { grow(0, count); });
      }
      CHECK(count == 15 + (round % 2 == 0));
    }
  }
}

POOL_TEST_CASE("spawn: a job runs on a worker without a waiting thread") {
  for_each_size([](Pool& pool) {
    for (int round = 0; round < 20; ++round) {
      std::latch done(4);
      std::atomic<int> in_pool{0};
      const auto job = [&] {
        in_pool += static_cast<int>(pool.current_thread_index().has_value());
        done.count_down();
      };
      pool.spawn(job);
      pool.spawn_fifo(job);
      pool.install([&] {
        blitz::spawn(job);
        blitz::spawn_fifo(job);
      });
      done.wait();
      CHECK(in_pool == 4);
    }
  });
}

POOL_TEST_CASE("spawn: returns before the job runs even on a worker") {
  for_each_size([](Pool& pool) {
    with_others_busy(pool, [&] {
      int calls = 0;
      blitz::spawn([&] { ++calls; });
      pool.spawn([&] { ++calls; });
      pool.spawn_fifo([&] { ++calls; });
      CHECK(calls == 0);
      while (blitz::yield_local() == blitz::Yield::kExecuted) {
      }
      CHECK(calls == 3);
    });
  });
}

POOL_TEST_CASE("spawn: a worker of another pool spawns into the named pool") {
  Pool other({.num_threads = 1});
  for (const std::size_t size : kPoolSizes) {
    std::atomic<int> here{0};
    {
      Pool pool({.num_threads = size});
      other.install([&] {
        const auto job = [&] { here += static_cast<int>(pool.current_thread_index().has_value()); };
        pool.spawn(job);
        pool.spawn_fifo(job);
      });
    }
    CHECK(here == 2);
  }
}

TEST_CASE("spawn: uses the global pool outside every pool") {
  std::latch done(2);
  std::atomic<int> here{0};
  const auto job = [&] {
    here += static_cast<int>(blitz::global_pool().current_thread_index().has_value());
    done.count_down();
  };
  blitz::spawn(job);
  blitz::spawn_fifo(job);
  done.wait();
  CHECK(here == 2);
}

POOL_TEST_CASE("spawn: throws after shutdown and destroys the closure uncalled") {
  for_each_size([](Pool& pool) {
    pool.shutdown();
    Lives lives;
    std::atomic<int> calls{0};
    CHECK_THROWS_AS(pool.spawn(CountedCall<>(lives, calls)), blitz::ThreadPoolError);
    CHECK_THROWS_AS(pool.spawn_fifo(CountedCall<>(lives, calls)), blitz::ThreadPoolError);
    CHECK_THROWS_AS(pool.spawn_broadcast(CountedCall<>(lives, calls)), blitz::ThreadPoolError);
    CHECK_THROWS_AS(pool.in_place_scope([](Scope&) {}), blitz::ThreadPoolError);
    CHECK(calls == 0);
    CHECK(lives.alive == 0);
  });
}

POOL_TEST_CASE("spawn: effects before the spawn happen before the job") {
  for (const std::size_t size : kPoolSizes) {
    int value = 0;  // Not atomic: each job hands it to the next.
    {
      Pool pool({.num_threads = size});
      struct Next {
        static void run(int& value) {
          const int now = ++value;
          if (now == 500) return;
          if (now % 2 == 0) {
            blitz::spawn([&value] { run(value); });
          } else {
            blitz::spawn_fifo([&value] { run(value); });
          }
        }
      };
      pool.spawn([&] { Next::run(value); });
    }
    CHECK(value == 500);
  }
}

// --- exceptions ---

POOL_TEST_CASE("spawn: passes exceptions to the handler and runs all other jobs") {
  for (const std::size_t size : kPoolSizes) {
    Handled handled;
    std::atomic<int> others{0};
    {
      Pool pool(handled.options(size));
      const auto spawn_all = [&] {
        pool.spawn([&] { ++others; });
        pool.spawn([] { throw Failure("spawn"); });
        pool.spawn_fifo([] { throw Failure("fifo"); });
        pool.spawn_fifo([&] { ++others; });
        pool.spawn_broadcast([](blitz::BroadcastContext context) {
          if (context.index() == 0) throw Failure("broadcast");
        });
      };
      spawn_all();
      pool.install(spawn_all);
      pool.install([&] { blitz::spawn([] { blitz::spawn([] { throw Failure("nested"); }); }); });
    }
    CHECK(others == 4);
    CHECK(handled.messages() ==
          std::multiset<std::string>{"broadcast", "broadcast", "fifo", "fifo", "nested", "spawn", "spawn"});
  }
}

// --- lives ---

POOL_TEST_CASE("spawn: calls and destroys closures once before the end of the pool") {
  for (const std::size_t size : kPoolSizes) {
    Lives lives;
    std::atomic<int> calls{0};
    Handled handled;
    with_each_kind_of_closure(lives, calls, [&](auto&& make) {
      calls = 0;
      {
        Pool pool(handled.options(size));
        const auto spawn_some = [&] {
          for (int i = 0; i < 20; ++i) {
            pool.spawn(make());
            pool.spawn_fifo(make());
          }
        };
        spawn_some();
        pool.install(spawn_some);
        pool.spawn([call = make()] { throw Failure("a closure is destroyed all the same"); });
      }
      CHECK(calls == 80);
      CHECK(lives.alive == 0);
    });
    CHECK(handled.messages().size() == 5);
  }
}

POOL_TEST_CASE("spawn: rethrows an exception of a closure's copy and spawns nothing") {
  std::atomic<int> calls{0};
  const Fragile fragile(calls);
  from_outside_and_inside([&](Pool& pool) {
    CHECK_THROWS_AS(pool.spawn(fragile), Failure);
    CHECK_THROWS_AS(pool.spawn_fifo(fragile), Failure);
    CHECK_THROWS_AS(pool.spawn_broadcast(fragile), Failure);
    CHECK_THROWS_AS(static_cast<void>(pool.async(fragile)), Failure);
  });
  CHECK(calls == 0);
}

// --- masses ---

POOL_TEST_CASE("spawn: a chain of a million jobs does not grow the stack") {
  for (const std::size_t size : kPoolSizes) {
    CAPTURE(size);
    const std::size_t length = mass(1'000'000);
    StackGauge gauge(next_chain());
    std::size_t links = 0;  // Not atomic: one runs at a time.
    struct Link {
      StackGauge& gauge;
      std::size_t& links;
      std::size_t length;
      void operator()(Scope& scope) const {
        gauge.measure();
        if (++links == length) return;
        links % 2 == 0 ? scope.spawn(*this) : scope.spawn_fifo(*this);
      }
      void operator()() const {
        gauge.measure();
        if (++links == length) return;
        links % 2 == 0 ? blitz::spawn(*this) : blitz::spawn_fifo(*this);
      }
    };
    {
      Pool pool({.num_threads = size});
      pool.scope([&](Scope& scope) { scope.spawn([link = Link{gauge, links, length}](Scope& same) { link(same); }); });
      CHECK(links == length);
      links = 0;
      pool.in_place_scope([&](Scope& scope) {
        scope.spawn([link = Link{gauge, links, length}](Scope& same) { link(same); });
      });
      CHECK(links == length);
      links = 0;
      pool.spawn([link = Link{gauge, links, length}] { link(); });
    }
    CHECK(links == length);
    CHECK(gauge.growth() < kSomeFrames);
  }
}

POOL_TEST_CASE("spawn: half a million queued jobs all run") {
  for (const std::size_t size : kPoolSizes) {
    const std::size_t count = mass(500'000);
    std::atomic<std::size_t> sum{0};
    {
      Pool pool({.num_threads = size});
      const auto spawn_all = [&](Scope& scope) {
        for (std::size_t i = 0; i < count; ++i) scope.spawn([&sum, i] { sum.fetch_add(i, std::memory_order_relaxed); });
      };
      pool.scope(spawn_all);
      CHECK(sum == count * (count - 1) / 2);
      pool.scope_fifo(spawn_all);
      pool.in_place_scope(spawn_all);
      CHECK(sum == 3 * (count * (count - 1) / 2));
      pool.install([&] {
        for (std::size_t i = 0; i < count; ++i) blitz::spawn([&sum] { sum.fetch_add(1, std::memory_order_relaxed); });
      });
    }
    CHECK(sum == 3 * (count * (count - 1) / 2) + count);
  }
}

POOL_TEST_CASE("spawn: frees the memory of a million jobs") {
  const std::size_t before = memory_in_use();
  if (before == 0) return;  // The system does not report it.
  constexpr std::size_t kMore = 2 << 20;
  for (const std::size_t size : kPoolSizes) {
    CAPTURE(size);
    const std::size_t count = mass(1'000'000);
    const std::size_t memory = count * 32;  // at least
    {
      Pool pool({.num_threads = size});
      with_others_busy(pool, [&] {
        std::size_t most = 0;
        blitz::scope([&](Scope& scope) {
          for (std::size_t i = 0; i < count; ++i) scope.spawn([&most] { static_cast<void>(most); });
          most = memory_in_use();
        });
        CHECK(most + kMore > before + memory);
        // This worker has made and run all of them. It keeps a few blocks, and its queue's memory.
        CHECK(memory_in_use() + memory < most + kMore);
      });
      pool.install([&] {
        for (std::size_t i = 0; i < count; ++i) blitz::spawn_fifo([&pool] { static_cast<void>(pool); });
      });
    }
    CHECK(memory_in_use() < before + kMore);
  }
}
