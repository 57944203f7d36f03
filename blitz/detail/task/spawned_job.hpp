/// Spawned jobs: a closure on the heap, and an owner that counts it: a scope, a task group, or only the pool.
///
/// The owner defines the call of the closure, the handling of its exception, and the end of the job. The functions below define
/// how a job reaches a worker: through the queue of the spawning worker or the injector, in the order of a JobFifo, or as mail
/// to each worker.
#pragma once

#include <cassert>
#include <cstddef>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/task/heap_job.hpp"
#include "blitz/detail/worker/fifo.hpp"
#include "blitz/detail/worker/pool_base.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

/// The handle to a job's owner, which lives until the last job has ended.
///   - `begun(spawner, pool)`, before a job is given to the pool. `spawner` is the calling thread's worker, or null. If it
///     throws, nothing is counted.
///   - `call(f)`: calls a job's closure, unless the owner has been asked to stop.
///   - `failed(worker)`, in the handler of an exception from call().
///   - `finished(worker)`: a job has ended on this worker, and its closure has been destroyed. If the job was the last, the
///     owner may have been destroyed on return.
template <class O>
concept JobOwner = std::is_trivially_copyable_v<O> &&
                   requires(const O& owner, void (*f)(), WorkerBase* spawner, PoolBase& pool, WorkerBase& worker) {
                     owner.begun(spawner, pool);
                     owner.call(f);
                     { owner.failed(worker) } noexcept;
                     { owner.finished(worker) } noexcept;
                   };

/// The owner of jobs that no call waits for. The pool counts them, for its drain at its end.
struct Detached {
  static void begun(WorkerBase* spawner, PoolBase& pool) {
    spawner != nullptr ? spawner->detached_begun() : begun_outside(pool);
  }
  template <class F>
  static void call(F& f) {
    static_cast<void>(std::invoke(f));
  }
  static void failed(WorkerBase& worker) noexcept { worker.pool()->report(std::current_exception()); }
  static void finished(WorkerBase& worker) noexcept { worker.detached_ended(); }

 private:
  [[gnu::noinline]] static void begun_outside(PoolBase& pool) {
    pool.throw_if_unusable();
    pool.detached_begun_outside();
  }
};

/// `Base` is Job, or FifoJob for one that goes through a list.
template <class F, JobOwner O, class Base = Job>
class SpawnedJob final : public Base {
 public:
  template <class G>
  SpawnedJob(O owner, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : Base(&execute_it), owner_(owner), f_(std::forward<G>(f)) {}

 private:
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto* const self = static_cast<SpawnedJob*>(job);
    const O owner = self->owner_;
    try {
      owner.call(self->f_);
    } catch (...) {
      owner.failed(worker);
    }
    destroy_heap_job(self, &worker);
    owner.finished(worker);
  }

  [[no_unique_address]] const O owner_;
  F f_;
};

/// Spawns `f` through the queue of `spawner`, the calling thread's worker in the pool, or through the injector if `spawner` is
/// null. Throws std::bad_alloc and the exceptions of the closure's constructor and of `owner.begun`; then `f` is not called and
/// the job is not counted.
template <class W, JobOwner O, class F>
void spawn_job(W* spawner, PoolBase& pool, O owner, F&& f) {
  auto job = make_heap_job<SpawnedJob<std::decay_t<F>, O>>(spawner, owner, std::forward<F>(f));
  owner.begun(spawner, pool);
  if (spawner == nullptr) return pool.inject(job.release());
  try {
    static_cast<void>(spawner->offer(job.get()));
  } catch (...) {
    owner.finished(*spawner);
    throw;
  }
  static_cast<void>(job.release());
}

/// A placeholder in a queue: it runs the oldest job of a list.
struct FifoToken final : Job {
  FifoToken(JobFifo& its_fifo, Region its_region) noexcept : Job(&execute_it), fifo(its_fifo), region(its_region) {}

  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto* const self = static_cast<FifoToken*>(job);
    FifoJob* const oldest = self->fifo.pop(self->region);
    destroy_heap_job(self, &worker);
    oldest->execute(oldest, worker);
  }

  JobFifo& fifo;
  const Region region;
};

/// Must come before `count` calls of push_or_inject with that worker, which may be null. Throws std::bad_alloc.
inline void reserve_pushes(WorkerBase* worker, std::size_t count) {
  if (worker != nullptr) worker->reserve(count);
}

/// Pushes a job on the worker's queue. If there is no worker, or no memory for a larger queue, the job goes to the injector,
/// which needs no memory and so cannot fail. In a region the job must go to the queue, because no confined worker finds
/// injected jobs; hence reserve_pushes.
inline void push_or_inject(WorkerBase* worker, PoolBase& pool, Job* job) noexcept {
  if (worker != nullptr) {
    try {
      worker->push(job);
      return;
    } catch (...) {
      assert(worker->region() == 0);
    }
  }
  pool.inject(job);
}

/// A detached job that is stored in its owner's memory, such as the frame of a coroutine. Its `execute` ends with
/// Detached::finished, when the job may have been destroyed.
class InPlaceJob : public Job {
 public:
  /// The job may have run and been destroyed when this returns. Throws the exceptions of reserve_pushes and Detached::begun;
  /// the caller then still owns the job.
  ///
  /// Out of line, because code inlined into a coroutine may keep its variables in the frame, which may have been destroyed.
  [[gnu::noinline]] void submit(PoolBase& pool) {
    WorkerBase* const worker = worker_of(pool);
    reserve_pushes(worker, 1);
    Detached::begun(worker, pool);
    submit_begun(pool);
  }
  /// Like submit, after reserve_pushes and Detached::begun.
  [[gnu::noinline]] void submit_begun(PoolBase& pool) noexcept {
    WorkerBase* const worker = worker_of(pool);
    // As soon as a worker has the job, the program may end the pool, while this thread must still wake a worker.
    const Shared<PoolBase> keep_alive = worker == nullptr ? share(pool) : Shared<PoolBase>();
    push_or_inject(worker, pool, this);
  }

 protected:
  explicit InPlaceJob(Execute function) noexcept : Job(function) {}
  ~InPlaceJob() = default;
};

/// Like spawn_job, in the order of `fifo`.
template <JobOwner O, class F>
void spawn_job_fifo(WorkerBase* spawner, PoolBase& pool, JobFifo& fifo, O owner, F&& f) {
  auto job = make_heap_job<SpawnedJob<std::decay_t<F>, O, FifoJob>>(spawner, owner, std::forward<F>(f));
  if (spawner != nullptr) job->region = spawner->region();
  auto token = make_heap_job<FifoToken>(spawner, fifo, job->region);
  reserve_pushes(spawner, 1);
  owner.begun(spawner, pool);
  fifo.push(job.release());
  // From here on another token may run the job, so this token must arrive.
  push_or_inject(spawner, pool, token.release());
}

/// Spawns a copy of `f` for each worker, on that worker. Throws like spawn_job, before any call.
template <JobOwner O, class F>
void spawn_job_on_each(WorkerBase* spawner, PoolBase& pool, O owner, const F& f) {
  using J = SpawnedJob<F, O>;
  const std::size_t count = pool.num_threads();
  const auto jobs = make_array<HeapJob<J>>(count);
  for (std::size_t slot = 0; slot < count; ++slot) jobs[slot] = make_heap_job<J>(spawner, owner, f);
  for (std::size_t slot = 0; slot < count; ++slot) {
    owner.begun(spawner, pool);  // Throws the first time, if at all.
    pool.mail_to(slot, jobs[slot].release());
  }
}

}  // namespace blitz::detail
