/// @file
/// isolate: waiting without running unrelated jobs.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "blitz/current_pool.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/detail/worker/confinement.hpp"

namespace blitz {

namespace detail {

template <class F>
struct IsolatedCall {
  CallResult<F> operator()(WorkerBase& worker) const {
    const Confinement confinement(worker);
    return std::invoke(std::forward<F>(f));
  }
  std::remove_reference_t<F>& f;
};

}  // namespace detail

/// @brief Calls `f` on a worker. While `f` waits in join, scope, a loop or get, this worker runs only jobs that calls inside
/// `f` have created. The workers that run these jobs are restricted in the same way. A worker sleeps when there are no such
/// jobs.
///
/// For code that holds a lock across a parallel call, or keeps state in a thread-local variable. Without isolation the waiting
/// worker could begin an unrelated job, which would find the lock taken by its own thread. The jobs of a broadcast are an
/// exception, because each is addressed to one worker.
///
/// Take the lock inside `f`. If a thread outside the pool holds the lock when it makes the call, it may wait for a worker while
/// all workers wait for the lock: a deadlock.
///
/// Inside `f`, do not wait for a job that was created outside `f`, or for a job that re-enters this pool from another pool. If
/// no other worker is free to run it, the wait is a deadlock.
///
/// @code
///   blitz::isolate([&] {
///     const std::lock_guard lock(mutex);
///     blitz::parallel_for(table, update);
///   });
/// @endcode
/// @param f  If the caller is a worker, called on the calling thread; otherwise on a worker of global_pool().
/// @return The result of `f`.
/// @throws The exception of `f`. The exceptions of global_pool(); `f` is then not called.
/// Complexity: some ten nanoseconds. A call inside `f` costs about as much more, because it finds its worker by virtual
/// functions.
/// Thread-safety: any thread.
template <std::invocable F>
decltype(auto) isolate(F&& f) {
  return detail::on_worker(detail::kHere, detail::IsolatedCall<F>{f});
}

}  // namespace blitz
