/// @file
/// TaskGroup: jobs that any thread may spawn, and that are waited for together, again and again.
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

/// What a job knows of its group; see JobOwner. The job is a detached one as well, so that the pool does not end before
/// it.
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

/// @brief A group of jobs of one pool. Unlike a Scope it is an object: it may be a member of another, any thread may
/// spawn jobs of it, and it may be waited for again and again.
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
/// From oneTBB: task_group, with the same names except request_stop() for cancel(). An exception does not cancel the
/// jobs that have not begun.
///
/// Thread-safety: any thread may call all members except the destructor, at the same time. Jobs of the group may call
/// all except wait(), run_and_wait() and the destructor, which would wait for the caller. The destructor may be called
/// as soon as every call of wait() has returned, if no thread calls run() any more.
class TaskGroup {
 public:
  /// A group of the pool that the caller works for, or else of global_pool(), which it starts. Throws what
  /// global_pool() throws.
  TaskGroup() : TaskGroup(detail::current_pool()) {}

  /// A group of `pool`.
  /// @param pool  Must live while jobs of the group are spawned.
  template <class P>
  explicit TaskGroup(BasicThreadPool<P>& pool) : TaskGroup(detail::base_of(pool)) {}

  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Waits as wait() does, and drops the exception if there is one. Does not wait in a forked child, where the jobs do
  /// not run.
  ~TaskGroup() {
    if (!pool_->from_before_fork()) static_cast<void>(group_.wait());
  }

  /// @brief Spawns a job of the group: a worker of the pool calls `f()`. What it returns is dropped; wait() rethrows
  /// what it throws. On one worker the order is that of blitz::spawn.
  ///
  /// @param f  Copied or moved into the job. All that comes before the call happens before `f`.
  /// @throws std::bad_alloc, what the closure's move or copy throws, and ThreadPoolError if the pool was shut down, or
  ///         is the parent's in a forked child; `f` is then not called, and the group is as before.
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
      "a group runs one callable without arguments, which captures what it needs: group.run([x] { f(x); }); one that "
      "cannot be copied is given up with std::move(f)") run(F&&... f) BLITZ_REFUSED;
  /// @endcond

  /// @brief Waits until no job of the group is unfinished. The group is then as new: it may be given more jobs, and a
  /// request to stop is over.
  ///
  /// A worker runs other jobs of its pool meanwhile, then sleeps. A thread of no pool does the same as a worker of the
  /// group's pool. If another caller is in the pool, it runs only jobs of the group that threads outside have given to it, and
  /// the jobs that these spawn. Several threads may wait concurrently; each returns, and one of them gets the exception. If
  /// another thread spawns jobs concurrently, wait() returns at some moment at which none was unfinished. All that the jobs did
  /// happens before the return.
  ///
  /// @throws The first exception that a job has thrown since the last was rethrown; the others are dropped.
  ///         ThreadPoolError in a forked child whose parent has the pool.
  void wait() {
    pool_->throw_if_forked();
    if (std::exception_ptr error = group_.wait()) std::rethrow_exception(std::move(error));
  }

  /// @brief run(f) and then wait(); on a worker of the pool it most often calls `f` at once. `f` is neither copied nor
  /// moved.
  /// @throws What run() and wait() throw.
  /// @param f  Called once, without arguments.
  /// Complexity: that of both.
  template <JoinFunction F>
  void run_and_wait(F&& f) {
    run([&f] { static_cast<void>(std::invoke(std::forward<F>(f))); });
    wait();
  }

  /// Jobs of the group that have not begun will not, nor will those that are spawned from now on: their closures are
  /// destroyed uncalled. Those that run may ask stop_requested(). The request is over when a wait() has found no job
  /// unfinished.
  void request_stop() noexcept {
    if (!pool_->from_before_fork()) group_.stop().request();
  }
  /// Whether a stop is requested. One load.
  [[nodiscard]] bool stop_requested() const noexcept { return group_.stop().requested(); }
  /// A token of the next request to stop, and of no later one. Allocates; throws std::bad_alloc, and ThreadPoolError in
  /// a forked child whose parent has the pool.
  [[nodiscard]] std::stop_token stop_token() {
    pool_->throw_if_forked();
    return group_.stop().token();
  }

 protected:
  /// For adaptors: wait() waits for a job that is still to be spawned.
  void begun() noexcept { group_.begun(); }
  /// For adaptors: such a job was spawned, or will not be. The group may be gone then.
  void finished() noexcept { group_.finished(); }
  /// For adaptors: whether no job is unfinished. It orders nothing.
  [[nodiscard]] bool idle() const noexcept { return group_.idle(); }

 private:
  /// As spawn_job, by a thread that is no worker of the pool.
  template <class F>
  [[gnu::noinline]] void run_from_outside(F&& f) {
    const detail::GroupOwner owner{group_};
    auto job = detail::make_heap_job<detail::SpawnedOutsideJob<std::decay_t<F>, detail::GroupOwner>>(
        nullptr, owner, std::forward<F>(f));
    owner.begun(nullptr, *pool_);
    group_.inject(job.release());
  }

  explicit TaskGroup(detail::PoolBase& pool) : pool_(detail::share(pool)), group_(pool) {}

  detail::Shared<detail::PoolBase> pool_;  // keeps the pool's memory, and not its threads
  detail::JobGroup group_;
};

}  // namespace blitz
