#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "blitz/detail/async/async_policy.hpp"
#include "blitz/detail/pool/registry_impl.hpp"
#include "blitz/detail/sys/kept_memory.hpp"
#include "blitz/detail/worker/pool_config.hpp"
#include "blitz/thread_pool.hpp"

namespace blitz {

namespace detail {

template class Worker<ForkJoinPolicy>;
template class Registry<ForkJoinPolicy>;
template Shared<PoolBase> start_pool<ForkJoinPolicy>(ThreadPoolOptions);
template class Worker<AsyncPolicy>;
template class Registry<AsyncPolicy>;
template Shared<PoolBase> start_pool<AsyncPolicy>(ThreadPoolOptions);

constinit Atomic<PoolBase*> started_global_pool{nullptr};

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
  /// With the mutex held.
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
    // While the program ends, all calls go through get(). It refuses calls of the thread that ends the program.
    if (!ended) started_global_pool.store(&base_of(*pool), std::memory_order_release);
  }

  /// Whether this is a hook of the pool's start: this thread holds the mutex, or a thread that waits for this one does.
  [[nodiscard]] bool in_hook_of_start() const noexcept {
    // Relaxed: it was set before this thread was started, and nobody waits for hooks that are called later.
    return hook_here != Hook::kNone && starting.load(std::memory_order_relaxed);
  }
  void throw_if_in_hook_of_start() const {
    if (in_hook_of_start()) {
      throw ThreadPoolError(
          ThreadPoolErrorCode::kWouldDeadlock,
          "blitz: a hook of the global pool (thread_name, on_thread_start, on_thread_exit) has used that pool, "
          "which has not started yet; use it in a job, such as a broadcast after init_global_pool, or use another "
          "ThreadPool");
    }
  }

  /// Returns the pool if it runs. Otherwise it will never run.
  ThreadPool* begin_to_shut_down() {
    const std::lock_guard lock(mutex);
    if (pool == nullptr) ended = true;
    return ended ? nullptr : pool.get();
  }
  /// Returns the pool if it runs. From now on only threads other than this one may use it.
  ThreadPool* begin_to_end_with_program() {
    const std::lock_guard lock(mutex);
    if (ended) return nullptr;
    ended = true;
    ended_by = PoolBase::this_thread();
    started_global_pool.store(nullptr, std::memory_order_relaxed);
    return pool.get();
  }
  /// Whether the pool's end would wait for the calling thread.
  [[nodiscard]] bool on_own_thread() {
    const std::lock_guard lock(mutex);
    return pool != nullptr && base_of(*pool).is_under_way();
  }

  /// Returns the pool for the calling thread; starts it if needed.
  ThreadPool& get();

  void shut_down() {
    throw_if_in_hook_of_start();
    if (on_own_thread())
      throw ThreadPoolError(ThreadPoolErrorCode::kWouldDeadlock,
                            kStoppedByOwnWorker);  // Before it waits for another thread's shutdown.
    const std::lock_guard one_at_a_time(shutting_down);
    if (ThreadPool* const running = begin_to_shut_down()) {
      running->shutdown();  // Without the mutex: the pool's jobs may call get().
    }
    const std::lock_guard lock(mutex);
    ended = true;
    started_global_pool.store(nullptr, std::memory_order_relaxed);
  }

  /// Like shut_down(), when the statics are destroyed. Other threads may be in calls of the pool and make more calls, and an
  /// exception there would abort the program. If any other thread has ever called the pool, the pool stays, and its threads end
  /// with the process. A thread that calls for the first time after the pool was stopped gets another pool.
  void end_with_program() {
    if (in_hook_of_start() || on_own_thread()) return;  // This thread called exit(), and cannot wait for itself.
    const std::lock_guard one_at_a_time(shutting_down);
    ThreadPool* const running = begin_to_end_with_program();
    if (running == nullptr) return;
    PoolBase& base = base_of(*running);
    base.detached_jobs().drain_and_hold();
    {
      const std::lock_guard lock(
          mutex);  // get(), under the same mutex, admits its caller or comes too late for this pool.
      if (!base.close_if_alone()) return;
      stopped = std::move(pool);
    }
    base.end_threads();
  }

  /// Like shut_down(), when the code is unloaded. No other thread is in the code, so nothing needs to stay.
  void unload() {
    shut_down();
    pool.reset();
    free_all_kept();
  }

  void lock_for_fork() {
    if (!in_hook_of_start()) mutex.lock();
  }
  void unlock_after_fork() {
    if (!in_hook_of_start()) mutex.unlock();
  }

  Mutex shutting_down;
  Mutex mutex;  // guards the rest
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<ThreadPool> stopped;  // by the end of the program
  bool ended = false;
  std::uintptr_t ended_by = 0;  // the thread that ends the program; 0 if the pool was shut down before
  Atomic<bool> starting{false};
};

/// Never destroyed: destructors of static and thread-local objects may call get() after the pool's end (it throws then), and
/// other threads may use it until the process has ended.
GlobalPool& global() {
  alignas(GlobalPool) static std::byte memory[sizeof(GlobalPool)];
  static auto* const instance = ::new (memory) GlobalPool;
  return *instance;
}

/// Whether the statics are destroyed because dlclose() unloads the shared object that contains this code. dlclose() calls the
/// functions of .fini_array before it destroys the statics, and exit() calls them after that.
bool unloading = false;
#if defined(__ELF__)
[[gnu::destructor]] void note_unloading() { unloading = true; }
#endif

/// From now on dlclose() does not unload the shared object that contains this code, because a destructor for this thread is
/// pending. The program ends before the thread does.
void stay_loaded() {
  struct Owed {
    ~Owed() { unloading = true; }  // Not trivial, so that compilers keep it.
  };
  static thread_local const Owed owed;
  static_cast<void>(opaque(&owed));
}

/// Ends the pool when the statics are destroyed: after main() has returned, or by dlclose().
struct EndOfProgram {
  ~EndOfProgram() {
    if (unloading) {
      global().unload();
    } else {
      global().end_with_program();
      stay_loaded();  // Another static object may call dlclose() later, and the pool's threads may go on.
    }
  }
};
void register_end_of_program() { static const EndOfProgram end; }

ThreadPool& GlobalPool::get() {
  throw_if_in_hook_of_start();
  const std::lock_guard lock(mutex);
  if (stopped != nullptr && own_pool == &base_of(*stopped)) return *stopped;
  if (ended && (ended_by == 0 || ended_by == PoolBase::this_thread())) {
    throw ThreadPoolError(ThreadPoolErrorCode::kShutDown,
                          "blitz: the global pool was shut down, or the program is ending; "
                          "use it earlier, or make another ThreadPool");
  }
  if (pool == nullptr) {
    register_end_of_program();
    start({});
  }
  if (!pool->current_thread_index()) static_cast<void>(base_of(*pool).try_admit());
  return *pool;
}

/// A forked child begins without a global pool, and does not touch its parent's.
[[maybe_unused]] const bool global_pool_handles_forks = at_fork({
    .prepare = [] { global().lock_for_fork(); },
    .parent = [] { global().unlock_after_fork(); },
    .child =
        [] {
          GlobalPool& global_pool = global();
          started_global_pool.store(nullptr, std::memory_order_relaxed);
          PoolBase::keep_for_ever(global_pool.pool.release());
          ::new (&global_pool.shutting_down) Mutex;  // A thread of the parent may hold it.
          if (!global_pool.in_hook_of_start()) {
            global_pool.mutex.unlock();
          } else if (hook_here == Hook::kOfWorker) {
            ::new (&global_pool.mutex) Mutex;  // A thread of the parent holds it, and waits for this hook.
            global_pool.starting.store(false, std::memory_order_relaxed);
          }
        },
});

}  // namespace

PoolBase& start_global_pool() {
  PoolBase& pool = base_of(global_pool());
  pool.throw_if_unusable();
  return pool;
}

void enter_pool(PoolBase* pool, PoolCall call, void* argument) {
  (pool != kHere ? *pool : global_pool_base()).enter(call, argument);
}

}  // namespace detail

ThreadPool& global_pool() { return detail::global().get(); }

void init_global_pool(ThreadPoolOptions options) {
  detail::GlobalPool& global = detail::global();
  global.throw_if_in_hook_of_start();
  const std::lock_guard lock(global.mutex);
  if (global.ended || global.pool != nullptr) {
    throw ThreadPoolError(
        ThreadPoolErrorCode::kAlreadyConfigured,
        "blitz: the global pool has been started already; call init_global_pool once, before the first use of "
        "blitz's free functions");
  }
  detail::register_end_of_program();
  global.start(std::move(options));
}

void shutdown_global_pool() { detail::global().shut_down(); }

std::size_t current_num_threads() {
  if (detail::current_worker != nullptr) return detail::current_worker->pool()->num_threads();
  return global_pool().num_threads();
}

}  // namespace blitz
