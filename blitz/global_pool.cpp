#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "blitz/core/registry_impl.hpp"
#include "blitz/thread_pool.hpp"

namespace blitz {

namespace detail {

template struct CurrentWorker<ForkJoinPolicy>;
template class Worker<ForkJoinPolicy>;
template class Registry<ForkJoinPolicy>;
template struct CurrentWorker<AsyncPolicy>;
template class Worker<AsyncPolicy>;
template class Registry<AsyncPolicy>;

constinit Atomic<Registry<ForkJoinPolicy>*> started_global_registry{nullptr};

namespace {

struct GlobalPool {
  /// With the mutex held.
  void start(ThreadPoolOptions options) {
    pool = std::make_unique<ThreadPool>(std::move(options));
    started_global_registry.store(&registry_of(*pool), std::memory_order_release);
  }
  /// The pool if it was started. If it was not, it never will be.
  ThreadPool* begin_to_end() {
    const std::lock_guard lock(mutex);
    if (pool == nullptr) ended = true;
    return pool.get();
  }
  void shut_down() {
    ThreadPool* const running = begin_to_end();
    if (running == nullptr) return;
    if (running->current_thread_index()) running->shutdown();  // Throws, without waiting for another who shuts it down.
    const std::lock_guard one_at_a_time(shutting_down);
    running->shutdown();  // Without the other mutex: the pool's jobs may ask for the pool.
    const std::lock_guard lock(mutex);
    ended = true;
    started_global_registry.store(nullptr, std::memory_order_relaxed);
  }

  Mutex shutting_down;
  Mutex mutex;  // guards the next two
  std::unique_ptr<ThreadPool> pool;
  bool ended = false;
};

/// Never destroyed: the destructors of static and thread-local objects may ask for the pool after its end, and are told
/// so.
GlobalPool& global() {
  alignas(GlobalPool) static std::byte memory[sizeof(GlobalPool)];
  static auto* const instance = ::new (memory) GlobalPool;
  return *instance;
}

/// Shut down when the statics are destroyed: a pool that was started in main() ends after main() has returned.
struct EndOfProgram {
  ~EndOfProgram() {
    try {
      global().shut_down();
    } catch (const ThreadPoolError&) {
      // A job of the pool has called exit(): the threads end with the process.
    }
  }
};
void shut_down_at_exit() { static const EndOfProgram end; }

/// The child begins without a global pool. That of its parent stays where it is, untouched.
[[maybe_unused]] const bool forks_handled = at_fork({
    .prepare = [] { global().mutex.lock(); },
    .parent = [] { global().mutex.unlock(); },
    .child =
        [] {
          GlobalPool& global_pool = global();
          started_global_registry.store(nullptr, std::memory_order_relaxed);
          PoolBase::keep_for_ever(std::shared_ptr<ThreadPool>(global_pool.pool.release(), [](ThreadPool*) {}));
          ::new (&global_pool.shutting_down) Mutex;  // A thread of the parent may have held it.
          global_pool.mutex.unlock();
        },
});

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
  if (global.pool == nullptr) {
    detail::shut_down_at_exit();
    global.start({});
  }
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
  detail::shut_down_at_exit();
  global.start(std::move(options));
}

void shutdown_global_pool() { detail::global().shut_down(); }

std::size_t current_num_threads() {
  if (detail::current_worker != nullptr) return detail::current_worker->num_threads();
  return global_pool().num_threads();
}

}  // namespace blitz
