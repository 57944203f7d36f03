/// @file
/// oneTBB's task_group and task_arena on blitz.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/adaptor/tbb/context.hpp"
#include "blitz/isolate.hpp"
#include "blitz/spawn.hpp"
#include "blitz/task_group.hpp"
#include "blitz/thread_pool.hpp"

namespace tbb {

enum task_group_status : std::uint8_t { not_complete, complete, canceled };

class task_group;

namespace detail {

/// A group that also waits for handles.
class Group : public blitz::TaskGroup {
 public:
  using blitz::TaskGroup::idle;
  using blitz::TaskGroup::TaskGroup;

  /// Counts as a task of the group during its lifetime.
  struct Release {
    void operator()(Group* group) const noexcept { group->finished(); }
  };
  using Hold = std::unique_ptr<Group, Release>;
  [[nodiscard]] Hold hold() noexcept {
    begun();
    return Hold(this);
  }
};

}  // namespace detail

/// A task of task_group::defer that has not started. Pass it to a group or an arena to run it. Movable. The group's wait()
/// waits until the task has run or the handle is destroyed.
class task_handle {
 public:
  task_handle() noexcept = default;
  explicit operator bool() const noexcept { return static_cast<bool>(call_); }
  friend bool operator==(const task_handle& handle, std::nullptr_t) noexcept { return !handle; }

 private:
  friend class task_group;
  friend class task_arena;

  template <class F>
  task_handle(F&& f, task_group& group, detail::Group::Hold hold)
      : call_(std::make_unique<Call<std::decay_t<F>>>(group, std::move(hold), std::forward<F>(f))) {}

  struct CallBase {
    CallBase(task_group& its_group, detail::Group::Hold its_hold) : group(its_group), hold(std::move(its_hold)) {}
    virtual ~CallBase() = default;
    virtual void operator()() = 0;
    task_group& group;
    detail::Group::Hold hold;  // destroyed last: afterwards wait() may return
  };
  template <class F>
  struct Call final : CallBase {
    template <class G>
    Call(task_group& its_group, detail::Group::Hold its_hold, G&& its_f)
        : CallBase(its_group, std::move(its_hold)), f(std::forward<G>(its_f)) {}
    void operator()() override { std::invoke(f); }
    F f;
  };

  std::unique_ptr<CallBase> call_;
};

/// A group of tasks. An exception cancels the tasks that have not started.
class task_group {
 public:
  task_group() : task_group(nullptr) {}
  explicit task_group(task_group_context& context) : task_group(&context) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// If tasks are unfinished: cancels them, waits for them, discards their exception, and throws missing_wait unless an
  /// exception is being unwound.
  ~task_group() noexcept(false) {
    if (group_.idle()) return;
    cancel();
    try {
      group_.wait();
    } catch (const blitz::ThreadPoolError&) {
      return;  // In a forked child the tasks do not run.
    } catch (...) {
    }
    if (std::uncaught_exceptions() == 0) throw missing_wait();
  }

  template <class F>
  void run(F&& f) {
    group_.run([this, f = std::decay_t<F>(std::forward<F>(f))]() mutable { call(f); });
  }
  void run(task_handle&& task) {
    run([call = std::move(task.call_)] { (*call)(); });
  }
  template <class F>
  [[nodiscard]] task_handle defer(F&& f) {
    return task_handle(std::forward<F>(f), *this, group_.hold());
  }

  /// Waits for the tasks, rethrows the first exception, and resets the group. Any number of threads may wait; one of them gets
  /// the exception.
  task_group_status wait() {
    struct Frame {
      /// If another thread has added tasks since, its wait() resets the context.
      ~Frame() {
        group.context_.reset_if([this] { return group.group_.idle(); });
      }
      task_group& group;
    } frame{*this};
    group_.wait();
    return context_.is_group_execution_cancelled() ? canceled : complete;
  }
  template <class F>
  task_group_status run_and_wait(const F& f) {
    group_.run([this, &f] { call(f); });
    return wait();
  }
  task_group_status run_and_wait(task_handle&& task) {
    run(std::move(task));
    return wait();
  }

  void cancel() { context_.cancel_group_execution(); }

 private:
  friend class isolated_task_group;

  explicit task_group(task_group_context* given) : context_(given != nullptr ? *given : own_), group_(make_group()) {}

  [[nodiscard]] static detail::Group make_group() {
    blitz::ThreadPool* const pool = blitz::current_thread_index() ? nullptr : global_control::pool();
    return pool != nullptr ? detail::Group(*pool) : detail::Group();
  }
  template <class F>
  void call(F& f) {
    const detail::CallContext context(&context_);
    context.guard([&] { context.run([&] { static_cast<void>(std::invoke(f)); }); });
  }

  task_group_context own_;
  task_group_context& context_;
  detail::Group group_;
};

/// A task_group without handles. A thread in its wait() runs no other tasks. Tasks that are passed to run() outside its own
/// tasks start when a thread calls wait().
class isolated_task_group {
 public:
  isolated_task_group() = default;
  explicit isolated_task_group(task_group_context& context) : group_(context) {}
  isolated_task_group(const isolated_task_group&) = delete;
  isolated_task_group& operator=(const isolated_task_group&) = delete;
  /// If tasks have not started: throws missing_wait unless an exception is being unwound. Otherwise see ~task_group().
  ~isolated_task_group() noexcept(false) {
    if (!tasks_.empty() && std::uncaught_exceptions() == 0) throw missing_wait();
  }

  template <class F>
  void run(F&& f) {
    if (detail::current_context == &group_.context_) return group_.run(std::forward<F>(f));  // in one of its tasks
    auto task = std::make_shared<std::decay_t<F>>(std::forward<F>(f));
    const std::lock_guard lock(mutex_);
    tasks_.emplace_back([task] { static_cast<void>(std::invoke(*task)); });
  }
  task_group_status wait() {
    return detail::on_worker_here([this] {
      return blitz::isolate([this] {
        for (auto& task : take()) group_.run(std::move(task));
        return group_.wait();
      });
    });
  }
  template <class F>
  task_group_status run_and_wait(const F& f) {
    run(std::cref(f));
    return wait();
  }
  void cancel() { group_.cancel(); }

 private:
  [[nodiscard]] std::vector<std::function<void()>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(tasks_, {});
  }

  task_group group_;
  std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;  // guarded by mutex_
};

using numa_node_id = int;
using core_type_id = int;

namespace detail {

/// The constraints of an arena.
struct Constraints {
  Constraints& set_numa_id(numa_node_id id) { return numa_id = id, *this; }
  Constraints& set_max_concurrency(int concurrency) { return max_concurrency = concurrency, *this; }
  Constraints& set_core_type(core_type_id id) { return core_type = id, *this; }
  Constraints& set_max_threads_per_core(int threads) { return max_threads_per_core = threads, *this; }

  numa_node_id numa_id = -1;  // automatic, like the members below
  int max_concurrency = -1;
  core_type_id core_type = -1;
  int max_threads_per_core = -1;
};

}  // namespace detail

/// The machine as one NUMA node, because blitz's workers may run on every processor of the process.
namespace info {
[[nodiscard]] inline std::vector<numa_node_id> numa_nodes() { return {-1}; }
[[nodiscard]] inline std::vector<core_type_id> core_types() { return {-1}; }
[[nodiscard]] inline int default_concurrency(numa_node_id = -1) {
  return static_cast<int>(blitz::global_pool().num_threads());
}
[[nodiscard]] inline int default_concurrency(const detail::Constraints& its) {
  return its.max_concurrency > 0 ? its.max_concurrency : default_concurrency();
}
}  // namespace info

/// An arena with an explicit size is a pool with that number of threads. The first use starts it, the destructor joins it. An
/// arena of automatic size is the caller's pool if the caller is a worker, otherwise the pool that global_control selects, or
/// the global pool; there execute() isolates its call.
class task_arena {
 public:
  static constexpr int automatic = -1;
  static constexpr int not_initialized = -2;
  enum class priority : std::uint8_t { low, normal, high };  ///< Ignored.
  using attach = tbb::attach;
  using constraints = detail::Constraints;

  explicit task_arena(int max_concurrency = automatic, unsigned /*reserved_for_masters*/ = 1,
                      priority = priority::normal)
      : size_(max_concurrency) {}
  explicit task_arena(const constraints& its, unsigned reserved_for_masters = 1, priority p = priority::normal)
      : task_arena(its.max_concurrency, reserved_for_masters, p) {}
  /// Active immediately if the calling thread is a worker of a pool.
  explicit task_arena(attach) : size_(automatic), active_(blitz::current_thread_index().has_value()) {}
  task_arena(const task_arena& other) : task_arena(other.size_) {}
  task_arena& operator=(const task_arena&) = delete;

  void initialize() { static_cast<void>(pool()); }
  void initialize(int max_concurrency, unsigned /*reserved_for_masters*/ = 1, priority = priority::normal) {
    if (!is_active()) size_ = max_concurrency;
    initialize();
  }
  void initialize(const constraints& its, unsigned reserved_for_masters = 1, priority p = priority::normal) {
    initialize(its.max_concurrency, reserved_for_masters, p);
  }
  void initialize(attach) { initialize(); }
  /// Waits for the arena's tasks and joins its threads.
  void terminate() {
    const std::lock_guard lock(mutex_);
    pool_.reset();
    active_ = false;
  }
  [[nodiscard]] bool is_active() const {
    const std::lock_guard lock(mutex_);
    return active_;
  }
  [[nodiscard]] int max_concurrency() const {
    return size_ != automatic ? size_ : static_cast<int>(detail::threads_here());
  }

  /// Returns `f()`, called on a worker of the arena. The calling thread becomes that worker if a slot is vacant.
  template <class F>
  decltype(auto) execute(F&& f) {
    blitz::ThreadPool* const own = pool();
    if (own == nullptr) {
      return detail::on_worker_here([&]() -> decltype(auto) { return blitz::isolate(std::forward<F>(f)); });
    }
    return own->install(std::forward<F>(f));
  }
  /// Spawns `f` and does not wait. An exception goes to the pool's handler; without a handler it ends the program.
  template <class F>
  void enqueue(F&& f) {
    blitz::ThreadPool* own = pool();
    if (own == nullptr && !blitz::current_thread_index()) own = global_control::pool();
    if (own != nullptr) {
      own->spawn(std::forward<F>(f));
    } else {
      blitz::spawn(std::forward<F>(f));
    }
  }
  /// Runs the task in its group.
  void enqueue(task_handle&& task) {
    task_group& group = task.call_->group;
    group.run(std::move(task));
  }
  template <class F>
  void enqueue(F&& f, task_group& group) {
    group.run(std::forward<F>(f));
  }

 private:
  [[nodiscard]] blitz::ThreadPool* pool() {
    const std::lock_guard lock(mutex_);
    active_ = true;
    if (size_ != automatic && pool_ == nullptr) {
      pool_ = std::make_unique<blitz::ThreadPool>(
          blitz::ThreadPoolOptions{.num_threads = static_cast<std::size_t>(size_ > 0 ? size_ : 1)});
    }
    return pool_.get();
  }

  mutable std::mutex mutex_;
  int size_;
  bool active_ = false;                      // guarded by mutex_
  std::unique_ptr<blitz::ThreadPool> pool_;  // guarded by mutex_
};

/// Whether the calling thread is a worker of a pool.
[[nodiscard]] inline bool is_inside_task() noexcept { return blitz::current_thread_index().has_value(); }

/// The arena of the calling thread.
namespace this_task_arena {
/// Calls `f()`. While `f` waits, its thread runs only tasks that `f` created.
template <class F>
decltype(auto) isolate(F&& f) {
  return detail::on_worker_here([&]() -> decltype(auto) { return blitz::isolate(std::forward<F>(f)); });
}
[[nodiscard]] inline int current_thread_index() noexcept {
  const auto index = blitz::current_thread_index();
  return index ? static_cast<int>(*index) : task_arena::not_initialized;
}
[[nodiscard]] inline int max_concurrency() { return static_cast<int>(detail::threads_here()); }
template <class F>
void enqueue(F&& f) {
  task_arena().enqueue(std::forward<F>(f));
}
inline void enqueue(task_handle&& task) { task_arena().enqueue(std::move(task)); }
template <class F>
void enqueue(F&& f, task_group& group) {
  group.run(std::forward<F>(f));
}
}  // namespace this_task_arena

}  // namespace tbb
