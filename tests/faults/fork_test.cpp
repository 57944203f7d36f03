// fork() at random moments of a process with busy pools: pools of both policies and the global pool, with calls from outside
// threads, jobs that are injected, spawned and stolen, workers that go to sleep and wake up, and pools that are created and
// destroyed.
//
// ThreadSanitizer does not support threads in the child of a process that had threads. AddressSanitizer (GCC 12, clang 16)
// leaves its allocator's locks as the parent's other threads held them. Neither has a test here.
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/job/job_memory.hpp"

#if defined(__unix__) && !defined(BLITZ_PORTABLE) && !defined(BLITZ_THREAD_SANITIZER) && \
    !defined(BLITZ_ADDRESS_SANITIZER)

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "stress/stress.hpp"
#include "support/child_process.hpp"
#include "support/fib.hpp"
#include "support/inherited_pool.hpp"

using namespace blitz_test;
using namespace std::chrono_literals;

namespace {

/// Ends a child long before the parent's watchdog would end the test. The child's own watchdog fires first and prints a reason.
constexpr auto kLifetime = 30s;

constexpr std::size_t kMostChildren = 4;  // running concurrently

/// Counts detached jobs: both numbers must be equal at the end.
struct Detached {
  std::atomic<std::uint64_t> spawned{0};
  std::atomic<std::uint64_t> ended{0};
};

/// Uses the pool in a random way. Returns true if the result is right.
template <class Pool>
bool use(Pool& pool, Random& random, Detached& detached) {
  switch (random.below(7)) {
    case 0:
      return pool.install([] { return fib(10); }) == 55;
    case 1: {
      std::atomic<std::uint64_t> sum{0};
      const bool yields = random.one_in(2);
      blitz::parallel_for({.pool = &pool}, std::uint64_t{0}, std::uint64_t{300}, [&](std::uint64_t i) {
        if (yields && i % 64 == 0) std::this_thread::yield();
        sum += i;
      });
      return sum == 300 * 299 / 2;
    }
    case 2: {
      std::atomic<int> sum{0};
      pool.scope([&](blitz::Scope& scope) {
        for (int i = 0; i < 8; ++i) {
          scope.spawn([&](blitz::Scope& inner) {
            for (int k = 0; k < 8; ++k) inner.spawn([&] { ++sum; });
          });
        }
      });
      return sum == 64;
    }
    case 3: {
      auto handle = pool.async([] { return fib(8); });
      return handle.get() == 21;
    }
    case 4: {
      for (int i = 0; i < 20; ++i) {
        ++detached.spawned;
        pool.spawn([&detached] { ++detached.ended; });
      }
      return true;
    }
    case 5: {
      // A loop in isolate(): its workers run only jobs of that region.
      std::atomic<int> sum{0};
      pool.install([&] { blitz::isolate([&] { blitz::parallel_for(0, 32, [&](int) { ++sum; }); }); });
      return sum == 32;
    }
    default:
      return pool.broadcast([](blitz::BroadcastContext context) { return context.index(); }).size() ==
             pool.num_threads();
  }
}

/// Pools, and outside threads that keep them busy until end().
class Busy {
 public:
  explicit Busy(std::uint64_t stream) {
    for (std::uint64_t i = 0; i < 2; ++i) {
      keep_busy(stream + i, [this](Random& random) { return use(*fork_join, random, detached); });
      keep_busy(stream + 10 + i, [this](Random& random) { return use(*async, random, detached); });
    }
    keep_busy(stream + 20, [this](Random& random) { return use(blitz::global_pool(), random, detached); });
    keep_busy(stream + 30, [this](Random& random) {
      blitz::AsyncThreadPool short_lived({.num_threads = random.between(1, 4)});
      return use(short_lived, random, detached);
    });
  }
  /// Call this only in the parent.
  void end() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }
  [[nodiscard]] std::uint64_t uses() const { return uses_; }

  std::unique_ptr<blitz::ThreadPool> fork_join =
      std::make_unique<blitz::ThreadPool>(blitz::ThreadPoolOptions{.num_threads = 3});
  std::unique_ptr<blitz::AsyncThreadPool> async =
      std::make_unique<blitz::AsyncThreadPool>(blitz::ThreadPoolOptions{.num_threads = 3});
  Detached detached;

 private:
  template <class Use>
  void keep_busy(std::uint64_t stream, Use use_once) {
    threads_.emplace_back([this, stream, use_once] {
      Random random(stream);
      while (!over_) {
        if (!use_once(random)) ++wrong_;
        ++uses_;
        if (random.one_in(2)) random_gap(random);
      }
    });
  }

  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> wrong_{0};
  std::atomic<std::uint64_t> uses_{0};
  std::vector<std::thread> threads_;
};

template <class Pool>
bool works(Pool& pool, Random& random) {
  Detached detached;
  for (int i = 0; i < 5; ++i) {
    if (!use(pool, random, detached)) return false;
  }
  while (detached.ended < detached.spawned) std::this_thread::yield();
  return true;
}

/// Uses free functions on a thread that is not a worker of any pool.
bool global_pool_works(Random& random) {
  if (blitz::current_thread_index()) return false;
  std::atomic<int> sum{0};
  blitz::parallel_for(0, 100, [&](int) { ++sum; });
  blitz::scope([&](blitz::Scope& scope) {
    for (int i = 0; i < 20; ++i) scope.spawn([&] { ++sum; });
  });
  return sum == 120 && fib(10) == 55 && works(blitz::global_pool(), random);
}

template <class Pool>
bool new_pool_works(Random& random) {
  Pool pool({.num_threads = random.between(1, 4)});
  return works(pool, random);
}

/// The child: runs four checks in a cyclic order from a random start. Returns its exit status: the number of the first failed
/// check, or 0.
int live_as_child(Busy& inherited, std::uint64_t stream) {
  Watchdog dog("a forked child");
  Random random(stream);
  const std::uint64_t first = random.below(4);
  for (std::uint64_t i = 0; i < 4; ++i) {
    switch ((first + i) % 4) {
      case 0:
        if (inherited.fork_join != nullptr && use_inherited(*inherited.fork_join) != 0) return 1;
        if (inherited.async != nullptr && use_inherited(*inherited.async) != 0) return 2;
        break;
      case 1:
        if (!global_pool_works(random)) return 3;
        break;
      case 2:
        if (!new_pool_works<blitz::ThreadPool>(random)) return 4;
        if (!new_pool_works<blitz::AsyncThreadPool>(random)) return 5;
        break;
      default:
        inherited.fork_join.reset();
        inherited.async.reset();
    }
    dog.progress();
  }
  return 0;
}

}  // namespace

TEST_CASE("fork: children forked at random moments work and the parent goes on") {
  TestWatchdog dog;
  Random random(70);
  Busy busy(random.next());
  dog.watch(*busy.fork_join);
  dog.watch(*busy.async);
  dog.watch(blitz::global_pool());

  std::deque<pid_t> children;
  std::uint64_t forks = 0;
  std::uint64_t failures = 0;
  const auto bury_oldest = [&] {
    const int status = wait_for(children.front());
    children.pop_front();
    CAPTURE(status);
    CHECK(status == 0);
    if (status != 0) ++failures;
    dog.progress();
  };
  const Deadline deadline;
  while (!deadline.passed() && failures == 0) {
    random_gap(random);
    const std::uint64_t stream = random.next();
    const auto fork_here = [&] { return start_child([&] { return live_as_child(busy, stream); }, kLifetime); };
    // Usually on an outside thread, otherwise on a worker: the caller's slot or a resident thread.
    switch (random.below(6)) {
      case 0:
        children.push_back(busy.fork_join->install(fork_here));
        break;
      case 1:
        children.push_back(busy.async->async(fork_here).get());
        break;
      default:
        children.push_back(fork_here());
    }
    ++forks;
    if (children.size() == kMostChildren) bury_oldest();
  }
  while (!children.empty()) bury_oldest();
  busy.end();
  busy.fork_join.reset();
  busy.async.reset();
  blitz::global_pool().broadcast([](blitz::BroadcastContext) {});
  while (busy.detached.ended < busy.detached.spawned) std::this_thread::yield();  // The jobs of the global pool.
  CHECK(busy.wrong() == 0);
  CHECK(busy.detached.ended == busy.detached.spawned);
  MESSAGE("done: " << forks << " forks, " << busy.uses() << " uses by the parent meanwhile");
}

TEST_CASE("fork: a child works or is refused if a thread starts or ends the global pool") {
  TestWatchdog dog;
  Random random(71);
  const Deadline deadline(stress_time() / 2);
  std::uint64_t rounds = 0;
  int status = 0;
  for (; status == 0 && !deadline.passed(); ++rounds) {
    const std::uint64_t stream = random.next();
    const bool ends = random.one_in(2);
    // In a child, because it needs a process that has not used the global pool.
    const auto race = [&] {
      Random mine(stream);
      if (ends && fib(8) != 21) return 10;
      std::atomic<bool> right{true};
      std::thread other([&] { ends ? blitz::shutdown_global_pool() : right.store(fib(8) == 21); });
      spin_for(std::chrono::microseconds(mine.below(300)));
      const pid_t child = start_child(
          [&] {
            Watchdog inner("the child of a child");
            try {
              return global_pool_works(mine) ? 0 : 11;
            } catch (const blitz::ThreadPoolError&) {
              return ends ? 0 : 12;  // The pool had already been shut down.
            }
          },
          kLifetime);
      other.join();
      const int below = wait_for(child);
      return !right ? 13 : below < 0 ? 14 : below;
    };
    status = wait_for(start_child(race, kLifetime + 5s));
    CHECK(status == 0);
    dog.progress();
  }
  MESSAGE("done: " << rounds << " rounds");
}

#endif
