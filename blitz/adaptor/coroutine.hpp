/// @file
/// Coroutines on a pool: `co_await pool.schedule()`, Task, when_all, `co_await` of the handle of blitz::async.
///
/// A coroutine that waits occupies no thread and no stack. What it needs to be resumed lies in its own frame: beside that
/// frame nothing is allocated, but for the results of a vector of tasks, and what blitz::async takes.
///
/// An older clang may read a thread_local variable after a co_await at the address that it had before, on another thread:
/// all of blitz reads such variables, so coroutines are refused there.
///
/// The shape of a task, and that its end resumes its caller without a deeper stack: L. Baker, "C++ Coroutines:
/// Understanding Symmetric Transfer", 2020; the counting of when_all: the same author's cppcoro.
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

/// A suspended coroutine that a worker is to resume. It lies in the coroutine's frame.
class ResumeJob : public InPlaceJob {
 public:
  ResumeJob() noexcept : InPlaceJob(&execute_it) {}

  /// As InPlaceJob's: the coroutine may be resumed, and its frame be gone, before this returns.
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
    static_cast<ResumeJob*>(job)->coroutine_.resume();  // The job may be gone.
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

/// What is told that a task has ended.
struct TaskEnd {
  /// Returns what the thread resumes next. The task's frame, and the TaskEnd, may be gone when it returns.
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

  /// Before the task begins.
  void tell(TaskEnd& end) noexcept { end_ = &end; }
  [[nodiscard]] ResumeJob& job() noexcept { return job_; }

  /// Once the task has ended: returns its result, or throws what it has thrown.
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

  /// Before the task begins, which nobody awaits: at its end it is destroyed, and what it has thrown reported.
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

/// @brief A coroutine that begins when it is awaited, and whose end resumes the one that awaits it.
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
/// It begins on the thread that awaits it; `co_await pool.schedule()` moves it to a worker, and when_all has its tasks run
/// in parallel. What it throws arrives at the `co_await`. A task that is destroyed before it was awaited never begins.
///
/// @tparam T  What `co_return` returns: an object, a reference or void.
/// Complexity: the frame is one allocation, unless the compiler saves it; beginning and ending take some nanoseconds and no
/// stack (where the compiler optimizes). Thread-safety: that of a value.
template <class T>
class [[nodiscard]] Task {
 public:
  /// For the compiler.
  struct promise_type final : detail::TaskPromise<T> {
    /// For the compiler.
    Task get_return_object() noexcept { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
  };

  Task() noexcept = default;  ///< Empty.
  /// Leaves the other one empty.
  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  /// Leaves the other one empty; destroys the own coroutine.
  Task& operator=(Task&& other) noexcept {
    Task(std::move(other)).swap(*this);
    return *this;
  }
  ~Task() {
    if (coroutine_ != nullptr) coroutine_.destroy();
  }
  /// Each gets the other's coroutine.
  void swap(Task& other) noexcept { std::swap(coroutine_, other.coroutine_); }

  /// Whether there is a coroutine: false once moved from.
  [[nodiscard]] bool valid() const noexcept { return coroutine_ != nullptr; }

  /// Begins the task and resumes the awaiting coroutine at its end, with its result. Throws std::logic_error for an empty
  /// task.
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
  void operator co_await() & = delete;  ///< A task is awaited once: co_await std::move(task).

  /// For the library: the coroutine. Throws std::logic_error if there is none.
  [[nodiscard]] std::coroutine_handle<promise_type> coroutine() const {
    if (coroutine_ == nullptr) [[unlikely]] {
      throw std::logic_error("blitz: this task is empty; await the one that the coroutine returned, once");
    }
    return coroutine_;
  }
  /// For the library: the coroutine, to be destroyed by its new owner. Throws as coroutine() does.
  [[nodiscard]] std::coroutine_handle<promise_type> release() {
    static_cast<void>(coroutine());
    return std::exchange(coroutine_, nullptr);
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_(coroutine) {}

  std::coroutine_handle<promise_type> coroutine_;
};

namespace detail {

/// The end of several tasks: the last one resumes the coroutine that awaits them. It lies in that one's frame.
class AllTasks : public TaskEnd {
 public:
  AllTasks() noexcept : TaskEnd{&ended_it} {}

  /// Begins `count` tasks, at least one: the first on this thread, which resumes what is returned, the others as jobs.
  /// `for_each(f)` calls `f` with the coroutine of each. Throws the exceptions of current_pool() and reserve_pushes; then none has
  /// begun.
  template <class ForEach>
  [[nodiscard]] std::coroutine_handle<> begin(std::size_t count, std::coroutine_handle<> caller,
                                              const ForEach& for_each) {
    PoolBase& pool = current_pool();
    WorkerBase* const worker = worker_of(pool);
    reserve_pushes(worker, count - 1);
    for (std::size_t i = 1; i < count; ++i) Detached::begun(worker, pool);  // Throws the first time, if at all.
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
    // Release: what the task has done. Acquire, by the last: what all have done.
    if (all.running_.fetch_sub(1, std::memory_order_acq_rel) == 1) return caller;
    return std::noop_coroutine();
  }

  std::coroutine_handle<> caller_;
  Atomic<std::size_t> running_{0};  // written by each task that ends
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
      // The last one may end everything, this object included, as soon as it is posted; but not before the first begins.
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
  /// By the job, which a worker of its pool runs, at its end.
  static void ready_it(AsyncWaiter& self) noexcept { static_cast<AwaitHandle&>(self).coroutine_.resume(); }

  AsyncHandle<R>& handle_;
  std::coroutine_handle<> coroutine_;
};

}  // namespace detail

/// @brief What a coroutine awaits to go on as a job of `pool`: `co_await blitz::schedule(pool)`, or
/// `co_await pool.schedule()`.
///
/// The job is one like those of blitz::spawn, and runs in the same order. The end of the pool waits for coroutines that are
/// on the way to it or run in it, but not for those that wait for something else.
///
/// @code
///   co_await blitz::schedule(pool);  // from here on a worker of the pool runs this coroutine
/// @endcode
///
/// @param pool  Where it goes on.
/// @param stop  If a stop is requested when the coroutine goes on, the `co_await` throws Stopped.
/// @return An awaitable, to be awaited once, while the pool lives. Awaiting it throws ThreadPoolError if the pool was shut
///         down, and in isolate std::bad_alloc; the coroutine then goes on in its old place.
/// Complexity: O(1), some ten nanoseconds on a worker; nothing is allocated. Thread-safety: any thread.
template <PoolPolicy P>
[[nodiscard]] auto schedule(BasicThreadPool<P>& pool, std::stop_token stop = {}) {
  return detail::PoolAwait(detail::base_of(pool), std::move(stop));
}
/// @brief The same in the pool that the caller works for, or else in the global pool. Throws what global_pool() throws.
/// @param stop  See the form with a pool.
[[nodiscard]] inline auto schedule(std::stop_token stop = {}) {
  return detail::PoolAwait(detail::current_pool(), std::move(stop));
}

/// @brief `co_await blitz::when_all(a(), b(), ...)` runs tasks in parallel, and goes on when all have ended.
///
/// The first begins at once on this thread, the others are jobs of the pool that the caller works for, or else of the global
/// pool. The awaiting coroutine goes on on the thread on which the last task ends.
///
/// @code
///   auto [x, y] = co_await blitz::when_all(fib(n - 1), fib(n - 2));
/// @endcode
///
/// @return An awaitable, to be awaited once. Its result is a std::tuple of the tasks' results, with Unit for void. If tasks
///         threw, the exception of the first of them in the list arrives, when all have ended.
/// @throws std::logic_error for an empty task; awaiting it throws the exceptions of global_pool(), and in isolate std::bad_alloc;
///         then no task has begun.
/// Complexity: O(n) for n tasks; nothing is allocated. Thread-safety: any thread.
template <class... Ts>
[[nodiscard]] auto when_all(Task<Ts>... tasks) {
  return detail::WhenAll<Ts...>(std::move(tasks)...);
}
/// @brief The same for as many tasks as there are. The result is a std::vector of the results in the tasks' order, or nothing
/// for tasks of void. Complexity: O(n) for n tasks; beside that vector nothing is allocated.
template <class T>
[[nodiscard]] auto when_all(std::vector<Task<T>> tasks) {
  static_assert(!std::is_reference_v<T>, "blitz: a vector holds no references; let the tasks return pointers");
  return detail::WhenAllOf<T>(std::move(tasks));
}

/// @brief `co_await handle` waits for the result of blitz::async without a thread. The coroutine continues at the end of the
/// job, on the worker that ran it, or, if the result was ready, immediately; it gets what get() returns or throws.
///
/// @code
///   blitz::AsyncHandle<int> handle = blitz::async(compute);
///   const int result = co_await handle;
/// @endcode
///
/// Throws std::logic_error if the handle is not valid, and ThreadPoolError in a forked child whose parent has the pool.
/// @param handle  Not valid afterwards.
/// Complexity: O(1); nothing is allocated. Thread-safety: one waiter at a time, here or in get().
template <class R>
[[nodiscard]] auto operator co_await(AsyncHandle<R>& handle) noexcept {
  return detail::AwaitHandle<R>(handle);
}
/// The same of an rvalue.
/// @param handle  Not valid afterwards.
template <class R>
[[nodiscard]] auto operator co_await(AsyncHandle<R>&& handle) noexcept {
  return detail::AwaitHandle<R>(handle);
}

/// @brief Runs a task from a function that is no coroutine, and returns its result.
///
/// The task begins on the calling thread. If it goes on elsewhere, a worker runs other jobs of its pool until it has ended,
/// and any other thread blocks.
///
/// @return What the task returns. Throws what it throws, and std::logic_error for an empty task.
/// @code
///   const long result = blitz::sync_wait(fib(20));
/// @endcode
/// Complexity: O(1) beside the task. Thread-safety: any thread.
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

/// @brief Spawns a task that nobody awaits, as blitz::spawn does a callable: it begins as a job of `pool`.
///
/// What it throws goes to ThreadPoolOptions::exception_handler; without a handler std::terminate is called. It must end while
/// the pool lives, in a job of that pool or elsewhere.
///
/// @param pool  Where it begins.
/// @param task  Moved into the job.
/// @throws std::logic_error for an empty task, ThreadPoolError if the pool was shut down, in isolate std::bad_alloc; the
///         task has then not begun.
/// Complexity: O(1); nothing is allocated. Thread-safety: any thread.
template <PoolPolicy P>
void spawn(BasicThreadPool<P>& pool, Task<> task) {
  detail::spawn_task(detail::base_of(pool), std::move(task));
}
/// @brief The same in the pool that the caller works for, or else in the global pool. Throws what global_pool() throws, too.
/// @param task  Moved into the job.
inline void spawn(Task<> task) { detail::spawn_task(detail::current_pool(), std::move(task)); }

}  // namespace blitz
