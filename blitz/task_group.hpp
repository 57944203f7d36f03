/// TaskGroup: jobs that are given from anywhere, and waited for together, as often as one likes.
#pragma once

#include "blitz/base/compiler.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "blitz/core/heap_job.hpp"
#include "blitz/core/job_group.hpp"
#include "blitz/core/pool_base.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/spawn.hpp"
#include "blitz/thread_pool.hpp"

namespace blitz {

namespace detail {

/// A job of a group, with its closure.
template <class F>
class TaskGroupJob final : public Job {
 public:
  template <class G>
  TaskGroupJob(JobGroup& group, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : Job(&execute_it), group_(group), f_(std::forward<G>(f)) {}

 private:
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto* const self = static_cast<TaskGroupJob*>(job);
    JobGroup& group = self->group_;
    if (!group.stop().requested()) {
      try {
        static_cast<void>(std::invoke(self->f_));
      } catch (...) {
        group.keep_exception();
      }
    }
    destroy_heap_job(self, &worker);
    group.finished();
    worker.detached_ended();
  }

  JobGroup& group_;
  F f_;
};

}  // namespace detail

/// A group of jobs of one pool. Unlike a Scope it is an object: it may be a member of another, jobs may be given to it
/// by any thread, and it may be waited for again and again.
///
/// @code
///   blitz::TaskGroup group;
///   std::function<void(Node&)> visit = [&](Node& node) {
///     for (Node& child : node.children) group.run([&] { visit(child); });
///     work_on(node);
///   };
///   visit(root);
///   group.wait();
/// @endcode
///
/// It may outlive its pool, which runs all jobs of the group before it ends.
///
/// From oneTBB: task_group, with the same names but for cancel(), which is request_stop(). What differs: an exception
/// does not cancel the jobs that have not begun.
///
/// Thread-safety: all members but the destructor may be called by any thread, at once; jobs of the group may call all
/// but wait(), run_and_wait() and the destructor, which would wait for the caller. The destructor may be called as soon
/// as every call of wait() has returned, if nobody calls run() any more.
class TaskGroup {
 public:
  /// For the pool that the caller works for, or else the global one, which it starts. Throws what global_pool() throws.
  TaskGroup() : TaskGroup(detail::current_pool()) {}

  /// For the given pool.
  template <Policy P>
  explicit TaskGroup(BasicThreadPool<P>& pool) : TaskGroup(static_cast<detail::PoolBase&>(detail::registry_of(pool))) {}

  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Waits as wait() does, and drops the exception if there is one. In a forked child, where the jobs do not run, it
  /// does not wait.
  ~TaskGroup() {
    if (!pool_->from_before_fork()) static_cast<void>(group_.wait());
  }

  /// Has `f()` called by a worker of the pool; what it returns is dropped, and what it throws arrives at wait().
  ///
  /// All that comes before the call happens before `f`. Throws std::bad_alloc, what the closure's move or copy throws,
  /// and ThreadPoolError if the pool was shut down, or is the parent's in a forked child; `f` is then not called, and
  /// the group is as before. O(1), some tens of nanoseconds; the job's memory comes from the worker's free blocks. On
  /// one worker the order is that of blitz::spawn.
  template <SpawnTask F>
  void run(F&& f) {
    detail::WorkerBase* const worker = detail::worker_of(*pool_);
    if (worker == nullptr) pool_->throw_if_unusable();
    auto* const job = detail::make_heap_job<detail::TaskGroupJob<std::decay_t<F>>>(worker, group_, std::forward<F>(f));
    group_.begun();
    // As a detached job, too: the pool does not end before it has.
    worker != nullptr ? worker->detached_begun() : pool_->detached_begun_outside();
    detail::push_token(worker, *pool_, job);
  }

  /// Waits until no job of the group is unfinished, and rethrows the first exception that one of them has thrown since
  /// the last was rethrown; the others are dropped. The group is then as new: it may be given more jobs, and a request
  /// to stop is over.
  ///
  /// A worker runs other jobs of its pool meanwhile, then sleeps. A thread that belongs to no pool does the same as a
  /// worker of the group's pool, if a slot is vacant, and blocks otherwise. Several threads may wait at once; each
  /// returns, and an exception arrives at one of them. Where another thread gives jobs meanwhile, wait() returns at
  /// some moment at which none was unfinished.
  ///
  /// All that the jobs did happens before the return. Throws ThreadPoolError in a forked child whose parent has the
  /// pool.
  void wait() {
    pool_->throw_if_forked();
    if (std::exception_ptr error = group_.wait()) std::rethrow_exception(std::move(error));
  }

  /// As run(f) and then wait(): on a worker of the pool `f` is most often called at once. `f` is neither copied nor
  /// moved.
  template <JoinCallable F>
  void run_and_wait(F&& f) {
    run([&f] { static_cast<void>(std::invoke(std::forward<F>(f))); });
    wait();
  }

  /// Jobs of the group that have not begun will not: their closures are destroyed uncalled, of those, too, that are
  /// given from now on. Those that run may ask stop_requested(). This is over when a wait() has found no job
  /// unfinished.
  void request_stop() noexcept {
    if (!pool_->from_before_fork()) group_.stop().request();
  }
  /// Whether a stop is requested now. One load.
  [[nodiscard]] bool stop_requested() const noexcept { return group_.stop().requested(); }
  /// A token that tells of the next request to stop, and of no later one. Allocates; throws std::bad_alloc, and
  /// ThreadPoolError in a forked child whose parent has the pool.
  [[nodiscard]] std::stop_token stop_token() {
    pool_->throw_if_forked();
    return group_.stop().token();
  }

 private:
  explicit TaskGroup(detail::PoolBase& pool) : pool_(pool.keep_alive(), &pool), group_(pool) {}

  std::shared_ptr<detail::PoolBase> pool_;  // its memory, though not its threads
  detail::JobGroup group_;
};

}  // namespace blitz
