// Construction and destruction of pools: hooks, names, processors, and everything that can fail.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <latch>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "blitz/detail/sys/cpu_count.hpp"
#include "support/emulated.hpp"
#include "support/environment.hpp"
#include "support/failing_thread.hpp"
#include "support/policies.hpp"
#include "support/registry_of.hpp"

#if defined(__linux__) && !defined(BLITZ_PORTABLE)
#define BLITZ_TEST_LINUX_THREADS 1
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#endif

using blitz::ThreadPoolError;
using blitz::ThreadPoolOptions;
using namespace blitz_test;

namespace {

/// How often each worker index has been reported.
class Roll {
 public:
  explicit Roll(std::size_t count) : times_(count) {}
  void operator()(std::size_t index) { ++times_.at(index); }
  bool each_once() const {
    return std::ranges::all_of(times_, [](const auto& times) { return times == 1; });
  }
  int total() const {
    int sum = 0;
    for (const auto& times : times_) sum += times;
    return sum;
  }

 private:
  std::vector<std::atomic<int>> times_;
};

/// The threads of this process; 0 if the system does not report them.
std::size_t thread_count() {
#if defined(__linux__)
  // A sanitizer starts its own thread together with the program's first.
  static const bool started_one = (std::thread([] {}).join(), true);
  static_cast<void>(started_one);
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator()));
#else
  return 0;
#endif
}

/// Like thread_count(), after joined threads of the previous test have left the kernel, which lists them a moment longer.
std::size_t settled_thread_count() {
  std::size_t least = thread_count();
  for (int i = 0; i < 200; ++i) {
    std::this_thread::yield();
    least = std::min(least, thread_count());
  }
  return least;
}

/// Checks that the threads have ended. The kernel may list a joined thread a moment longer.
void check_thread_count(std::size_t count) {
  for (int i = 0; i < 100'000 && thread_count() != count; ++i) std::this_thread::yield();
  CHECK(thread_count() == count);
}

template <class Error, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  FAIL("nothing was thrown");
  return {};
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr auto kNegative = static_cast<std::size_t>(-1);

}  // namespace

// --- beginning and ending ---

POOL_TEST_CASE("pool: may be destroyed unused or right after use and leaves no thread") {
  const std::size_t before = settled_thread_count();
  for (const std::size_t size : {1, 2, 16}) {
    for (int i = 0; i < 20; ++i) Pool pool({.num_threads = size});
    for (int i = 0; i < 20; ++i) {
      Pool pool({.num_threads = size});
      blitz::parallel_for({.pool = &pool}, 0, 100, [](int) {});
    }
  }
  check_thread_count(before);
}

POOL_TEST_CASE("pool: starts a thread for each slot") {
  const std::size_t before = settled_thread_count();
  if (before == 0) return;
  for (const std::size_t size : {1, 5}) {
    {
      Pool pool({.num_threads = size});
      CHECK(thread_count() == before + size);
    }
    check_thread_count(before);
  }
}

POOL_TEST_CASE("pool: may be destroyed while its workers sleep") {
  for_each_size([](Pool& pool) {
    const std::size_t size = pool.num_threads();
    std::latch everyone(static_cast<std::ptrdiff_t>(size));
    blitz::parallel_for({.schedule = blitz::Schedule::kFixed, .pool = &pool}, std::size_t{0}, size,
                        [&](std::size_t) { everyone.arrive_and_wait(); });
    // All except the caller's slot have been awake, and go to sleep again.
    const auto asleep = [&] {
      const auto stats = pool.stats();
      // A parked slot may be claimed, and count as woken, before its runner sleeps.
      if (is_async(pool)) return stats.parked == size;
      return std::ranges::count_if(stats.workers, [](const auto& w) { return w.times_slept >= w.times_woken; }) ==
                 static_cast<std::ptrdiff_t>(size) &&
             std::ranges::count_if(stats.workers, [](const auto& w) { return w.times_slept > 0; }) >=
                 static_cast<std::ptrdiff_t>(size) - 1;
    };
    while (!asleep()) std::this_thread::yield();
  });
}

POOL_TEST_CASE("pool: calls the hooks once for each thread on that thread") {
  for (const std::size_t size : kPoolSizes) {
    CAPTURE(size);
    Roll starts(size);
    Roll exits(size);
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::atomic<int> strangers{0};
    {
      Pool pool({.num_threads = size,
                 .on_thread_start =
                     [&](std::size_t index) {
                       starts(index);
                       const std::lock_guard lock(mutex);
                       threads.insert(std::this_thread::get_id());
                     },
                 .on_thread_exit =
                     [&](std::size_t index) {
                       exits(index);
                       const std::lock_guard lock(mutex);
                       if (!threads.contains(std::this_thread::get_id())) ++strangers;
                     }});
      CHECK(starts.each_once());  // the constructor has waited
      CHECK(threads.size() == size);
      CHECK_FALSE(threads.contains(std::this_thread::get_id()));
      blitz::parallel_for({.pool = &pool}, 0, 1000, [](int) {});
      CHECK(exits.total() == 0);
    }
    CHECK(starts.each_once());
    CHECK(exits.each_once());
    CHECK(strangers == 0);
  }
}

POOL_TEST_CASE("pool: calls an exit hook without a start hook") {
  Roll exits(3);
  {
    Pool pool({.num_threads = 3, .on_thread_exit = [&](std::size_t index) { exits(index); }});
  }
  CHECK(exits.each_once());
}

POOL_TEST_CASE("pool: passes an exception of on_thread_exit to the exception handler") {
  std::atomic<int> handled{0};
  {
    Pool pool({.num_threads = 4,
               .on_thread_exit = [](std::size_t index) { throw index; },
               .exception_handler =
                   [&](std::exception_ptr error) {
                     try {
                       std::rethrow_exception(error);
                     } catch (std::size_t index) {
                       handled += 1 << index;
                     }
                   }});
    pool.install([] {});
  }
  CHECK(handled == 0b1111);
}

#if defined(BLITZ_TEST_LINUX_THREADS)

namespace {

std::string own_name() {
  std::ifstream file("/proc/thread-self/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

/// The names of a pool's threads, by worker. Other threads of the process are excluded: other pools have some.
std::vector<std::string> names_of_workers(ThreadPoolOptions options) {
  std::vector<std::string> names(options.num_threads);
  options.on_thread_start = [&](std::size_t index) { names[index] = own_name(); };
  const Pool pool(options);
  return names;
}

/// The affinity mask of the calling thread.
std::vector<unsigned> own_mask() {
  const blitz::detail::Processors allowed = blitz::detail::allowed_processors();
  return {allowed.begin(), allowed.end()};
}

}  // namespace

POOL_TEST_CASE("pool: names its threads by default and by thread_name") {
  using Names = std::vector<std::string>;
  CHECK(names_of_workers({.num_threads = 3}) == Names{"blitz-0", "blitz-1", "blitz-2"});
  const auto crew = [](std::size_t index) { return "crew " + std::to_string(index); };
  CHECK(names_of_workers({.num_threads = 2, .thread_name = crew}) == Names{"crew 0", "crew 1"});
  const auto too_long = [](std::size_t) { return "a name that is far too long"; };
  CHECK(names_of_workers({.num_threads = 1, .thread_name = too_long}) == Names{"a name that is "});
}

POOL_TEST_CASE("pool: Affinity::kOnePerWorker binds each worker to one processor in turn") {
  const std::vector<unsigned> allowed = own_mask();
  const std::size_t size = allowed.size() + 1;
  std::vector<std::vector<unsigned>> masks(size);
  Pool pool({.num_threads = size,
             .on_thread_start = [&](std::size_t index) { masks[index] = own_mask(); },
             .affinity = blitz::Affinity::kOnePerWorker});
  for (std::size_t i = 0; i < size; ++i) CHECK(masks[i] == std::vector<unsigned>{allowed[i % allowed.size()]});
  CHECK(own_mask() == allowed);  // the caller's mask is unchanged
  std::atomic<int> sum{0};
  blitz::parallel_for({.pool = &pool}, 0, 100, [&](int i) { sum += i; });
  CHECK(sum == 4950);
}

POOL_TEST_CASE("pool: kCompact and kSpread give each worker a processor of its own") {
  const std::vector<unsigned> allowed = own_mask();
  for (const blitz::Affinity affinity : {blitz::Affinity::kCompact, blitz::Affinity::kSpread}) {
    std::vector<std::vector<unsigned>> masks(allowed.size());
    {
      const Pool pool({.num_threads = allowed.size(),
                       .on_thread_start = [&](std::size_t index) { masks[index] = own_mask(); },
                       .affinity = affinity});
    }
    std::vector<unsigned> used;
    for (const std::vector<unsigned>& mask : masks) used.insert(used.end(), mask.begin(), mask.end());
    std::sort(used.begin(), used.end());
    CHECK(used == allowed);
  }
}

POOL_TEST_CASE("pool: workers without affinity may run on all processors of the program") {
  const std::vector<unsigned> allowed = own_mask();
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 100; ++round) {
    std::latch both(2);
    std::atomic<int> narrowed{0};
    const auto look = [&] {
      both.arrive_and_wait();
      if (own_mask() != allowed) ++narrowed;
    };
    pool.join(look, look);
    REQUIRE(narrowed == 0);
  }
}

POOL_TEST_CASE("pool: gives its threads a stack of at least stack_size") {
  constexpr std::size_t kSize = 48 << 20;  // more than any system's default
  std::atomic<std::size_t> size{0};
  Pool pool({.num_threads = 1, .stack_size = kSize, .on_thread_start = [&](std::size_t) {
               pthread_attr_t attributes;
               void* address = nullptr;
               std::size_t bytes = 0;
               if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
                 pthread_attr_getstack(&attributes, &address, &bytes);
                 pthread_attr_destroy(&attributes);
               }
               size = bytes;
             }});
  CHECK(size >= kSize);
}

POOL_TEST_CASE("pool: a refused stack size throws an error with the option and its value") {
  if (blitz_test::emulated()) {
    MESSAGE("skipped: under qemu");
    return;
  }
  const std::size_t before = settled_thread_count();
  std::vector<std::size_t> sizes{1, 4096};
  // With 32 bits, no such size exists between a size that can be mapped and one that no machine can map.
  if constexpr (sizeof(std::size_t) == 8) sizes.push_back(static_cast<std::size_t>(std::uint64_t{1} << 46));
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    const auto message = message_of<ThreadPoolError>([&] { Pool pool({.num_threads = 4, .stack_size = size}); });
    CHECK(mentions(message, "stack_size"));
    CHECK(mentions(message, std::to_string(size)));
  }
  check_thread_count(before);
}

#elif defined(BLITZ_PORTABLE)

POOL_TEST_CASE("pool: an option that the system lacks throws an error with its name") {
  CHECK(mentions(
      message_of<ThreadPoolError>([] { Pool pool({.num_threads = 1, .affinity = blitz::Affinity::kOnePerWorker}); }),
      "affinity"));
  CHECK(mentions(message_of<ThreadPoolError>([] { Pool pool({.num_threads = 1, .stack_size = 1 << 20}); }),
                 "stack_size"));
}

#endif

// --- pools that cannot be made ---

POOL_TEST_CASE("pool: a failed thread start ends the threads that were started") {
  constexpr int kThreads = 6;
  const std::size_t before = settled_thread_count();
  for (int k = 0; k < kThreads; ++k) {
    CAPTURE(k);
    Roll starts(kThreads);
    Roll exits(kThreads);
    {
      const ThreadLimit limit(k);
      const auto message = message_of<ThreadPoolError>([&] {
        Pool pool({.num_threads = kThreads,
                   .on_thread_start = [&](std::size_t index) { starts(index); },
                   .on_thread_exit = [&](std::size_t index) { exits(index); }});
      });
      CHECK(mentions(message, std::to_string(k) + " of 6"));
      CHECK(mentions(message, "too many threads"));
    }
    CHECK(starts.total() == k);
    CHECK(exits.total() == k);
    check_thread_count(before);

    const ThreadLimit limit(k);
    CHECK_THROWS_AS(Pool({.num_threads = kThreads}), ThreadPoolError);
  }
  check_thread_count(before);
  const ThreadLimit enough(kThreads);
  Pool pool({.num_threads = kThreads});
  CHECK(pool.install([] { return 1; }) == 1);
}

POOL_TEST_CASE("pool: a start hook that throws on any thread ends the start with its message") {
  const std::size_t before = settled_thread_count();
  for (const std::size_t culprit : {0, 2, 4}) {
    CAPTURE(culprit);
    Roll starts(5);
    Roll exits(5);
    const auto message = message_of<ThreadPoolError>([&] {
      Pool pool({.num_threads = 5,
                 .on_thread_start =
                     [&](std::size_t index) {
                       starts(index);
                       if (index == culprit) throw std::runtime_error("out of order");
                     },
                 .on_thread_exit =
                     [&](std::size_t index) {
                       exits(index);
                       if (index == culprit) std::terminate();  // its start has not returned
                     }});
    });
    CHECK(mentions(message, "on_thread_start"));
    CHECK(mentions(message, "out of order"));
    CHECK(mentions(message, "worker " + std::to_string(culprit)));
    CHECK(starts.each_once());
    CHECK(exits.total() == 4);
    check_thread_count(before);
  }
  CHECK_THROWS_AS(Pool({.num_threads = 5, .on_thread_start = [](std::size_t) { throw 1; }}), ThreadPoolError);
  check_thread_count(before);
}

POOL_TEST_CASE("pool: a start hook that throws while a thread cannot be started ends the start") {
  const std::size_t before = settled_thread_count();
  std::atomic<int> starts{0};
  const ThreadLimit limit(2);
  CHECK_THROWS_AS(Pool({.num_threads = 5,
                        .on_thread_start =
                            [&](std::size_t) {
                              ++starts;
                              throw 1;
                            }}),
                  ThreadPoolError);
  CHECK(starts == 2);
  check_thread_count(before);
}

POOL_TEST_CASE("pool: rethrows an exception of thread_name") {
  const std::size_t before = settled_thread_count();
  struct NoName {};
  for (const std::size_t culprit : {0, 1, 4}) {
    CAPTURE(culprit);
    Roll starts(5);
    Roll exits(5);
    CHECK_THROWS_AS(Pool({.num_threads = 5,
                          .thread_name = [&](std::size_t index) -> std::string {
                            if (index == culprit) throw NoName();
                            return "fine";
                          },
                          .on_thread_start = [&](std::size_t index) { starts(index); },
                          .on_thread_exit = [&](std::size_t index) { exits(index); }}),
                    NoName);
    CHECK(starts.total() == static_cast<int>(culprit));
    CHECK(exits.total() == static_cast<int>(culprit));
    check_thread_count(before);
  }
}

POOL_TEST_CASE("pool: rejects impossible numbers with the reason") {
  const std::size_t before = settled_thread_count();
  for (const std::size_t count : {kNegative, kNegative >> 4, std::size_t{1} << 23}) {
    CAPTURE(count);
    const auto message = message_of<std::invalid_argument>([&] { Pool pool({.num_threads = count}); });
    CHECK(mentions(message, std::to_string(count)));
    CHECK(mentions(message, "num_threads"));
  }
  const auto message =
      message_of<std::invalid_argument>([] { Pool pool({.num_threads = 1, .stack_size = kNegative}); });
  CHECK(mentions(message, "stack_size"));

  // More than the policy has room for, though a machine might run them.
  CHECK(mentions(message_of<ThreadPoolError>([] { Pool pool({.num_threads = 0x10000}); }), "at most 65535"));
  check_thread_count(before);
}

namespace {

bool knows_its_worker() {
  const blitz::detail::WorkerBase* const worker = blitz::detail::current_worker;
  const blitz::detail::HotWorker* const hot = blitz::detail::hot_worker;
  if (worker == nullptr || worker->region() != 0) return false;
  return tested_policy == TestedPolicy::kForkJoin ? hot != nullptr && &hot->worker() == worker : hot == nullptr;
}

}  // namespace

POOL_TEST_CASE("pool: the program and the shared library see the same current worker") {
  Pool pool({.num_threads = 2});
  CHECK(pool.broadcast([&](blitz::BroadcastContext) { return knows_its_worker(); }) == std::vector<bool>{true, true});
  CHECK(pool.install([&] { return knows_its_worker(); }));
  CHECK(!pool.install([&] { return blitz::isolate([&] { return knows_its_worker(); }); }));
  CHECK(!knows_its_worker());
}

POOL_TEST_CASE("pool: 0 threads means BLITZ_NUM_THREADS or the number of processors") {
  blitz_test::set_environment("BLITZ_NUM_THREADS", nullptr);
  CHECK(Pool().num_threads() == blitz::detail::available_cpus());
  CHECK(Pool({.num_threads = 0}).num_threads() >= 1);
  blitz_test::set_environment("BLITZ_NUM_THREADS", "3");
  CHECK(Pool().num_threads() == 3);
  CHECK(Pool({.num_threads = 2}).num_threads() == 2);
  blitz_test::set_environment("BLITZ_NUM_THREADS", "three");
  CHECK(mentions(message_of<ThreadPoolError>([] { Pool pool; }), "BLITZ_NUM_THREADS"));
  blitz_test::set_environment("BLITZ_NUM_THREADS", nullptr);
}

POOL_TEST_CASE("pool: works with far more threads than processors") {
  Pool pool({.num_threads = 100});
  std::atomic<int> sum{0};
  blitz::parallel_for({.pool = &pool}, 0, 1000, [&](int i) { sum += i; });
  CHECK(sum == 499'500);
}
