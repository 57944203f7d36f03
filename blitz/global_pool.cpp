#include <memory>
#include <mutex>

#include "blitz/core/registry_impl.hpp"
#include "blitz/thread_pool.hpp"

namespace blitz {

namespace detail {

template class Worker<ForkJoinPolicy>;
template class Registry<ForkJoinPolicy>;

constinit Atomic<Registry<ForkJoinPolicy>*> started_global_registry{nullptr};

namespace {

/// Shut down when the statics are destroyed: a pool that was started in main() ends after main() has returned.
struct GlobalPool {
  ~GlobalPool() { shut_down(); }

  /// With the mutex held.
  void start(ThreadPoolOptions options) {
    pool = std::make_unique<ThreadPool>(std::move(options));
    started_global_registry.store(&registry_of(*pool), std::memory_order_release);
  }
  void shut_down() {
    const std::lock_guard lock(mutex);
    ended = true;
    started_global_registry.store(nullptr, std::memory_order_relaxed);
    if (pool != nullptr) pool->shutdown();
  }

  Mutex mutex;  // guards the others
  std::unique_ptr<ThreadPool> pool;
  bool ended = false;
};

GlobalPool& global() {
  static GlobalPool instance;
  return instance;
}

}  // namespace

Registry<ForkJoinPolicy>& start_global_registry() { return registry_of(global_pool()); }

}  // namespace detail

ThreadPool& global_pool() {
  detail::GlobalPool& global = detail::global();
  const std::lock_guard lock(global.mutex);
  if (global.ended) {
    throw ThreadPoolError(
        "blitz: the global pool was shut down, or the program is ending; "
        "use it before, or make a ThreadPool of your own");
  }
  if (global.pool == nullptr) global.start({});
  return *global.pool;
}

void init_global_pool(ThreadPoolOptions options) {
  detail::GlobalPool& global = detail::global();
  const std::lock_guard lock(global.mutex);
  if (global.ended || global.pool != nullptr) {
    throw ThreadPoolError(
        "blitz: the global pool has been started already; call init_global_pool once, before the first use of "
        "blitz's free functions");
  }
  global.start(std::move(options));
}

void shutdown_global_pool() { detail::global().shut_down(); }

std::size_t current_num_threads() {
  if (detail::current_worker != nullptr) return detail::current_worker->num_threads();
  return global_pool().num_threads();
}

}  // namespace blitz
