/// @file
/// TaskGroup: a reusable group of jobs that any thread may spawn and wait for.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <exception>
#include <functional>
#include <stop_token>
#include <utility>

#include "blitz/current_pool.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/task/job_group.hpp"
#include "blitz/detail/task/spawned_job.hpp"
#include "blitz/detail/worker/pool_base.hpp"
#include "blitz/join.hpp"
#include "blitz/pool_ref.hpp"
#include "blitz/spawn.hpp"

namespace blitz {

namespace detail {

/// A job's reference to its group; see JobOwner. The job is also a detached job, so that the pool does not end before it.
struct GroupOwner {
  void begun(WorkerBase* spawner, PoolBase& pool) const {
    Detached::begun(spawner, pool);
    group.begun();
  }
  template <class F>
  void call(F& f) const {
    if (!group.stop().requested()) Detached::call(f);
  }
  void failed(WorkerBase& /*worker*/) const noexcept { group.keep_exception(); }
  void finished(WorkerBase& worker) const noexcept {
    group.finished();
    Detached::finished(worker);
  }

  JobGroup& group;
};

}  // namespace detail

/// @brief A group of jobs of one pool. Unlike a Scope it is an object: it may be a member of another object, any thread may
/// spawn its jobs, and threads may wait for it repeatedly.
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
/// It may outlive its pool. The pool runs all jobs of the group before it ends.
///
/// @par Source
/// oneTBB's `task_group`, with the same names except request_stop() for cancel(). Unlike there, an exception does not cancel
/// the jobs that have not begun.
///
/// Thread-safety: any thread may call all members except the destructor concurrently. Jobs of the group must not call wait(),
/// run_and_wait() or the destructor, which would wait for the caller. The destructor may be called as soon as every call of
/// wait() has returned and no thread calls run() any more.
class TaskGroup {
 public:
  /// A group of the pool that the caller works for; outside every pool, of global_pool(), which it starts. Throws the
  /// exceptions of global_pool().
  TaskGroup() : TaskGroup(detail::current_pool()) {}

  /// A group of `pool`.
  /// @param pool  Must live while jobs of the group are spawned.
  template <class P>
  explicit TaskGroup(BasicThreadPool<P>& pool) : TaskGroup(detail::base_of(pool)) {}

  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Waits as wait() does, and discards the exception if there is one. Does not wait in a forked child, because the jobs do not
  /// run there.
  ~TaskGroup() {
    if (!pool_->from_before_fork()) static_cast<void>(group_.wait());
  }

  /// @brief Spawns a job of the group: a worker of the pool calls `f()`. Its result is discarded; wait() rethrows its
  /// exception. The order on one worker is as for blitz::spawn.
  ///
  /// @param f  Copied or moved into the job. Everything before the call happens before `f`.
  /// @throws std::bad_alloc, the exception of the closure's move or copy, and ThreadPoolError if the pool was shut down or
  ///         belongs to the parent of a forked child. `f` is then not called, and the group is unchanged.
  /// Complexity: O(1), some tens of nanoseconds; the job's memory comes from the worker's free blocks.
  template <SpawnFunction F>
  void run(F&& f) {
    if (detail::WorkerBase* const worker = detail::worker_of(*pool_)) {
      detail::spawn_job(worker, *pool_, detail::GroupOwner{group_}, std::forward<F>(f));
    } else {
      run_from_outside(std::forward<F>(f));
    }
  }

  /// @cond
  template <class... F>
    requires(sizeof...(F) != 1 || !(SpawnFunction<F> && ...))
  BLITZ_REFUSE(
      "a group runs one callable without arguments; capture the arguments: group.run([x] { f(x); }); move a callable "
      "that "
      "cannot be copied: std::move(f)") run(F&&... f) BLITZ_REFUSED;
  /// @endcond

  /// @brief Waits until all jobs of the group have finished. The group may then be used again; a stop request has ended.
  ///
  /// While it waits, a worker runs other jobs of its pool, then sleeps. A thread outside every pool waits in the same way, as a
  /// worker of the group's pool. If another outside caller is in the pool, it runs only jobs of the group that threads outside
  /// the pool have spawned, and the jobs that these spawn. Several threads may wait concurrently; each returns, and one of them
  /// gets the exception. If another thread spawns jobs concurrently, wait() returns after a moment at which all jobs had
  /// finished. The jobs happen before the return.
  ///
  /// @throws The first exception of a job since an exception was last rethrown; the others are discarded. ThreadPoolError in a
  ///         forked child if the parent owns the pool.
  void wait() {
    pool_->throw_if_forked();
    if (std::exception_ptr error = group_.wait()) std::rethrow_exception(std::move(error));
  }

  /// @brief `run(f)`, then wait(). A worker of the pool usually calls `f` immediately. `f` is not copied or moved.
  /// @throws The exceptions of run() and wait().
  /// @param f  Called once, without arguments.
  /// Complexity: see run() and wait().
  template <JoinFunction F>
  void run_and_wait(F&& f) {
    run([&f] { static_cast<void>(std::invoke(std::forward<F>(f))); });
    wait();
  }

  /// Requests a stop: jobs of the group that have not begun, or are spawned later, are skipped, and their closures are
  /// destroyed. Running jobs may check stop_requested(). The request ends when a wait() has found all jobs finished.
  void request_stop() noexcept {
    if (!pool_->from_before_fork()) group_.stop().request();
  }
  /// Whether a stop is requested. One load.
  [[nodiscard]] bool stop_requested() const noexcept { return group_.stop().requested(); }
  /// A token only for the next stop request. Allocates. Throws std::bad_alloc, and ThreadPoolError in a forked child if the
  /// parent owns the pool.
  [[nodiscard]] std::stop_token stop_token() {
    pool_->throw_if_forked();
    return group_.stop().token();
  }

 protected:
  /// For adaptors: announces a job that will be spawned later, so that wait() waits for it.
  void begun() noexcept { group_.begun(); }
  /// For adaptors: the announced job was spawned, or will never be spawned. The group may be destroyed from then on.
  void finished() noexcept { group_.finished(); }
  /// For adaptors: whether all jobs have finished. Without synchronisation: a relaxed load.
  [[nodiscard]] bool idle() const noexcept { return group_.idle(); }

 private:
  /// Like spawn_job, for a thread that is no worker of the pool.
  template <class F>
  [[gnu::noinline]] void run_from_outside(F&& f) {
    const detail::GroupOwner owner{group_};
    auto job = detail::make_heap_job<detail::SpawnedOutsideJob<std::decay_t<F>, detail::GroupOwner>>(
        nullptr, owner, std::forward<F>(f));
    owner.begun(nullptr, *pool_);
    group_.inject(job.release());
  }

  explicit TaskGroup(detail::PoolBase& pool) : pool_(detail::share(pool)), group_(pool) {}

  detail::Shared<detail::PoolBase> pool_;  // keeps only the pool's memory, not its threads
  detail::JobGroup group_;
};

}  // namespace blitz
