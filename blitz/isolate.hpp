/// isolate: waiting without running other people's jobs.
#pragma once

#include "blitz/base/compiler.hpp"

#include <concepts>
#include <type_traits>
#include <utility>

#include "blitz/core/job.hpp"
#include "blitz/core/region.hpp"
#include "blitz/current_pool.hpp"

namespace blitz {

/// Calls `f` and returns or rethrows its outcome. While `f` waits, in join, scope, a loop or get, its worker runs only
/// jobs that f's own calls have made, and so do the workers that run these jobs; it sleeps when there are none.
///
/// For code that holds a lock across a parallel call, or keeps state in a thread-local variable: without it, the worker
/// could meanwhile begin an unrelated job, which would find the lock taken by its own thread. Jobs mailed by broadcast are
/// the exception, they are addressed to the worker itself.
///
/// So do not wait inside for a job that was made outside, nor for one that comes back into this pool by way of another:
/// if no other worker is free to run it, the wait does not end.
///
/// Inside, a call costs some hundred nanoseconds instead of a few: jobs go through a queue under a mutex. Throws
/// std::bad_alloc, and what global_pool() throws, before `f` is called. Any thread; outside every pool, `f` is called in
/// global_pool().
template <std::invocable F>
decltype(auto) isolate(F&& f) {
  return detail::on_worker(detail::kHere, [&](detail::WorkerBase& worker) -> detail::CallResult<F> {
    const detail::Confinement confinement(worker);
    return std::invoke(std::forward<F>(f));
  });
}

}  // namespace blitz
