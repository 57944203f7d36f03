#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "blitz/core/pool_config.hpp"
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

/// Which hook of the global pool the calling thread is in.
enum class Hook : unsigned char { kNone, kOfStarter, kOfWorker };
constinit thread_local Hook hook_here = Hook::kNone;

template <Hook kHook, class R, class... Args>
void mark(std::function<R(Args...)>& hook) {
  if (hook == nullptr) return;
  hook = [f = std::move(hook)](Args... args) -> R {
    struct Mark {
      Hook outer = std::exchange(hook_here, kHook);
      ~Mark() { hook_here = outer; }
    };
    const Mark mark;
    return f(std::move(args)...);
  };
}

struct GlobalPool {
  /// With the mutex held, or in a hook of a thread that waits for the one that holds it.
  void start(ThreadPoolOptions options) {
    mark<Hook::kOfStarter>(options.thread_name);
    mark<Hook::kOfWorker>(options.on_thread_start);
    mark<Hook::kOfWorker>(options.on_thread_exit);
    mark<Hook::kOfWorker>(options.exception_handler);
    struct Starting {
      Atomic<bool>& flag;
      ~Starting() { flag.store(false, std::memory_order_relaxed); }
    };
    starting.store(true, std::memory_order_relaxed);
    const Starting until_end{starting};
    pool = std::make_unique<ThreadPool>(std::move(options));
    // Once the program ends, all calls go through get(), which refuses those of the thread that ends it.
    if (!ended) started_global_registry.store(&registry_of(*pool), std::memory_order_release);
  }

  /// In a hook while the pool starts: the mutex is held by a thread that waits for this one, or by this one.
  [[nodiscard]] bool in_hook_of_start() const noexcept {
    // Relaxed: it was set before this thread was made, and a hook that is called later is not waited for.
    return hook_here != Hook::kNone && starting.load(std::memory_order_relaxed);
  }
  void throw_if_in_hook_of_start() const {
    if (in_hook_of_start()) {
      throw ThreadPoolError(
          "blitz: a hook of the global pool (thread_name, on_thread_start, on_thread_exit) has used that pool, "
          "which has not started yet; use it in a job, such as a broadcast after init_global_pool, or use a "
          "ThreadPool of your own");
    }
  }

  /// The pool if it runs. If it was not started, it never will be.
  ThreadPool* begin_to_shut_down() {
    const std::lock_guard lock(mutex);
    if (pool == nullptr) ended = true;
    return ended ? nullptr : pool.get();
  }
  /// The pool if it runs. From now on it is there for other threads than this one.
  ThreadPool* begin_to_end_with_program() {
    const std::lock_guard lock(mutex);
    if (ended) return nullptr;
    ended = true;
    ended_by = PoolBase::this_thread();
    started_global_registry.store(nullptr, std::memory_order_relaxed);
    return pool.get();
  }
  /// Whether the pool would wait for the calling thread to end.
  [[nodiscard]] bool on_own_thread() {
    const std::lock_guard lock(mutex);
    if (pool == nullptr) return false;
    return pool->current_thread_index() || own_pool == &registry_of(*pool);
  }

  /// The pool for the calling thread, started if need be.
  ThreadPool& get();

  void shut_down() {
    throw_if_in_hook_of_start();
    if (on_own_thread()) throw ThreadPoolError(kStoppedByOwnWorker);  // Not to wait for another that shuts it down.
    const std::lock_guard one_at_a_time(shutting_down);
    if (ThreadPool* const running = begin_to_shut_down()) {
      running->shutdown();  // Without the mutex: the pool's jobs may ask for the pool.
    }
    const std::lock_guard lock(mutex);
    ended = true;
    started_global_registry.store(nullptr, std::memory_order_relaxed);
  }

  /// As shut_down, when the statics are destroyed. Other threads may be in calls of the pool, and go on with more: to
  /// throw would be to abort the program. If there ever was one, they keep the pool, and its threads end with the
  /// process. A thread that comes for the first time after the pool was stopped gets another one.
  void end_with_program() {
    if (in_hook_of_start() || on_own_thread()) return;  // It has called exit(), and cannot wait for itself.
    const std::lock_guard one_at_a_time(shutting_down);
    ThreadPool* const running = begin_to_end_with_program();
    if (running == nullptr) return;
    Registry<ForkJoinPolicy>& registry = registry_of(*running);
    registry.drain_at_exit();
    {
      const std::lock_guard lock(mutex);  // Whatever thread asks for the pool has been counted, or does not get it.
      if (!registry.close_if_alone()) return;
      stopped = std::move(pool);
    }
    registry.end_threads();
  }

  Mutex shutting_down;
  Mutex mutex;  // guards the rest
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<ThreadPool> stopped;  // by the end of the program
  bool ended = false;
  std::uintptr_t ended_by = 0;  // the thread that ends the program, and began to do so before it was shut down
  Atomic<bool> starting{false};
};

/// Never destroyed: the destructors of static and thread-local objects may ask for the pool after its end, and are told
/// so; and other threads may use it until the process is gone.
GlobalPool& global() {
  alignas(GlobalPool) static std::byte memory[sizeof(GlobalPool)];
  static auto* const instance = ::new (memory) GlobalPool;
  return *instance;
}

/// When the statics are destroyed: a pool that was started in main() ends after main() has returned.
struct EndOfProgram {
  ~EndOfProgram() { global().end_with_program(); }
};
void end_with_program() { static const EndOfProgram end; }

ThreadPool& GlobalPool::get() {
  throw_if_in_hook_of_start();
  const std::lock_guard lock(mutex);
  if (stopped != nullptr && own_pool == &registry_of(*stopped)) return *stopped;
  if (ended && (ended_by == 0 || ended_by == PoolBase::this_thread())) {
    throw ThreadPoolError(
        "blitz: the global pool was shut down, or the program is ending; "
        "use it before, or make a ThreadPool of your own");
  }
  if (pool == nullptr) {
    detail::end_with_program();
    start({});
  }
  if (!pool->current_thread_index()) static_cast<void>(registry_of(*pool).try_admit());
  return *pool;
}

/// The child begins without a global pool. That of its parent stays where it is, untouched.
[[maybe_unused]] const bool forks_handled = at_fork({
    .prepare =
        [] {
          if (!global().in_hook_of_start()) global().mutex.lock();
        },
    .parent =
        [] {
          if (!global().in_hook_of_start()) global().mutex.unlock();
        },
    .child =
        [] {
          GlobalPool& global_pool = global();
          started_global_registry.store(nullptr, std::memory_order_relaxed);
          PoolBase::keep_for_ever(std::shared_ptr<ThreadPool>(global_pool.pool.release(), [](ThreadPool*) {}));
          ::new (&global_pool.shutting_down) Mutex;  // A thread of the parent may have held it.
          if (!global_pool.in_hook_of_start()) {
            global_pool.mutex.unlock();
          } else if (hook_here == Hook::kOfWorker) {
            ::new (&global_pool.mutex) Mutex;  // A thread of the parent holds it, and waits for this hook.
            global_pool.starting.store(false, std::memory_order_relaxed);
          }
        },
});

}  // namespace

Registry<ForkJoinPolicy>& start_global_registry() {
  Registry<ForkJoinPolicy>& registry = registry_of(global_pool());
  registry.throw_if_unusable();
  return registry;
}

void enter_pool(PoolBase* pool, PoolCall call, void* argument) {
  (pool != nullptr ? *pool : global_registry()).enter(call, argument);
}

}  // namespace detail

ThreadPool& global_pool() { return detail::global().get(); }

void init_global_pool(ThreadPoolOptions options) {
  detail::GlobalPool& global = detail::global();
  global.throw_if_in_hook_of_start();
  const std::lock_guard lock(global.mutex);
  if (global.ended || global.pool != nullptr) {
    throw ThreadPoolError(
        "blitz: the global pool has been started already; call init_global_pool once, before the first use of "
        "blitz's free functions");
  }
  detail::end_with_program();
  global.start(std::move(options));
}

void shutdown_global_pool() { detail::global().shut_down(); }

std::size_t current_num_threads() {
  if (detail::current_worker != nullptr) return detail::current_worker->num_threads();
  return global_pool().num_threads();
}

}  // namespace blitz
