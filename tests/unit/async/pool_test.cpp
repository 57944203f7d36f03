/// The complete policy in a pool: its purpose, and behaviour that none of its parts shows separately.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/asleep.hpp"
#include "support/fib.hpp"

using blitz::AsyncThreadPool;
using blitz_test::fib;
using blitz_test::wait_until_all_sleep;

namespace {

void wait_until(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::yield();
}

/// A job that spawns itself again until it is stopped.
class Chain {
 public:
  explicit Chain(std::atomic<bool>& stop) : stop_(stop) {}
  void run() {
    ++links;
    if (stop_.load()) {
      ended.store(true);
    } else {
      blitz::spawn([this] { run(); });
    }
  }
  std::atomic<std::uint64_t> links{0};
  std::atomic<bool> ended{false};

 private:
  std::atomic<bool>& stop_;
};

}  // namespace

namespace {

/// The stack depth of a pool's only worker at the deepest leaf.
template <class Pool>
std::ptrdiff_t stack_of_fib(int n) {
  struct Depth {
    const char* top;
    std::ptrdiff_t most = 0;
    int fib(int k) {
      if (k < 2) {
        const char here = 0;
        most = std::max(most, top - &here);
        return k;
      }
      const auto [x, y] = blitz::join([=, this] { return fib(k - 1); }, [=, this] { return fib(k - 2); });
      return x + y;
    }
  };
  Pool pool({.num_threads = 1});
  return pool.install([&] {
    const char here = 0;
    Depth depth{&here};
    CHECK(depth.fib(n) == 6765);
    return depth.most;
  });
}

}  // namespace

TEST_CASE("async pool: nested joins use at most three times the stack of the fork-join backend") {
  const auto fork_join = stack_of_fib<blitz::ThreadPool>(20);
  const auto async = stack_of_fib<AsyncThreadPool>(20);
  MESSAGE("fib(20): " << fork_join << " bytes of stack, " << async << " on the async backend");
  CHECK(fork_join > 0);
#if !defined(BLITZ_ADDRESS_SANITIZER)  // It keeps locals outside the stack.
  CHECK(async <= 3 * fork_join);
#endif
}

TEST_CASE("async pool: runs each job once if more are spawned than the ring holds") {
  for (const std::size_t workers : {1U, 2U, 5U}) {
    CAPTURE(workers);
    constexpr std::size_t kJobs = 20'000;
    AsyncThreadPool pool({.num_threads = workers});
    std::vector<std::atomic<int>> runs(kJobs);
    for (int round = 0; round < 3; ++round) {
      pool.scope([&](blitz::Scope& scope) {
        for (auto& times : runs) scope.spawn([&times] { times.fetch_add(1, std::memory_order_relaxed); });
      });
    }
    std::size_t right = 0;
    for (const auto& times : runs) right += times.load() == 3 ? 1 : 0;
    CHECK(right == kJobs);
    const auto total = pool.stats().total;
    CHECK(total.jobs_pushed == 3 * kJobs);
    CHECK(total.overflows <= total.injected_taken);
    if (workers == 1) CHECK(total.overflows > 0);
    // A job that overflows is eventually taken from the injector, and is not an additional job.
    CHECK(total.jobs_pushed + total.injected_taken - total.overflows == 3 * kJobs);
    CHECK(total.jobs_executed == 3 * kJobs);
    CHECK(total.global_batch_fetches <= total.injected_taken);
  }
}

TEST_CASE("async pool: works with up to 300 workers") {
  for (const std::size_t workers : {16U, 17U, 65U, 300U}) {
    CAPTURE(workers);
    AsyncThreadPool pool({.num_threads = workers});
    for (int round = 0; round < 5; ++round) {
      CHECK(pool.install([] { return fib(14); }) == 377);
      std::vector<int> items(5'000, 1);
      blitz::parallel_for({.pool = &pool}, items, [](int& item) { ++item; });
      std::size_t right = 0;
      for (const int item : items) right += item == 2 ? 1 : 0;
      CHECK(right == items.size());
      if (round % 2 == 0) wait_until_all_sleep(pool);
    }
    CHECK(pool.broadcast([](blitz::BroadcastContext context) { return context.index(); }).size() == workers);
    const auto total = pool.stats().total;
    CHECK(total.jobs_pushed >= 5 * 609);
  }
}

TEST_CASE("async pool: an offered half is found though all workers slept") {
  for (const std::size_t workers : {2U, 3U, 65U}) {
    CAPTURE(workers);
    AsyncThreadPool pool({.num_threads = workers});
    for (int round = 0; round < 200; ++round) {
      if (round % 4 == 0) wait_until_all_sleep(pool);
      std::latch both(2);
      pool.join([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
    }
  }
}

TEST_CASE("async pool: a burst from outside is found though all slept and wakes few workers") {
  constexpr std::size_t kWorkers = 16;
  AsyncThreadPool pool({.num_threads = kWorkers});
  constexpr std::uint64_t kRounds = 50;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    wait_until_all_sleep(pool);
    std::atomic<int> done{0};
    for (int i = 0; i < 3; ++i) pool.spawn([&] { ++done; });
    wait_until([&] { return done.load() == 3; });
  }
  wait_until_all_sleep(pool);
  // Each push wakes one worker if none searches. The last searcher that finds a job wakes one more.
  CHECK(pool.stats().total.times_woken <= kRounds * 2 * 3);
}

TEST_CASE("async pool: an injected job runs although no worker runs out of jobs") {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    CAPTURE(workers);
    AsyncThreadPool pool({.num_threads = workers});
    std::atomic<bool> stop{false};
    std::deque<Chain> chains;
    for (std::size_t i = 0; i < 2 * workers; ++i) chains.emplace_back(stop);
    for (Chain& chain : chains) pool.spawn([&chain] { chain.run(); });
    wait_until([&] {
      for (const Chain& chain : chains) {
        if (chain.links.load() < 100) return false;  // none of them starves either
      }
      return true;
    });
    for (int i = 0; i < 20; ++i) CHECK(pool.async([i] { return i; }).get() == i);
    stop.store(true);
    wait_until([&] {
      for (const Chain& chain : chains) {
        if (!chain.ended.load()) return false;
      }
      return true;
    });
    CHECK(pool.stats().total.lifo_hits > 0);
  }
}

TEST_CASE("async pool: an injected job waits for at most eight long jobs") {
  AsyncThreadPool pool({.num_threads = 1});
  std::atomic<bool> stop{false};
  std::atomic<int> begun{0};
  std::atomic<std::chrono::milliseconds> time{std::chrono::milliseconds(2)};
  const std::function<void()> link = [&] {
    ++begun;
    const auto end = std::chrono::steady_clock::now() + time.load();
    while (std::chrono::steady_clock::now() < end) {
    }
    if (!stop.load()) blitz::spawn([&] { link(); });
  };
  pool.spawn([&] { link(); });
  wait_until([&] { return begun.load() > 0; });  // It comes from the injector, too, and is not one of the eight.
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    std::atomic<int> found{-1};
    pool.spawn([&] { found.store(begun.load()); });
    const int before = begun.load();
    wait_until([&] { return found.load() >= 0; });
    CHECK(found.load() - before <= 8);
    if (round % 3 == 2) {  // Jobs that have become short become long again.
      time.store(std::chrono::milliseconds(0));
      wait_until([&] { return begun.load() > found.load() + 10'000; });
      time.store(std::chrono::milliseconds(2));
      const int now = begun.load();
      wait_until([&] { return begun.load() > now + 1; });
    }
  }
  stop.store(true);
  pool.shutdown();
}

TEST_CASE("async pool: another worker takes jobs of a batch whose first job waits") {
  for (int round = 0; round < 20; ++round) {
    // While one worker is kept busy, the other fetches a batch of two jobs. The first waits for the second.
    std::latch held(1);
    std::latch both(2);
    std::atomic<bool> let_go{false};
    AsyncThreadPool pool({.num_threads = 2});
    pool.spawn([&] {
      held.count_down();
      wait_until([&] { return let_go.load(); });
    });
    held.wait();
    for (int i = 0; i < 2; ++i) {
      pool.spawn([&] {
        let_go.store(true);
        both.arrive_and_wait();
      });
    }
  }
}

TEST_CASE("async pool: serves many outside threads") {
  constexpr int kThreads = 4;
  constexpr int kCalls = 300;
  AsyncThreadPool pool({.num_threads = 2});
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i) {
        switch (i % 3) {
          case 0:
            sum += pool.install([] { return fib(5); });
            break;
          case 1:
            sum += pool.async([] { return 5; }).get();
            break;
          default:
            blitz::parallel_for({.pool = &pool}, 0, 5, [&](int) { ++sum; });
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(sum.load() == 5 * kThreads * kCalls);
}

namespace {

/// Joins nested seven deep on one worker, in slot 0. Another worker robs its queue once, when the innermost `a` runs. It first
/// takes the outermost `b`, which keeps it busy until the others are done.
template <class Pool>
class Nest {
 public:
  static constexpr std::size_t kDepth = 7;

  void run() {
    pool_.set_max_concurrency(1);
    pool_.install([this] { level(0); });
  }
  [[nodiscard]] blitz::ThreadPoolStats stats() const { return pool_.stats(); }

  struct Call {
    bool migrated = false;
    bool elsewhere = false;
    bool on_top_of_a = false;
  };
  /// The calls of `b`, by depth.
  std::array<Call, kDepth> calls;

 private:
  void level(std::size_t depth) {
    if (depth == kDepth) {
      pool_.set_max_concurrency(2);
      robbed_.wait();
      return;
    }
    bool a_runs = false;
    blitz::join_context(
        [&](blitz::JoinContext) {
          a_runs = true;
          level(depth + 1);
          a_runs = false;
          if (depth == 0) let_go_.count_down();
        },
        [&, this](blitz::JoinContext context) {
          const bool elsewhere = blitz::current_thread_index() != std::size_t{0};
          calls[depth] = {context.migrated(), elsewhere, !elsewhere && a_runs};
          if (depth > 0) return;
          robbed_.count_down();
          let_go_.wait();
        });
  }

  Pool pool_{{.num_threads = 2}};
  std::latch robbed_{1};
  std::latch let_go_{1};
};

}  // namespace

TEST_CASE("async pool: a b stolen back from another ring runs on top of its a and has migrated") {
  for (int round = 0; round < 20; ++round) {
    Nest<AsyncThreadPool> nest;
    nest.run();
    // The thief took the oldest three of the six jobs in the ring, and began with the oldest. While the thief waited for the
    // third, their owner took the second, which was then the oldest there, and then the third.
    CHECK(nest.stats().workers[1].jobs_stolen == 3);
    CHECK(nest.stats().workers[0].jobs_stolen == 2);
    CHECK(nest.stats().total.steals_tried == 3);
    CHECK(nest.calls[0].elsewhere);
    CHECK(nest.calls[1].on_top_of_a);
    for (std::size_t depth = 0; depth < nest.kDepth; ++depth) {
      CAPTURE(depth);
      CHECK(nest.calls[depth].migrated == (depth < 3));
    }
  }
}

TEST_CASE("fork-join pool: no b runs on top of its a that waits for joins") {
  for (int round = 0; round < 20; ++round) {
    Nest<blitz::ThreadPool> nest;
    nest.run();
    CHECK(nest.stats().total.jobs_stolen == 1);
    for (std::size_t depth = 0; depth < nest.kDepth; ++depth) {
      CAPTURE(depth);
      CHECK(nest.calls[depth].elsewhere == (depth == 0));
      CHECK(nest.calls[depth].migrated == (depth == 0));
      CHECK_FALSE(nest.calls[depth].on_top_of_a);
    }
  }
}
