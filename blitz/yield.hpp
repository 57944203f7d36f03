/// @file
/// yield_now, yield_local: a job lets waiting jobs have a turn.
#pragma once

#include "blitz/base/compiler.hpp"

#include "blitz/core/worker.hpp"

namespace blitz {

/// What a yield did.
enum class Yield : bool {
  idle,     ///< it found no job
  executed  ///< it ran one
};

namespace detail {

inline Yield run_one(WorkerBase& worker, Job* job) noexcept {
  if (job == nullptr) return Yield::idle;
  job->execute(job, worker);
  return Yield::executed;
}

}  // namespace detail

/// Runs one waiting job of the calling worker's pool, if it finds one, and returns when the job has ended. A thread
/// outside every pool finds none. O(n) for n workers, when there is none.
/// Thread-safety: any thread.
/// @code
///   while (!ready.load()) blitz::yield_now();
/// @endcode
/// @return Whether a job was run.
inline Yield yield_now() noexcept {
  detail::WorkerBase* const worker = detail::current_worker;
  return worker == nullptr ? Yield::idle : detail::run_one(*worker, worker->find_work());
}

/// Runs the newest waiting job of those that the calling worker itself has made, if there is one, and returns when it
/// has ended. A thread outside every pool has none. O(1).
/// Thread-safety: any thread.
/// @code
///   while (blitz::yield_local() == blitz::Yield::executed) {
///   }
/// @endcode
/// @return Whether a job was run.
inline Yield yield_local() noexcept {
  detail::WorkerBase* const worker = detail::current_worker;
  if (worker == nullptr) return Yield::idle;
  detail::Job* const job = worker->take_newest();
  return detail::run_one(*worker, job != nullptr ? job : worker->take_left());
}

}  // namespace blitz
