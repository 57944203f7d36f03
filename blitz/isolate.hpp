/// @file
/// isolate: waiting without running unrelated jobs.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <utility>

#include "blitz/current_pool.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/detail/worker/confinement.hpp"

namespace blitz {

/// @brief Calls `f` on a worker that, while `f` waits in join, scope, a loop or get, runs only jobs that calls inside
/// `f` have made. The workers that run these jobs do the same; each sleeps when there are none.
///
/// For code that holds a lock across a parallel call, or keeps state in a thread-local variable: without isolation the
/// worker could begin an unrelated job meanwhile, which would find the lock taken by its own thread. A broadcast is the
/// exception: its jobs are addressed to the worker itself.
///
/// Take the lock inside `f`. A thread outside the pool that holds it in the call may have to wait for a worker, while all
/// workers wait for the lock.
///
/// Do not wait inside `f` for a job that was made outside, nor for one that comes back into this pool by way of another
/// pool: if no other worker is free to run it, the wait does not end.
///
/// @param f  Called on a worker of the pool that the caller works for, or else of global_pool(); if the caller is a
///           worker, on the caller.
/// @return What `f` returns.
/// @throws What `f` throws, and what global_pool() throws; `f` is then not called.
/// Complexity: some ten nanoseconds, and inside as much again for a call, which finds its worker by virtual functions.
/// Thread-safety: any thread.
/// @code
///   blitz::isolate([&] {
///     const std::lock_guard lock(mutex);
///     blitz::parallel_for(table, update);
///   });
/// @endcode
template <std::invocable F>
decltype(auto) isolate(F&& f) {
  return detail::on_worker(detail::kHere, [&](detail::WorkerBase& worker) -> detail::CallResult<F> {
    const detail::Confinement confinement(worker);
    return std::invoke(std::forward<F>(f));
  });
}

}  // namespace blitz
