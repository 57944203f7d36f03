/// spawn: jobs that nobody waits for, but the end of their pool.
#pragma once

#include "blitz/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "blitz/broadcast_context.hpp"
#include "blitz/core/any_worker.hpp"
#include "blitz/core/fifo.hpp"
#include "blitz/core/heap_job.hpp"
#include "blitz/current_pool.hpp"

namespace blitz {

/// What can be spawned: callable without arguments.
template <class F>
concept SpawnTask = std::invocable<std::decay_t<F>&>;

/// What can be broadcast: callable with a BroadcastContext, by several threads at once.
template <class F>
concept BroadcastTask = std::invocable<const std::decay_t<F>&, BroadcastContext>;

namespace detail {

/// Calls what nobody waits for.
template <class F, class... Args>
void call_detached(PoolBase& pool, F& f, Args&&... args) noexcept {
  try {
    static_cast<void>(std::invoke(f, std::forward<Args>(args)...));
  } catch (...) {
    pool.report(std::current_exception());
  }
}

template <class F>
class DetachedJob final : public Job {
 public:
  template <class G>
  explicit DetachedJob(G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : Job(&execute_it), f_(std::forward<G>(f)) {}

 private:
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto* const self = static_cast<DetachedJob*>(job);
    call_detached(*worker.pool(), self->f_);
    destroy_heap_job(self, &worker);
    worker.detached_ended();
  }

  F f_;
};

template <class F>
class DetachedFifoJob final : public FifoJob {
 public:
  template <class G>
  DetachedFifoJob(JobFifo& list, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : FifoJob(list, &run_it, &free_it), f_(std::in_place, std::forward<G>(f)) {}

 private:
  static void run_it(FifoJob& job, WorkerBase& worker) noexcept {
    auto& self = static_cast<DetachedFifoJob&>(job);
    call_detached(*worker.pool(), *self.f_);
    self.f_.reset();
    worker.detached_ended();
  }
  static void free_it(FifoJob& job, WorkerBase& worker) noexcept {
    destroy_heap_job(static_cast<DetachedFifoJob*>(&job), &worker);
  }

  std::optional<F> f_;
};

template <class F>
class DetachedBroadcastJob final : public Job {
 public:
  DetachedBroadcastJob(std::shared_ptr<const F> f, std::size_t count) noexcept
      : Job(&execute_it), f_(std::move(f)), count_(count) {}

 private:
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto* const self = static_cast<DetachedBroadcastJob*>(job);
    call_detached(*worker.pool(), *self->f_, BroadcastContext(worker.index(), self->count_));
    destroy_heap_job(self, &worker);
    worker.detached_ended();
  }

  std::shared_ptr<const F> f_;
  std::size_t count_;
};

/// The worker that the calling thread is in that pool; null if it is none.
[[nodiscard]] inline WorkerBase* worker_of(const PoolBase& pool) noexcept {
  WorkerBase* const worker = current_worker;
  return worker != nullptr && worker->pool() == &pool ? worker : nullptr;
}

template <class W, class F>
void spawn_on(W& worker, F&& f) {
  using J = DetachedJob<std::decay_t<F>>;
  WorkerBase& base = worker;
  auto* const job = make_heap_job<J>(&base, std::forward<F>(f));
  base.detached_begun();
  try {
    static_cast<void>(worker.offer(job));
  } catch (...) {
    base.detached_ended();
    destroy_heap_job(job, &base);
    throw;
  }
}

template <class F>
[[gnu::noinline]] void spawn_in(PoolBase& pool, F&& f) {
  if (WorkerBase* const worker = worker_of(pool)) {
    AnyWorker any(*worker);
    spawn_on(any, std::forward<F>(f));
    return;
  }
  pool.throw_if_unusable();
  auto* const job = make_heap_job<DetachedJob<std::decay_t<F>>>(nullptr, std::forward<F>(f));
  pool.detached_begun_outside();
  pool.inject(job);
}

template <class F>
void spawn_fifo_in(PoolBase& pool, F&& f) {
  WorkerBase* const worker = worker_of(pool);
  if (worker == nullptr) {
    spawn_in(pool, std::forward<F>(f));  // The injector is first in, first out.
    return;
  }
  auto* const job = make_heap_job<DetachedFifoJob<std::decay_t<F>>>(worker, worker->fifo(), std::forward<F>(f));
  worker->detached_begun();
  worker->fifo().push(job);
  push_token(worker, pool, job);
}

template <class F>
void spawn_broadcast_in(PoolBase& pool, F&& f) {
  using Function = std::decay_t<F>;
  WorkerBase* const worker = worker_of(pool);
  if (worker == nullptr) pool.throw_if_unusable();
  const std::size_t count = pool.num_threads();
  const auto function = std::make_shared<const Function>(std::forward<F>(f));
  HeapJobs<DetachedBroadcastJob<Function>> jobs(worker, count, function, count);
  for (std::size_t i = 0; i < count; ++i) {
    worker != nullptr ? worker->detached_begun() : pool.detached_begun_outside();
  }
  jobs.mail(pool);
}

}  // namespace detail

/// Has `f()` called by a worker of the pool that the caller works for, or else of the global pool; nobody waits for it,
/// but the pool's destructor. On one worker of a ThreadPool: the newest first, and those from outside the pool after
/// them, the oldest first; of an AsyncThreadPool: the newest, then the others, the oldest first.
///
/// An exception of `f` goes to ThreadPoolOptions::exception_handler; where there is none, std::terminate is called.
/// What `f` refers to must live until it has run. All that comes before the call happens before `f`. Throws
/// std::bad_alloc, what the closure's move or copy throws, and what global_pool() throws; `f` is then not called. O(1),
/// some ten nanoseconds on a worker. Any thread.
template <SpawnTask F>
void spawn(F&& f) {
  if (auto* const worker = detail::CurrentWorker<ForkJoinPolicy>::worker) [[likely]] {
    detail::spawn_on(*worker, std::forward<F>(f));
  } else {
    detail::spawn_in(detail::current_pool(), std::forward<F>(f));
  }
}

/// As spawn; on one worker, the oldest first of those that were spawned so.
template <SpawnTask F>
void spawn_fifo(F&& f) {
  detail::spawn_fifo_in(detail::current_pool(), std::forward<F>(f));
}

/// Has `f(context)` called once on every worker of the pool that the caller works for, or else of the global pool;
/// nobody waits for it. `f` is copied or moved once, and called by several threads at once. Otherwise as spawn; O(n) for
/// n workers, each of which is woken.
template <BroadcastTask F>
void spawn_broadcast(F&& f) {
  detail::spawn_broadcast_in(detail::current_pool(), std::forward<F>(f));
}

}  // namespace blitz
