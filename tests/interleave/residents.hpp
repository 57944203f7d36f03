/// The shipped Worker and Registry in a pool with simulated threads, for the suites that test them.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "blitz/detail/fork_join/fork_join_policy.hpp"
#include "blitz/detail/pool/registry_impl.hpp"
#include "tests/support/interleave/explore.hpp"

// As the library does for the shipped program.
namespace blitz::detail {
template class Worker<ForkJoinPolicy>;
template class Registry<ForkJoinPolicy>;
/// Without a global pool.
void enter_pool(PoolBase* pool, PoolCall call, void* argument) { pool->enter(call, argument); }
}  // namespace blitz::detail

namespace interleave_test {
using blitz::ForkJoinPolicy;
using blitz::detail::CoreLatch;
using blitz::detail::Job;
using blitz::detail::Parker;
using blitz::detail::WorkerBase;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

using Registry = blitz::detail::Registry<ForkJoinPolicy>;
using Worker = blitz::detail::Worker<ForkJoinPolicy>;

/// The part of a worker that a join uses.
inline blitz::detail::HotWorker& hot(Worker& worker) noexcept { return worker; }

/// A job owned by the test.
struct Task final : Job {
  explicit Task(std::function<void(Worker&)> f = [](Worker&) {}) : Job(&execute_it), function(std::move(f)) {}

  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto& self = *static_cast<Task*>(job);
    self.runs.write(self.runs.read() + 1);
    self.function(static_cast<Worker&>(worker));
  }
  [[nodiscard]] bool has_run() const { return runs.read() == 1; }

  std::function<void(Worker&)> function;
  Plain<int> runs{"runs", 0};
};

/// A pool with residents that wait for the first work.
class Pool {
 public:
  Pool(Run& run, std::size_t slots, std::size_t concurrency, blitz::ThreadPoolOptions options = {}) {
    run.own_by_thread(blitz::detail::current_worker);
    run.own_by_thread(blitz::detail::hot_worker);
    run.own_by_thread(blitz::detail::own_pool);
    run.own_by_thread(blitz::detail::newest_stay);
    options.num_threads = slots;
    options.seed = 0;
    registry = Registry::start(std::move(options));
    registry->set_max_concurrency(concurrency);
    run.settle();
  }

  [[nodiscard]] Worker& worker(std::size_t slot) { return registry->worker(slot); }
  void post(std::size_t slot, Task& task) { worker(slot).mail(&task); }
  void inject(Task& task) { registry->inject(&task); }

  /// Terminates the workers, as the end of the pool does.
  void end() {
    for (std::size_t slot = 0; slot < registry->num_threads(); ++slot) worker(slot).terminate();
  }

  /// Call this when nothing runs: one resident sleeps apart.
  void expect_one_apart() { expect(registry->home().apart.count() == 1, "the one that stands apart is counted, once"); }

  blitz::detail::Shared<Registry> registry;
};

}  // namespace interleave_test
