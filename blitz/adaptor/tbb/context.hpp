/// @file
/// oneTBB's task_group_context, which cancels calls, and global_control, which selects their pool.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include "blitz/adaptor/tbb/tbb_version.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/sys/thread.hpp"
#include "blitz/pool_ref.hpp"
#include "blitz/thread_pool.hpp"

namespace tbb {

/// Cancels the calls that use it, and the calls within them: no new tasks start. An exception that leaves such a call also
/// cancels the context. A bound context is also cancelled with its parent, the context of the task that creates it. The parent
/// must live longer.
class task_group_context {
 public:
  enum kind_type : std::uint8_t { isolated, bound };
  enum traits_type : std::uintptr_t { fp_settings = 1, concurrent_wait = 4, default_traits = 0 };

  task_group_context(kind_type kind = bound, std::uintptr_t traits = default_traits) noexcept;
  explicit task_group_context(std::uintptr_t traits) noexcept : task_group_context(bound, traits) {}
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;
  ~task_group_context() = default;

  /// Returns whether this is the first request.
  bool cancel_group_execution() {
    std::stop_source stop(std::nostopstate);
    {
      const std::lock_guard lock(mutex_);
      if (cancelled_.exchange(true, std::memory_order_acq_rel)) return false;  // [cancelled]
      stop = stop_;
    }
    stop.request_stop();
    return true;
  }
  [[nodiscard]] bool is_group_execution_cancelled() const noexcept {
    return cancelled_.load(std::memory_order_acquire) ||  // [cancelled]
           (parent_ != nullptr && parent_->is_group_execution_cancelled());
  }
  /// Undoes cancellation. Not while a call uses the context.
  void reset() {
    reset_if([] { return true; });
  }
  void capture_fp_settings() noexcept {}
  [[nodiscard]] std::uintptr_t traits() const noexcept { return traits_; }

  /// For the adaptor: resets the context if `test()` returns true. Any thread. The test sees all effects of a thread before it
  /// cancelled the context.
  template <class Test>
  void reset_if(const Test& test) {
    // Destroyed after the unlock, because its destructor waits for a running callback.
    std::unique_ptr<std::stop_callback<Request>> ended;
    const std::lock_guard lock(mutex_);
    if (!test()) return;
    ended = std::move(with_parent_);
    stop_ = std::stop_source(std::nostopstate);
    cancelled_.store(false, std::memory_order_relaxed);
  }
  /// For the adaptor: a token that gets a stop request when the context is cancelled.
  [[nodiscard]] std::stop_token token() {
    std::stop_source stop = stop_source();
    if (is_group_execution_cancelled()) stop.request_stop();
    return stop.get_token();
  }

 private:
  struct Request {
    std::stop_source stop;
    void operator()() { stop.request_stop(); }
  };

  /// The source of the tokens. Created on first use, because most contexts need none.
  std::stop_source stop_source() {
    const std::lock_guard lock(mutex_);
    if (!stop_.stop_possible()) {
      stop_ = std::stop_source();
      if (parent_ != nullptr) {
        with_parent_ = std::make_unique<std::stop_callback<Request>>(parent_->token(), Request{stop_});
      }
    }
    return stop_;
  }

  task_group_context* const parent_;
  const std::uintptr_t traits_;
  blitz::detail::Atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::stop_source stop_{std::nostopstate};                   // guarded by mutex_
  std::unique_ptr<std::stop_callback<Request>> with_parent_;  // guarded by mutex_
};

/// Sets a parameter during its lifetime. The smallest limit of the number of threads and the largest stack size apply. Calls
/// from outside every pool then run in a pool with that number of threads and that stack size. The first control that selects
/// such a pool creates it; it exists until the program ends. With terminate_on_exception, an exception that would leave a call
/// calls std::terminate.
class global_control {
 public:
  enum parameter : std::uint8_t { max_allowed_parallelism, thread_stack_size, terminate_on_exception, parameter_max };

  /// Throws std::invalid_argument for a value of 0 unless `what` is terminate_on_exception, and the exceptions of the
  /// constructor of blitz::ThreadPool.
  global_control(parameter what, std::size_t value) : what_(what), value_(value) {
    if (value == 0 && what != terminate_on_exception) {
      throw std::invalid_argument("tbb::global_control: the value is 0; use at least 1");
    }
    Controls& all = controls();
    const std::lock_guard lock(all.mutex);
    const auto place = all.values[what_].insert(value_);
    try {
      all.choose_pool();
    } catch (...) {
      all.values[what_].erase(place);
      throw;
    }
  }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;
  ~global_control() {
    Controls& all = controls();
    const std::lock_guard lock(all.mutex);
    all.values[what_].erase(all.values[what_].find(value_));
    all.choose_pool();
  }

  /// The value that applies. If no stack size is set, the system's default, or 0 if the system has no known default.
  [[nodiscard]] static std::size_t active_value(parameter what) {
    Controls& all = controls();
    const std::lock_guard lock(all.mutex);
    if (all.values[what].empty()) {
      if (what == thread_stack_size) return blitz::detail::default_stack_size();
      return what == max_allowed_parallelism ? blitz::global_pool().num_threads() : 0;
    }
    return what == max_allowed_parallelism ? *all.values[what].begin() : *all.values[what].rbegin();
  }

  /// For the adaptor: the pool for calls from outside every pool; null means the global pool.
  [[nodiscard]] static blitz::ThreadPool* pool() noexcept {
    return controls().chosen.load(std::memory_order_acquire);  // [chosen]
  }

 private:
  struct Controls {
    void choose_pool() {
      const auto& limits = values[max_allowed_parallelism];
      const auto& stacks = values[thread_stack_size];
      blitz::ThreadPool* pool = nullptr;
      if (!limits.empty() || !stacks.empty()) {
        const std::size_t threads = limits.empty() ? 0 : *limits.begin();
        const std::size_t stack = stacks.empty() ? 0 : *stacks.rbegin();
        auto& its_pool = pools[{threads, stack}];
        if (its_pool == nullptr) {
          its_pool = std::make_unique<blitz::ThreadPool>(
              blitz::ThreadPoolOptions{.num_threads = threads, .stack_size = stack});
        }
        pool = its_pool.get();
      }
      chosen.store(pool, std::memory_order_release);  // [chosen]
    }

    std::mutex mutex;
    std::multiset<std::size_t> values[parameter_max];
    std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<blitz::ThreadPool>> pools;
    blitz::detail::Atomic<blitz::ThreadPool*> chosen{nullptr};
  };
  static Controls& controls() {
    static Controls all;
    return all;
  }

  parameter what_;
  std::size_t value_;
};

namespace detail {

/// The context of the task that this thread runs; null if it has none.
inline thread_local task_group_context* current_context = nullptr;

/// Called before an exception leaves a call.
inline void terminate_if_asked() noexcept {
  if (global_control::active_value(global_control::terminate_on_exception) != 0) std::terminate();
}

/// The context of one call: its argument, or the context of the calling task.
class CallContext {
 public:
  explicit CallContext(task_group_context* given = nullptr) noexcept
      : context_(given != nullptr ? given : current_context) {}

  [[nodiscard]] bool is_cancelled() const noexcept {
    return context_ != nullptr && context_->is_group_execution_cancelled();
  }
  [[nodiscard]] std::stop_token token() const { return context_ != nullptr ? context_->token() : std::stop_token(); }

  /// Calls `f()` as a task of the context, unless the context is cancelled.
  template <class F>
  void run(F&& f) const {
    if (is_cancelled()) return;
    struct Frame {
      ~Frame() { current_context = outer; }
      task_group_context* outer;
    } frame{std::exchange(current_context, context_)};
    std::forward<F>(f)();
  }

  /// Calls `f()`, which runs the whole call. An exception cancels the rest of the call.
  template <class F>
  void guard(F&& f) const {
    try {
      std::forward<F>(f)();
    } catch (...) {
      terminate_if_asked();
      if (context_ != nullptr) context_->cancel_group_execution();
      throw;
    }
  }

 private:
  task_group_context* context_;
};

}  // namespace detail

inline task_group_context::task_group_context(kind_type kind, std::uintptr_t traits) noexcept
    : parent_(kind == bound ? detail::current_context : nullptr), traits_(traits) {}

/// Whether the task that this thread runs is cancelled.
[[nodiscard]] inline bool is_current_task_group_canceling() noexcept { return detail::CallContext().is_cancelled(); }

/// oneTBB's class of tasks. It has one public function.
struct task {
  /// The context of the innermost running call that has one; null if there is none. oneTBB creates a context for each call
  /// without one.
  [[nodiscard]] static task_group_context* current_context() noexcept { return detail::current_context; }
};

/// The tag of constructors that attach an arena or a handle to the scheduler of the calling thread.
struct attach {};

/// Ends no threads. oneTBB's threads end when the last handle is finalized; blitz's threads sleep until the program ends.
class task_scheduler_handle {
 public:
  task_scheduler_handle() = default;
  task_scheduler_handle(attach) noexcept : attached_(true) {}
  task_scheduler_handle(task_scheduler_handle&& other) noexcept : attached_(std::exchange(other.attached_, false)) {}
  task_scheduler_handle& operator=(task_scheduler_handle&& other) noexcept {
    std::swap(attached_, other.attached_);
    return *this;
  }
  ~task_scheduler_handle() = default;
  explicit operator bool() const noexcept { return attached_; }
  void release() noexcept { attached_ = false; }

 private:
  bool attached_ = false;
};

class unsafe_wait : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class missing_wait : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override {
    return "tbb::task_group: destroyed without a call of wait()";
  }
};
class user_abort : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "tbb::user_abort"; }
};
class bad_last_alloc : public std::bad_alloc {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "tbb::bad_last_alloc"; }
};

/// Empties the handle. Returns false on a worker, because oneTBB cannot end its threads there.
inline bool finalize(task_scheduler_handle& handle, const std::nothrow_t&) noexcept {
  const bool outside = !handle || !blitz::current_thread_index();
  handle.release();
  return outside;
}
/// Empties the handle. Throws unsafe_wait on a worker.
inline void finalize(task_scheduler_handle& handle) {
  if (!finalize(handle, std::nothrow)) throw unsafe_wait("tbb::finalize: called by a worker");
}

namespace detail {

/// The pool of a call: the caller's pool if it is a worker, otherwise the pool that global_control selects, or the global pool.
[[nodiscard]] inline blitz::PoolRef here() noexcept {
  return blitz::current_thread_index() ? blitz::PoolRef() : blitz::PoolRef(global_control::pool());
}
/// The number of threads of that pool.
[[nodiscard]] inline std::size_t threads_here() {
  blitz::ThreadPool* const pool = blitz::current_thread_index() ? nullptr : global_control::pool();
  return pool != nullptr ? pool->num_threads() : blitz::current_num_threads();
}
/// Calls `f()` on a worker of that pool.
template <class F>
decltype(auto) on_worker_here(F&& f) {
  if (blitz::current_thread_index()) return std::forward<F>(f)();
  blitz::ThreadPool* const pool = global_control::pool();
  return (pool != nullptr ? *pool : blitz::global_pool()).install(std::forward<F>(f));
}

}  // namespace detail
}  // namespace tbb
