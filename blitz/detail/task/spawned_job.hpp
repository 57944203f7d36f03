/// Spawned jobs: a closure on the heap, and an owner that counts it: a scope, a task group, or the pool alone.
///
/// The owner says how the closure is called, where its exception goes, and what happens at the job's end; the functions
/// below say how a job gets to a worker: by the queue of the worker that spawns it or by the injector, in the order of
/// a JobFifo, or to each worker by mail.
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

/// A handle to what a job belongs to, which lives until the last job has ended.
///   - `begun(spawner, pool)`, before a job is given to the pool: `spawner` is the calling thread's worker, or null. It
///     may throw, and then counts nothing.
///   - `call(f)`: calls a job's closure, or, if the owner is to stop, does not.
///   - `failed(worker)`, in the handler of what call() threw.
///   - `finished(worker)`: a job has ended there, and its closure is gone. If it was the last the owner may be gone.
template <class O>
concept JobOwner = std::is_trivially_copyable_v<O> &&
                   requires(const O& owner, void (*f)(), WorkerBase* spawner, PoolBase& pool, WorkerBase& worker) {
                     owner.begun(spawner, pool);
                     owner.call(f);
                     { owner.failed(worker) } noexcept;
                     { owner.finished(worker) } noexcept;
                   };

/// The owner of jobs that no call waits for. The pool counts them, for its end.
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

/// Spawns `f`, by the queue of `spawner`, the calling thread's worker in the pool, or, where that is null, by the
/// injector. Throws std::bad_alloc, and what the closure's constructor and `owner.begun` throw; `f` is then not called,
/// and the job not counted.
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

/// Stands in a queue for some job of a list.
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

/// Before `count` calls of push_or_inject with that worker, which may be null. Throws std::bad_alloc.
inline void reserve_pushes(WorkerBase* worker, std::size_t count) {
  if (worker != nullptr) worker->reserve(count);
}

/// Pushes a job on the worker's queue. If there is no worker, or no memory for a larger queue, the job goes to the
/// injector, which needs none: it cannot fail. In a region only the queue will do, because no worker that is confined
/// finds the injected jobs; hence reserve_pushes.
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

/// A detached job that lies in its owner's memory, such as the frame of a coroutine. Its `execute` ends with
/// Detached::finished, when the job may be gone.
class InPlaceJob : public Job {
 public:
  /// The job may have run, and no longer exist, when this returns. Throws the exceptions of reserve_pushes and Detached::begun;
  /// the job is then still the caller's.
  ///
  /// Out of line: what is inlined into a coroutine may be kept in its frame, which is gone.
  [[gnu::noinline]] void submit(PoolBase& pool) {
    WorkerBase* const worker = worker_of(pool);
    reserve_pushes(worker, 1);
    Detached::begun(worker, pool);
    submit_begun(pool);
  }
  /// As submit, after both.
  [[gnu::noinline]] void submit_begun(PoolBase& pool) noexcept {
    WorkerBase* const worker = worker_of(pool);
    // As soon as a worker has the job, the program may go on to the end of the pool, while this thread has still to wake one.
    const Shared<PoolBase> keep_alive = worker == nullptr ? share(pool) : Shared<PoolBase>();
    push_or_inject(worker, pool, this);
  }

 protected:
  explicit InPlaceJob(Execute function) noexcept : Job(function) {}
  ~InPlaceJob() = default;
};

/// As spawn_job, in the order of `fifo`.
template <JobOwner O, class F>
void spawn_job_fifo(WorkerBase* spawner, PoolBase& pool, JobFifo& fifo, O owner, F&& f) {
  auto job = make_heap_job<SpawnedJob<std::decay_t<F>, O, FifoJob>>(spawner, owner, std::forward<F>(f));
  if (spawner != nullptr) job->region = spawner->region();
  auto token = make_heap_job<FifoToken>(spawner, fifo, job->region);
  reserve_pushes(spawner, 1);
  owner.begun(spawner, pool);
  fifo.push(job.release());
  // From here on another token may run the job, so this one must arrive.
  push_or_inject(spawner, pool, token.release());
}

/// Spawns a copy of `f` for each worker, on that worker. Throws as spawn_job does, before any call.
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
