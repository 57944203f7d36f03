/// @file
/// spawn: detached jobs. No call waits for them; the destructor of their pool does.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "blitz/current_pool.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/task/spawned_job.hpp"

namespace blitz {

/// The argument of a function that is called on every worker: the index of the worker, and the number of workers.
/// @code
///   blitz::broadcast([&](blitz::BroadcastContext c) { seeds[c.index()] = seed + c.index(); });
/// @endcode
/// Thread-safety: as for an int.
class BroadcastContext {
 public:
  /// For the library: of worker `index` of `num_threads`.
  constexpr BroadcastContext(std::size_t index, std::size_t num_threads) noexcept
      : index_(index), num_threads_(num_threads) {}

  /// The index of the worker that makes the call, below num_threads().
  [[nodiscard]] constexpr std::size_t index() const noexcept { return index_; }
  /// The number of workers of the pool; each makes one call.
  [[nodiscard]] constexpr std::size_t num_threads() const noexcept { return num_threads_; }

 private:
  std::size_t index_;
  std::size_t num_threads_;
};

/// @cond
namespace detail {

/// Only for mail, which only a worker of the pool's own team runs.
[[nodiscard]] inline BroadcastContext context_of(WorkerBase& worker) noexcept {
  return {worker.index(), worker.num_threads()};
}

}  // namespace detail
/// @endcond

/// The argument of spawn(): callable without arguments. It is moved or copied into the job.
template <class F>
concept SpawnFunction = std::invocable<std::decay_t<F>&> && std::constructible_from<std::decay_t<F>, F>;

/// The argument of spawn_broadcast(): callable with a BroadcastContext, by several threads concurrently.
template <class F>
concept SpawnBroadcastFunction = std::invocable<const std::decay_t<F>&, BroadcastContext>;

namespace detail {

/// Whether F... is not one callable without arguments. False for a callable that cannot be copied.
template <class... F>
concept NoCallable = sizeof...(F) != 1 || !(std::invocable<std::decay_t<F>&> && ...);

template <class F>
[[gnu::noinline]] void spawn_in(PoolBase& pool, F&& f) {
  spawn_job(worker_of(pool), pool, Detached{}, std::forward<F>(f));
}

template <class F>
void spawn_fifo_in(PoolBase& pool, F&& f) {
  if (WorkerBase* const worker = worker_of(pool)) {
    spawn_job_fifo(worker, pool, worker->fifo(), Detached{}, std::forward<F>(f));
  } else {
    spawn_in(pool, std::forward<F>(f));  // The injector is first in, first out.
  }
}

template <JobOwner O = Detached, class F>
void spawn_broadcast_in(PoolBase& pool, F&& f, O owner = {}) {
  struct Closure final : SharedObject {  // one, called by all workers
    explicit Closure(F&& its_f) : f(std::forward<F>(its_f)) {}
    const std::decay_t<F> f;
  };
  const auto call = [closure = Shared<Closure>(new Closure(std::forward<F>(f)))](auto&... scope)
    requires std::invocable<const std::decay_t<F>&, decltype(scope)..., BroadcastContext>
  {
    WorkerBase& worker = *current_worker;
    static_cast<void>(std::invoke(closure->f, scope..., context_of(worker)));
  };
  spawn_job_on_each(worker_of(pool), pool, owner, call);
}

}  // namespace detail

/// @brief Spawns a detached job: a worker of the caller's pool calls `f()`; outside every pool, a worker of the global pool. No
/// call waits for the job; the pool's destructor does.
///
/// On one worker of a ThreadPool the newest job runs first, and jobs from outside the pool after those, the oldest first (in a
/// pool of eight threads or more only approximately). On an AsyncThreadPool the newest job runs first, then the others, the
/// oldest first.
///
/// An exception of `f` goes to ThreadPoolOptions::exception_handler; without a handler std::terminate is called.
///
/// @code
///   blitz::spawn([request = std::move(request)] { answer(request); });
/// @endcode
/// @param f  Copied or moved into the job. Objects that it refers to must live until the job has run. Everything before the
///           call happens before `f`.
/// @throws std::bad_alloc, the exception of the closure's move or copy, and the exceptions of global_pool(). `f` is then not
///         called.
/// Complexity: O(1). On a worker some ten nanoseconds; the job's memory comes from the worker's free blocks.
/// Thread-safety: any thread.
template <SpawnFunction F>
void spawn(F&& f) {
  if (auto* const worker = detail::default_worker()) [[likely]] {
    detail::spawn_job(worker, *worker->pool(), detail::Detached{}, std::forward<F>(f));
  } else {
    detail::spawn_in(detail::current_pool(), std::forward<F>(f));
  }
}

/// @cond
template <class... F>
  requires(detail::NoCallable<F...>)
BLITZ_REFUSE("spawn and async got arguments, or no callable; capture the arguments: blitz::spawn([x] { f(x); })")
    spawn(F&&... f) BLITZ_REFUSED;
template <class F>
  requires(!detail::NoCallable<F> && !SpawnFunction<F>)
BLITZ_REFUSE("the callable of a job cannot be copied into it; move it with std::move(f)") spawn(F&& f) BLITZ_REFUSED;
/// @endcond

/// @brief Like spawn(), but in first-in, first-out order: of the jobs that one worker has spawned by this function, the oldest
/// runs first. Some tens of nanoseconds on a worker.
/// @code
///   for (Message& message : inbox) blitz::spawn_fifo([&message] { deliver(message); });
/// @endcode
/// @param f  Copied or moved into the job, as by spawn().
/// @throws The exceptions of spawn().
/// Complexity: O(1). Thread-safety: any thread.
template <SpawnFunction F>
void spawn_fifo(F&& f) {
  detail::spawn_fifo_in(detail::current_pool(), std::forward<F>(f));
}

/// @brief Spawns one detached job on every worker of the pool: each worker calls `f(context)` once.
///
/// @code
///   blitz::spawn_broadcast([](blitz::BroadcastContext c) { warm_up_cache(c.index()); });
/// @endcode
/// @param f  Copied or moved once; several workers call it concurrently.
/// @throws The exceptions of spawn(), before any call.
/// Complexity: O(n) for n workers; each worker is woken.
/// Thread-safety: any thread.
template <SpawnBroadcastFunction F>
void spawn_broadcast(F&& f) {
  detail::spawn_broadcast_in(detail::current_pool(), std::forward<F>(f));
}

}  // namespace blitz
