/// @file
/// yield_now, yield_local: a job lets a waiting job run.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz {

/// The result of a yield.
enum class Yield : bool {
  kIdle,      ///< it found no job
  kExecuted,  ///< it ran one
  /// @cond
  idle BLITZ_RENAMED("blitz::Yield::kIdle") = kIdle,
  executed BLITZ_RENAMED("blitz::Yield::kExecuted") = kExecuted
  /// @endcond
};

namespace detail {

inline Yield yield_to(Job* (*find)(WorkerBase& worker) noexcept) noexcept {
  WorkerBase* const worker = current_worker;
  return worker != nullptr && worker->run_on_top(find) ? Yield::kExecuted : Yield::kIdle;
}

}  // namespace detail

/// Runs one waiting job of the calling worker's pool, if it finds one, and returns when the job has ended. A thread
/// outside every pool finds none. O(n) for n workers, when there is none.
///
/// The job runs on top of the calling job's stack. If ThreadPoolOptions::max_nested_waits jobs already run there on top of jobs
/// that wait or yield, the call runs no job, so that jobs that all yield do not overflow the stack. A caller that yields
/// repeatedly at that depth, such as a loop that waits for a job, still gets a job occasionally.
/// @code
///   while (!ready.load()) blitz::yield_now();
/// @endcode
/// Thread-safety: any thread.
/// @return Whether a job was run.
inline Yield yield_now() noexcept {
  return detail::yield_to([](detail::WorkerBase& worker) noexcept { return worker.find_work(); });
}

/// Runs the newest waiting job that the calling worker itself has created, if there is one, and returns when it has ended. A
/// thread outside every pool has no such job. O(1). At the limit of nested waits it runs no job, like yield_now().
/// @code
///   while (blitz::yield_local() == blitz::Yield::kExecuted) {
///   }
/// @endcode
/// Thread-safety: any thread.
/// @return Whether a job was run.
inline Yield yield_local() noexcept {
  return detail::yield_to([](detail::WorkerBase& worker) noexcept {
    detail::Job* const job = worker.take_newest();
    return job != nullptr ? job : worker.take_left();
  });
}

}  // namespace blitz
