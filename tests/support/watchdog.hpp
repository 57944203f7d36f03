/// Ends a test that hangs, and prints the state of all threads.
///
/// The test increments a counter after each step. If the counter does not change for the watchdog's patience, the watchdog
/// looks at the threads of the process. If all of them are blocked and no CPU time passes, a wake-up was lost and the test will
/// never continue. If some run, the test may just be slow: it gets four times as long. Then the watchdog prints the seed, the
/// counters and contents of each pool and worker, and the state, CPU time and stack of every thread, and aborts.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <typeinfo>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>

#include "support/registry_of.hpp"

namespace blitz_test {

class Watchdog {
 public:
  static constexpr std::chrono::milliseconds kPatience{10'000};

  explicit Watchdog(std::string test, std::chrono::milliseconds patience = kPatience);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  /// Reports a step of the test. Any thread.
  void progress() noexcept { steps_.fetch_add(1, std::memory_order_relaxed); }

  /// Reports cover this pool from now on, including its destruction, until it was shut down and another pool is watched. Any
  /// thread.
  template <class P>
  void watch(blitz::BasicThreadPool<P>& pool) {
    add([registry = share(blitz_test::registry_of(pool))](bool print) {
      if (print) print_pool(*registry);
      return !registry->closed();
    });
  }

 private:
  /// Prints a pool if `print`. Returns false if the pool was shut down.
  using Report = std::function<bool(bool print)>;

  /// A worker's state that other threads can read.
  struct WorkerView {
    blitz::WorkerStats stats;
    std::size_t queue;             // jobs in it
    bool posted;                   // it was sent a job that it has not taken
    std::uint64_t detached_begun;  // jobs spawned on it
    std::uint64_t detached_ended;  // jobs that ended on it, spawned on any thread
  };
  struct PoolView {
    const char* type;  // mangled
    std::string idle;  // the counters of its idle protocol
    bool injector_empty;
    bool stopping;
    std::size_t max_concurrency;
    bool all_stand_apart;
    std::vector<WorkerView> workers;
  };

  template <class Registry>
  static void print_pool(Registry& registry) {
    PoolView view{typeid(registry).name(),
                  {},
                  registry.injector().empty(),
                  registry.detached_jobs().stopping(),
                  registry.max_concurrency(),
                  registry.home().apart.all(),
                  {}};
    if constexpr (requires { registry.idle().counters(); }) {
      const auto counters = registry.idle().counters();
      view.idle = "sleeping " + std::to_string(counters.sleeping()) + ", searching " +
                  std::to_string(registry.idle().num_searching()) + ", jobs-event counter " +
                  std::to_string(counters.jec()) + (counters.jec() % 2 == 0 ? " (sleepy)" : " (active)");
    } else if constexpr (requires { registry.idle().num_searching(); }) {
      view.idle = "searching " + std::to_string(registry.idle().num_searching()) + ", parked " +
                  std::to_string(registry.idle().num_parked());
    }
    for (std::size_t i = 0; i < registry.num_threads(); ++i) {
      auto& worker = registry.worker(i);
      view.workers.push_back({worker.stats(), worker.queue().size(), worker.has_mail(), worker.detached().begun(),
                              worker.detached().ended()});
    }
    print(view);
  }
  static void print(const PoolView& pool);

  void add(Report report);
  void run();
  [[noreturn]] void bark(std::uint64_t steps, std::chrono::nanoseconds stalled, std::chrono::nanoseconds cpu,
                         bool blocked);

  const std::string test_;
  const std::chrono::milliseconds patience_;
  std::atomic<std::uint64_t> steps_{0};

  std::mutex mutex_;  // guards the next three members
  std::condition_variable changed_;
  bool over_ = false;
  std::vector<Report> reports_;

  std::thread thread_;
};

/// CPU time of the whole process so far.
[[nodiscard]] std::chrono::nanoseconds process_cpu_time();
/// CPU time of all threads except the calling one; 0 if the system does not report it.
[[nodiscard]] std::chrono::nanoseconds cpu_time_of_others();

/// The number of threads that the process has now; 0 if the system does not report it.
[[nodiscard]] std::size_t count_threads();
/// True if the process soon has at most `count` threads: the system may list a joined thread for a moment longer.
[[nodiscard]] bool threads_come_down_to(std::size_t count);

}  // namespace blitz_test
