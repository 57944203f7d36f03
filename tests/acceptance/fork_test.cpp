// fork(): the child starts with its own global pool, and the inherited pools report that they are not usable there.
//
// ThreadSanitizer does not support threads in the child of a process that had threads, so it has no test here.
#include "blitz/detail/base/atomic.hpp"

#if defined(__unix__) && !defined(BLITZ_PORTABLE) && !defined(BLITZ_THREAD_SANITIZER)

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include "blitz/detail/job/job_memory.hpp"
#include "support/child_process.hpp"
#include "support/fib.hpp"
#include "support/inherited_pool.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

enum class Leave : bool { kExit, kAtOnce };

#if defined(BLITZ_ADDRESS_SANITIZER)
/// Waits until all other threads sleep. AddressSanitizer, as of GCC 12 and clang 16, does not take the locks of its allocator
/// before a fork: if other threads of the parent allocate, the child may inherit a lock that is never released.
void let_others_settle() {
  const std::string self = std::to_string(gettid());
  for (int quiet = 0; quiet < 3; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string stat;
      std::getline(std::ifstream(task.path() / "stat"), stat);
      const std::size_t state = stat.rfind(')') + 2;
      if (task.path().filename() != self && state < stat.size() && stat[state] == 'R') quiet = -1;
    }
  }
}
#else
void let_others_settle() {}
#endif

pid_t fork_now() {
  let_others_settle();
  return fork_child(std::chrono::seconds(60));
}

[[noreturn]] void leave(Leave how, int code) {
#if defined(BLITZ_ADDRESS_SANITIZER)
  // exit() would check the child for leaks, without the stacks of the threads that exist only in its parent.
  how = Leave::kAtOnce;
#endif
  if (how == Leave::kExit) std::exit(code);
  _exit(code);
}

/// Runs `f` in a child. Its exit status is the number of the first failed check there, or 0.
template <class F>
int in_child(F&& f, Leave how = Leave::kAtOnce) {
  const pid_t child = fork_now();
  if (child == 0) leave(how, f());
  return wait_for(child);
}

/// Calls every free function once, while the caller belongs to no pool. Returns the number of the first failed check, or 0.
int use_free_functions() {
  if (blitz::current_thread_index()) return 1;
  std::atomic<long> sum{0};
  blitz::parallel_for(0, 1000, [&](int i) { sum += i; });
  if (sum != 499500) return 2;
  if (fib(10) != 55) return 3;
  blitz::scope([&](blitz::Scope& scope) {
    for (int i = 0; i < 10; ++i) scope.spawn([&] { ++sum; });
  });
  if (sum != 499510) return 4;
  if (blitz::async([] { return 5; }).get() != 5) return 5;
  if (blitz::broadcast([](blitz::BroadcastContext c) { return c.index(); }).size() != blitz::current_num_threads())
    return 6;
  if (blitz::parallel_transform_reduce(0, 100, 0, std::plus<>(), [](int i) { return i; }) != 4950) return 7;
  if (blitz::isolate([] { return fib(8); }) != 21) return 8;
  blitz::spawn([&] { ++sum; });
  while (sum != 499511) std::this_thread::yield();
  // All new workers exist: there are as many jobs, and none ends before all have begun.
  const std::size_t workers = blitz::current_num_threads();
  std::latch all(static_cast<std::ptrdiff_t>(workers));
  blitz::scope([&](blitz::Scope& scope) {
    for (std::size_t i = 0; i < workers; ++i) scope.spawn([&] { all.arrive_and_wait(); });
  });
  return 0;
}

}  // namespace

// --- the global pool ---

TEST_CASE("fork: the child has its own global pool and the parent keeps its pool") {
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    REQUIRE(in_child(use_free_functions, round % 2 == 0 ? Leave::kExit : Leave::kAtOnce) == 0);
    // From the second round on, the parent's pool has been started.
    if (round % 10 == 0) REQUIRE(use_free_functions() == 0);
  }
}

TEST_CASE("fork: the child of a worker of the global pool has its own global pool") {
  for (int round = 0; round < 10; ++round) {
    const Leave how = round % 2 == 0 ? Leave::kExit : Leave::kAtOnce;
    blitz::join([&] { CHECK(in_child(use_free_functions, how) == 0); }, [] {});
    const int status = blitz::async([&] { return in_child(use_free_functions, how); }).get();
    REQUIRE(status == 0);
  }
}

TEST_CASE("fork: a child of a child has its own global pool") {
  REQUIRE(in_child([] {
            if (const int wrong = use_free_functions()) return wrong;
            blitz::ThreadPool own({.num_threads = 2});
            const int below = in_child([&] {
              const int wrong = use_free_functions();
              return wrong != 0 ? wrong : use_inherited(own);
            });
            if (below != 0) return below;
            return own.install([] { return fib(8); }) == 21 ? use_free_functions() : 40;
          }) == 0);
}

// --- pools that are inherited ---

POOL_TEST_CASE("fork: calls of an inherited pool throw and it can be destroyed") {
  for (const std::size_t size : kPoolSizes) {
    CAPTURE(size);
    auto pool = std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = size});
    for (const bool used : {false, true}) {
      CAPTURE(used);
      if (used) CHECK(pool->install([] { return fib(8); }) == 21);
      for (const Leave how : {Leave::kExit, Leave::kAtOnce}) {
        const int status = in_child(
            [&] {
              if (const int wrong = use_inherited(*pool)) return wrong;
              pool->shutdown();
              pool.reset();
              Pool own({.num_threads = size});
              if (own.install([] { return fib(8); }) != 21) return 41;
              return use_free_functions();
            },
            how);
        REQUIRE(status == 0);
      }
    }
    CHECK(pool->install([] { return fib(8); }) == 21);
  }
}

POOL_TEST_CASE("fork: calls of a group with unfinished jobs throw in the child and it can be destroyed") {
  Pool pool({.num_threads = 2});
  std::latch let_go(1);
  std::atomic<int> calls{0};
  std::optional<blitz::TaskGroup> group(std::in_place, pool);
  for (int i = 0; i < 5; ++i) {
    group->run([&] {
      let_go.wait();
      ++calls;
    });
  }
  const int status = in_child([&] {
    if (!is_refused([&] { group->run([&] { ++calls; }); })) return 51;
    if (!is_refused([&] { group->wait(); })) return 52;
    group->request_stop();
    group.reset();
    blitz::TaskGroup own;  // of the child's global pool
    own.run([&] { ++calls; });
    own.wait();
    return calls == 1 ? 0 : 53;
  });
  CHECK(status == 0);
  let_go.count_down();
  group->wait();
  CHECK(calls == 5);
}

// --- while others are at work ---
//
// Under AddressSanitizer these would test its allocator: see let_others_settle().
#if !defined(BLITZ_ADDRESS_SANITIZER)

namespace {

/// Jobs that keep the workers of a pool busy, in every way, until the end of the scope.
template <class P>
class Load {
 public:
  explicit Load(P& pool)
      : pool_(pool), caller_([this] {
          while (!over_) {
            blitz::parallel_for({.pool = &pool_}, 0, 50,
                                [](int) { blitz::join([] {}, [] { std::this_thread::yield(); }); });
            pool_.spawn([] { std::this_thread::yield(); });
            pool_.install([] { blitz::isolate([] { blitz::join([] {}, [] {}); }); });
          }
        }) {}
  ~Load() {
    over_ = true;
    caller_.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  P& pool_;
  std::atomic<bool> over_{false};
  std::thread caller_;
};

}  // namespace

TEST_CASE("fork: the child works if the parent's global pool is busy") {
  Load load(blitz::global_pool());
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    REQUIRE(in_child(use_free_functions, round % 2 == 0 ? Leave::kExit : Leave::kAtOnce) == 0);
  }
}

POOL_TEST_CASE("fork: the child works if an inherited pool is busy") {
  Pool pool({.num_threads = 4});
  Load load(pool);
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    const int status = in_child(
        [&] {
          if (const int wrong = use_inherited(pool)) return wrong;
          return use_free_functions();
        },
        round % 2 == 0 ? Leave::kExit : Leave::kAtOnce);
    REQUIRE(status == 0);
  }
}

#endif

// --- from inside a call ---

POOL_TEST_CASE("fork: a child forked inside install belongs to no pool") {
  for_each_size([](Pool& pool) {
    Pool other({.num_threads = 1});
    const auto fork_here = [&] {
      REQUIRE(pool.current_thread_index().has_value());
      const int status = in_child([&] {
        if (const int wrong = use_inherited(pool)) return wrong;
        return use_free_functions();
      });
      CHECK(status == 0);
    };
    pool.install(fork_here);
    pool.install([&] { blitz::isolate(fork_here); });
    other.install([&] { pool.install(fork_here); });
    pool.async(fork_here).get();
    CHECK(pool.install([] { return fib(8); }) == 21);
  });
}

POOL_TEST_CASE("fork: a child forked inside install returns from it") {
  for_each_size([](Pool& pool) {
    for (const bool isolated : {false, true}) {
      CAPTURE(isolated);
      pid_t child = -1;
      pool.install([&] {
        const auto fork_here = [&] { child = fork_now(); };
        isolated ? blitz::isolate(fork_here) : fork_here();
      });
      if (child == 0) {
        const int wrong = use_inherited(pool);
        _exit(wrong != 0 ? wrong : use_free_functions());
      }
      CHECK(wait_for(child) == 0);
    }
  });
}

POOL_TEST_CASE("fork: a child forked inside join runs the part that was not stolen") {
  Pool pool({.num_threads = 1});
  pid_t child = -1;
  const auto [first, second] = pool.join(
      [&] {
        child = fork_now();
        return 1;
      },
      [] { return 2; });
  if (child == 0) _exit(first + second == 3 ? use_free_functions() : 42);
  CHECK(first + second == 3);
  CHECK(wait_for(child) == 0);
}

POOL_TEST_CASE("fork: a child forked inside join aborts if it would wait for a stolen part") {
  Pool pool({.num_threads = 2});
  std::latch stolen(1);
  std::latch go_on(1);
  pid_t child = -1;
  pool.join(
      [&] {
        stolen.wait();
        child = fork_now();
        if (child == 0) silence();
        if (child != 0) go_on.count_down();
      },
      [&] {
        stolen.count_down();
        go_on.wait();
      });
  if (child == 0) _exit(43);  // It must not reach this.
  CHECK(wait_for(child) == -SIGABRT);
}

POOL_TEST_CASE("fork: a child forked inside a job of a resident aborts when it returns from the job") {
  for_each_size([](Pool& pool) {
    for (const bool isolated : {false, true}) {
      CAPTURE(isolated);
      std::latch forked(1);
      pid_t child = -1;
      pool.spawn([&] {
        const auto fork_here = [] {
          const pid_t id = fork_now();
          if (id == 0) silence();
          return id;
        };
        child = isolated ? blitz::isolate(fork_here) : fork_here();
        if (child != 0) forked.count_down();
      });
      forked.wait();
      CHECK(wait_for(child) == -SIGABRT);
    }
    CHECK(pool.install([] { return fib(8); }) == 21);
  });
}

// As in any call that runs on the calling thread.
POOL_TEST_CASE("fork: a child forked inside the job of a handle that the waiting thread runs goes on") {
  Pool pool({.num_threads = 1});
  const auto fork_in_job = [&] {
    auto handle = pool.async([] { return fork_now(); });
    const pid_t id = blitz::isolate([&] { return handle.get(); });  // The region has no jobs in the queue.
    if (id == 0) _exit(46);
    return id;
  };
  CHECK(wait_for(pool.install(fork_in_job)) == 46);
}

POOL_TEST_CASE("fork: a handle of the parent gives the child its result only if it was ready") {
  for_each_size([](Pool& pool) {
    std::latch go_on(1);
    auto early = pool.async([] { return 1; });
    early.wait();
    auto late = pool.async([&] {
      go_on.wait();
      return 2;
    });
    const int status = in_child([&] {
      if (late.ready()) return 51;
      if (!is_refused([&] { late.wait(); })) return 52;
      if (!is_refused([&] { static_cast<void>(late.get()); })) return 53;
      return early.get() == 1 ? use_free_functions() : 54;
    });
    CHECK(status == 0);
    go_on.count_down();
    CHECK(early.get() + late.get() == 3);
  });
}

POOL_TEST_CASE("fork: a child forked in the body of an in_place_scope aborts if it would wait for jobs") {
  for_each_size([](Pool& pool) {
    for (const bool waits : {false, true}) {
      CAPTURE(waits);
      std::latch go_on(1);
      pid_t child = -1;
      pool.in_place_scope([&](blitz::Scope& scope) {
        if (waits) scope.spawn([&] { go_on.wait(); });
        child = fork_now();
        if (child == 0 && waits) silence();
        if (child != 0) go_on.count_down();
      });
      if (child == 0) _exit(waits ? 46 : use_free_functions());
      CHECK(wait_for(child) == (waits ? -SIGABRT : 0));
    }
  });
}

// --- crashes of a child ---

namespace {

/// Recurses `steps` deep, with a page per step.
[[gnu::noinline]] long descend(long steps) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(steps);
  return steps == 0 ? 0 : descend(steps - 1) + frame[0];
}

}  // namespace

POOL_TEST_CASE("fork: a stack overflow in a job of the child crashes it without a hang") {
  const int status = in_child([] {
    silence();
    Pool pool({.num_threads = 2, .stack_size = std::size_t{256} << 10});
    pool.spawn([] { static_cast<void>(descend(1'000'000)); });
    pool.shutdown();
    return 44;
  });
  // A sanitizer turns it into an exit status.
  CHECK(status != 0);
  CHECK(status != 44);
  CHECK(status != -SIGALRM);
}

#endif
