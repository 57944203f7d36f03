/// @file
/// Coroutines on a pool: `co_await pool.schedule()`, Task, when_all, `co_await` of the handle of blitz::async.
///
/// A suspended coroutine occupies no thread and no stack. The job that resumes it is stored in its frame. Apart from the frame,
/// only the results of a vector of tasks and the state of blitz::async are allocated.
///
/// Older versions of clang may cache the address of a thread_local variable across a co_await, and then use the variable of
/// another thread. blitz reads such variables everywhere, so these compilers are rejected.
///
/// Sources: the design of Task, and symmetric transfer to its caller: L. Baker, "C++ Coroutines: Understanding Symmetric
/// Transfer", 2020; the counter of when_all: cppcoro by the same author.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#if defined(__clang__) && __clang_major__ < 19
#error "blitz: coroutines need g++ 11 or clang 19; clang 16 goes on with the thread_local variables of another thread"
#endif

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/async_handle.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/detail/task/spawned_job.hpp"
#include "blitz/detail/worker/caller_latch.hpp"
#include "blitz/policy.hpp"
#include "blitz/pool_ref.hpp"

namespace blitz {

template <class T = void>
class Task;

namespace detail {

/// The job that resumes a suspended coroutine on a worker. Stored in the coroutine's frame.
class ResumeJob : public InPlaceJob {
 public:
  ResumeJob() noexcept : InPlaceJob(&execute_it) {}

  /// See InPlaceJob::submit(): the coroutine may be resumed, and its frame destroyed, before this returns.
  void submit(PoolBase& pool, std::coroutine_handle<> coroutine) {
    coroutine_ = coroutine;
    InPlaceJob::submit(pool);
  }
  void submit_begun(PoolBase& pool, std::coroutine_handle<> coroutine) noexcept {
    coroutine_ = coroutine;
    InPlaceJob::submit_begun(pool);
  }

 private:
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    static_cast<ResumeJob*>(job)->coroutine_.resume();  // May destroy the job.
    Detached::finished(worker);
  }

  std::coroutine_handle<> coroutine_;
};

class [[nodiscard]] PoolAwait {
 public:
  PoolAwait(PoolBase& pool, std::stop_token stop) noexcept : pool_(pool), stop_(std::move(stop)) {}

  [[nodiscard]] static bool await_ready() noexcept { return false; }
  [[gnu::noinline]] void await_suspend(std::coroutine_handle<> coroutine) { job_.submit(pool_, coroutine); }
  void await_resume() const {
    if (stop_.stop_requested()) throw Stopped();
  }

 private:
  PoolBase& pool_;
  std::stop_token stop_;
  ResumeJob job_;
};

/// The callback for the end of a task.
struct TaskEnd {
  /// Returns the coroutine that the thread resumes next. The task's frame and the TaskEnd may be destroyed before it returns.
  using Ended = std::coroutine_handle<> (*)(TaskEnd& self, std::coroutine_handle<> task) noexcept;
  Ended ended;
};

template <class T>
class TaskPromiseBase {
 public:
  using Value = ValueOf<T>;

  TaskPromiseBase() noexcept = default;
  TaskPromiseBase(const TaskPromiseBase&) = delete;
  TaskPromiseBase& operator=(const TaskPromiseBase&) = delete;
  ~TaskPromiseBase() {
    if (has_result_) result_.discard();
  }

  [[nodiscard]] static std::suspend_always initial_suspend() noexcept { return {}; }
  [[nodiscard]] static auto final_suspend() noexcept {
    struct Final {
      [[nodiscard]] static bool await_ready() noexcept { return false; }
      [[gnu::noinline]] static std::coroutine_handle<> await_suspend(
          std::coroutine_handle<typename Task<T>::promise_type> task) noexcept {
        TaskEnd& end = *task.promise().end_;
        return end.ended(end, task);
      }
      static void await_resume() noexcept {}
    };
    return Final{};
  }
  void unhandled_exception() noexcept {
    keep([]() -> Value { throw; });
  }

  /// Sets the callback. Call it before the task starts.
  void tell(TaskEnd& end) noexcept { end_ = &end; }
  [[nodiscard]] ResumeJob& job() noexcept { return job_; }

  /// Returns the result of the finished task, or throws its exception.
  Value take() {
    has_result_ = false;
    return result_.take();
  }

 protected:
  template <class F>
  void keep(F&& f) noexcept {
    result_.run(std::forward<F>(f));
    has_result_ = true;
  }

 private:
  JobResult<Value> result_;
  bool has_result_ = false;
  TaskEnd* end_ = nullptr;
  ResumeJob job_;
};

template <class T>
struct TaskPromise : TaskPromiseBase<T> {
  template <class U = T>
    requires std::constructible_from<T, U>
  void return_value(U&& value) noexcept {
    this->keep([&]() -> T { return static_cast<T>(std::forward<U>(value)); });
  }
};
template <>
class TaskPromise<void> : public TaskPromiseBase<void> {
 public:
  void return_void() noexcept {
    this->keep([]() noexcept { return Unit{}; });
  }

  /// Call it before the task starts. Nobody awaits the task: it reports its exception and destroys itself when it finishes.
  void detach(PoolBase& pool) noexcept {
    nobody_.pool = &pool;
    tell(nobody_);
  }

 private:
  struct Nobody : TaskEnd {
    static std::coroutine_handle<> ended_it(TaskEnd& self, std::coroutine_handle<> task) noexcept {
      PoolBase& pool = *static_cast<Nobody&>(self).pool;
      try {
        std::coroutine_handle<TaskPromise>::from_address(task.address()).promise().take();
      } catch (...) {
        pool.report(std::current_exception());
      }
      task.destroy();
      return std::noop_coroutine();
    }
    PoolBase* pool = nullptr;
  };

  Nobody nobody_{{&Nobody::ended_it}};
};

}  // namespace detail

/// @brief A lazy coroutine: it starts when it is awaited, and resumes the awaiting coroutine when it finishes.
///
/// @code
///   blitz::Task<long> fib(int n) {
///     if (n < 2) co_return n;
///     auto [x, y] = co_await blitz::when_all(fib(n - 1), fib(n - 2));
///     co_return x + y;
///   }
///   ...
///   const long result = blitz::sync_wait(fib(20));
/// @endcode
///
/// It starts on the thread that awaits it. `co_await pool.schedule()` moves it to a worker; when_all() runs tasks in parallel.
/// The `co_await` rethrows its exception. A task that is destroyed before it is awaited never starts.
///
/// @tparam T  The type of the result: an object type, a reference or void.
/// Complexity: the frame is one allocation, unless the compiler elides it. Start and end take a few nanoseconds and, in
/// optimized builds, no stack. Thread-safety: distinct objects may be used concurrently.
template <class T>
class [[nodiscard]] Task {
 public:
  /// Required by the compiler.
  struct promise_type final : detail::TaskPromise<T> {
    /// Called by the compiler.
    Task get_return_object() noexcept { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
  };

  Task() noexcept = default;  ///< Makes an empty task.
  /// Leaves `other` empty.
  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  /// Destroys the own coroutine and leaves `other` empty.
  Task& operator=(Task&& other) noexcept {
    Task(std::move(other)).swap(*this);
    return *this;
  }
  /// Destroys the coroutine, if there is one.
  ~Task() {
    if (coroutine_ != nullptr) coroutine_.destroy();
  }
  /// Exchanges the coroutine with the one of `other`.
  void swap(Task& other) noexcept { std::swap(coroutine_, other.coroutine_); }

  /// Whether there is a coroutine: false after a move.
  [[nodiscard]] bool valid() const noexcept { return coroutine_ != nullptr; }

  /// Starts the task, and resumes the awaiting coroutine with its result when it finishes. Throws std::logic_error for an empty
  /// task.
  /// @return An awaitable.
  auto operator co_await() && {
    struct Await : detail::TaskEnd {
      explicit Await(std::coroutine_handle<promise_type> its_task) noexcept : TaskEnd{&ended_it}, task(its_task) {}
      [[nodiscard]] static bool await_ready() noexcept { return false; }
      [[gnu::noinline]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller_of_it) noexcept {
        caller = caller_of_it;
        task.promise().tell(*this);
        return task;
      }
      T await_resume() { return static_cast<T>(task.promise().take()); }

      static std::coroutine_handle<> ended_it(TaskEnd& self, std::coroutine_handle<>) noexcept {
        return static_cast<Await&>(self).caller;
      }
      std::coroutine_handle<promise_type> task;
      std::coroutine_handle<> caller;
    };
    return Await(coroutine());
  }
  void operator co_await() & = delete;  ///< A task is awaited once: `co_await std::move(task)`.

  /// Internal: the coroutine. Throws std::logic_error if there is none.
  [[nodiscard]] std::coroutine_handle<promise_type> coroutine() const {
    if (coroutine_ == nullptr) [[unlikely]] {
      throw std::logic_error("blitz: this task is empty; await the task that the coroutine returned, and only once");
    }
    return coroutine_;
  }
  /// Internal: transfers ownership of the coroutine to the caller. Throws the exceptions of coroutine().
  [[nodiscard]] std::coroutine_handle<promise_type> release() {
    static_cast<void>(coroutine());
    return std::exchange(coroutine_, nullptr);
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_(coroutine) {}

  std::coroutine_handle<promise_type> coroutine_;
};

namespace detail {

/// The callback of several tasks: the last one to finish resumes the awaiting coroutine. Stored in that coroutine's frame.
class AllTasks : public TaskEnd {
 public:
  AllTasks() noexcept : TaskEnd{&ended_it} {}

  /// Starts `count` tasks, at least one. The caller resumes the first, which is returned; the others become jobs.
  /// `for_each(f)` calls `f` with the coroutine of each task. Throws the exceptions of current_pool() and reserve_pushes(); no
  /// task has started then.
  template <class ForEach>
  [[nodiscard]] std::coroutine_handle<> begin(std::size_t count, std::coroutine_handle<> caller,
                                              const ForEach& for_each) {
    PoolBase& pool = current_pool();
    WorkerBase* const worker = worker_of(pool);
    reserve_pushes(worker, count - 1);
    for (std::size_t i = 1; i < count; ++i) Detached::begun(worker, pool);  // Only the first call may throw.
    caller_ = caller;
    running_.store(count, std::memory_order_relaxed);  // The pushes publish it.
    std::coroutine_handle<> first;
    for_each([&](auto task) {
      task.promise().tell(*this);
      if (first == nullptr) {
        first = task;
      } else {
        task.promise().job().submit_begun(pool, task);
      }
    });
    return first;
  }

 private:
  static std::coroutine_handle<> ended_it(TaskEnd& self, std::coroutine_handle<>) noexcept {
    auto& all = static_cast<AllTasks&>(self);
    const std::coroutine_handle<> caller = all.caller_;
    // Release: publishes the effects of this task. Acquire: the last task, and so the caller, sees the effects of all.
    if (all.running_.fetch_sub(1, std::memory_order_acq_rel) == 1) return caller;
    return std::noop_coroutine();
  }

  std::coroutine_handle<> caller_;
  Atomic<std::size_t> running_{0};  // decremented by each task that finishes
};

template <class... Ts>
class [[nodiscard]] WhenAll {
 public:
  explicit WhenAll(Task<Ts>... tasks) : tasks_(std::move(tasks)...) {
    std::apply([](const auto&... task) { (static_cast<void>(task.coroutine()), ...); }, tasks_);
  }

  [[nodiscard]] static bool await_ready() noexcept { return sizeof...(Ts) == 0; }
  [[gnu::noinline]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    return all_.begin(sizeof...(Ts), caller, [this](const auto& f) {
      std::apply([&](const auto&... task) { (f(task.coroutine()), ...); }, tasks_);
    });
  }
  std::tuple<ValueOf<Ts>...> await_resume() {
    return std::apply(
        [](const auto&... task) { return std::tuple<ValueOf<Ts>...>{task.coroutine().promise().take()...}; }, tasks_);
  }

 private:
  std::tuple<Task<Ts>...> tasks_;
  AllTasks all_;
};

template <class T>
class [[nodiscard]] WhenAllOf {
 public:
  explicit WhenAllOf(std::vector<Task<T>> tasks) : tasks_(std::move(tasks)) {
    for (const Task<T>& task : tasks_) static_cast<void>(task.coroutine());
  }

  [[nodiscard]] bool await_ready() const noexcept { return tasks_.empty(); }
  [[gnu::noinline]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    return all_.begin(tasks_.size(), caller, [this](const auto& f) {
      // The first task starts only after this loop, so the tasks cannot all finish and destroy this object during it.
      for (const Task<T>& task : tasks_) f(task.coroutine());
    });
  }
  auto await_resume() {
    if constexpr (std::is_void_v<T>) {
      for (const Task<T>& task : tasks_) task.coroutine().promise().take();
    } else {
      std::vector<T> results;
      results.reserve(tasks_.size());
      for (const Task<T>& task : tasks_) results.push_back(task.coroutine().promise().take());
      return results;
    }
  }

 private:
  std::vector<Task<T>> tasks_;
  AllTasks all_;
};

inline void spawn_task(PoolBase& pool, Task<> task) {
  const auto coroutine = task.coroutine();
  WorkerBase* const worker = worker_of(pool);
  reserve_pushes(worker, 1);
  Detached::begun(worker, pool);
  static_cast<void>(task.release());
  coroutine.promise().detach(pool);
  coroutine.promise().job().submit_begun(pool, coroutine);
}

template <class R>
class [[nodiscard]] AwaitHandle final : public AsyncWaiter {
 public:
  explicit AwaitHandle(AsyncHandle<R>& handle) noexcept : AsyncWaiter{&ready_it}, handle_(handle) {}

  [[nodiscard]] bool await_ready() const { return handle_.ready(); }
  [[gnu::noinline]] bool await_suspend(std::coroutine_handle<> coroutine) {
    coroutine_ = coroutine;
    return handle_.set_waiter(*this);
  }
  R await_resume() { return handle_.get(); }

 private:
  /// Called by the job on its worker when it finishes.
  static void ready_it(AsyncWaiter& self) noexcept { static_cast<AwaitHandle&>(self).coroutine_.resume(); }

  AsyncHandle<R>& handle_;
  std::coroutine_handle<> coroutine_;
};

}  // namespace detail

/// @brief Continues a coroutine as a job of `pool`: `co_await blitz::schedule(pool)`, or `co_await pool.schedule()`.
///
/// The job is like a job of blitz::spawn, and runs in the same order. The destructor of the pool waits for coroutines that are
/// queued or running in it, but not for coroutines that wait for something else.
///
/// @code
///   co_await blitz::schedule(pool);  // from here on a worker of the pool runs this coroutine
/// @endcode
///
/// @param pool  The pool that resumes the coroutine.
/// @param stop  If a stop has been requested by the time the coroutine resumes, the `co_await` throws Stopped.
/// @return An awaitable. Await it once, while the pool exists. Awaiting it throws ThreadPoolError if the pool was shut down,
///         and std::bad_alloc within isolate() if an allocation fails; the coroutine then continues on its present thread.
/// Complexity: O(1), about ten nanoseconds on a worker; no allocation. Thread-safety: any thread.
template <PoolPolicy P>
[[nodiscard]] auto schedule(BasicThreadPool<P>& pool, std::stop_token stop = {}) {
  return detail::PoolAwait(detail::base_of(pool), std::move(stop));
}
/// @brief Like schedule(pool), in the caller's pool if it is a worker, otherwise in the global pool. Throws the exceptions of
/// global_pool().
/// @param stop  If a stop has been requested by the time the coroutine resumes, the `co_await` throws Stopped.
[[nodiscard]] inline auto schedule(std::stop_token stop = {}) {
  return detail::PoolAwait(detail::current_pool(), std::move(stop));
}

/// @brief `co_await blitz::when_all(a(), b(), ...)` runs tasks in parallel, and resumes when all have finished.
///
/// The first task starts immediately on this thread. The others become jobs of the caller's pool if it is a worker, otherwise
/// of the global pool. The awaiting coroutine resumes on the thread that finishes the last task.
///
/// @code
///   auto [x, y] = co_await blitz::when_all(fib(n - 1), fib(n - 2));
/// @endcode
///
/// @return An awaitable. Await it once. Its result is a `std::tuple` of the tasks' results, with Unit for void. If tasks threw,
///         it rethrows the exception of the first of them in argument order, after all tasks have finished.
/// @throws std::logic_error for an empty task. Awaiting it throws the exceptions of global_pool(), and std::bad_alloc within
///         isolate() if an allocation fails; no task has started then.
/// Complexity: O(n) for n tasks; no allocation. Thread-safety: any thread.
template <class... Ts>
[[nodiscard]] auto when_all(Task<Ts>... tasks) {
  return detail::WhenAll<Ts...>(std::move(tasks)...);
}
/// @brief Runs a vector of tasks in parallel; see the form with a list of tasks. The result is a `std::vector` of the results
/// in the order of the tasks, or void for tasks without results. Complexity: O(n) for n tasks; only that vector is allocated.
/// @return An awaitable.
template <class T>
[[nodiscard]] auto when_all(std::vector<Task<T>> tasks) {
  static_assert(!std::is_reference_v<T>, "blitz: a vector holds no references; let the tasks return pointers");
  return detail::WhenAllOf<T>(std::move(tasks));
}

/// @brief `co_await handle` waits for the result of blitz::async without blocking a thread. If the result is ready, the
/// coroutine continues immediately; otherwise it continues at the end of the job, on the worker that ran the job. Returns the
/// result, or throws the exception, of AsyncHandle::get().
///
/// @code
///   blitz::AsyncHandle<int> handle = blitz::async(compute);
///   const int result = co_await handle;
/// @endcode
///
/// Throws std::logic_error if the handle is not valid, and ThreadPoolError in a forked child if the pool is its parent's.
/// @param handle  Not valid afterwards.
/// Complexity: O(1); nothing is allocated. Thread-safety: one waiter at a time, here or in get().
template <class R>
[[nodiscard]] auto operator co_await(AsyncHandle<R>& handle) noexcept {
  return detail::AwaitHandle<R>(handle);
}
/// Waits for the result of a temporary handle.
/// @param handle  Not valid afterwards.
/// @return An awaitable.
template <class R>
[[nodiscard]] auto operator co_await(AsyncHandle<R>&& handle) noexcept {
  return detail::AwaitHandle<R>(handle);
}

/// @brief Runs a task from a function that is not a coroutine, and returns its result.
///
/// The task starts on the calling thread. If it moves to another thread, the caller waits for it: a worker runs other jobs of
/// its pool, any other thread blocks.
///
/// @code
///   const long result = blitz::sync_wait(fib(20));
/// @endcode
/// @return The result of the task. Throws its exception, and std::logic_error for an empty task.
/// Complexity: O(1) plus the task. Thread-safety: any thread.
template <class T>
T sync_wait(Task<T> task) {
  struct Caller : detail::TaskEnd {
    Caller() noexcept : TaskEnd{&ended_it} {}
    static std::coroutine_handle<> ended_it(TaskEnd& self, std::coroutine_handle<>) noexcept {
      static_cast<Caller&>(self).latch.set();
      return std::noop_coroutine();
    }
    detail::CallerLatch latch;
  };
  const auto coroutine = task.coroutine();
  Caller caller;
  coroutine.promise().tell(caller);
  coroutine.resume();
  caller.latch.wait();
  return static_cast<T>(coroutine.promise().take());
}

/// @brief Spawns a task that nobody awaits: it starts as a job of `pool`, like the callable of blitz::spawn.
///
/// ThreadPoolOptions::exception_handler receives its exception; without a handler std::terminate is called. The task must
/// finish while the pool exists, in a job of that pool or elsewhere.
///
/// @param pool  The pool that starts the task.
/// @param task  Moved into the job.
/// @throws std::logic_error for an empty task; ThreadPoolError if the pool was shut down; std::bad_alloc within isolate() if an
///         allocation fails. The task has not started then.
/// Complexity: O(1); no allocation. Thread-safety: any thread.
template <PoolPolicy P>
void spawn(BasicThreadPool<P>& pool, Task<> task) {
  detail::spawn_task(detail::base_of(pool), std::move(task));
}
/// @brief Like spawn(pool, task), in the caller's pool if it is a worker, otherwise in the global pool. Also throws the
/// exceptions of global_pool().
/// @param task  Moved into the job.
inline void spawn(Task<> task) { detail::spawn_task(detail::current_pool(), std::move(task)); }

}  // namespace blitz
