/// @file
/// The statistics of a pool.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blitz {

/// The counters of one worker since the pool was constructed. Plain data: each counter is a snapshot; different counters may be
/// read at different times. Exact while no job runs. Counters that a custom policy does not keep are 0.
/// @code
///   for (const blitz::WorkerStats& worker : pool.stats().workers) std::printf("%d\n", int(worker.times_slept));
/// @endcode
struct WorkerStats {
  std::uint64_t jobs_executed = 0;   ///< Jobs taken from any queue and run.
  std::uint64_t jobs_pushed = 0;     ///< Jobs offered to the pool by this worker.
  std::uint64_t jobs_stolen = 0;     ///< Jobs that this worker stole; a job may be stolen more than once.
  std::uint64_t steals_tried = 0;    ///< Attempts to steal. With AsyncPolicy one may bring several jobs.
  std::uint64_t injected_taken = 0;  ///< Jobs that this worker took from the injector: from outside, or overflowed.
  std::uint64_t times_slept = 0;     ///< How often the worker blocked for lack of work.
  std::uint64_t times_woken = 0;     ///< How often another thread woke it; each wake-up ends one sleep.

  // Help that this worker did without, by the reason. Loops and joins estimate their time by earlier calls.
  std::uint64_t parts_too_short = 0;    ///< A loop kept a part, although a worker searched: it takes less than 4 us.
  std::uint64_t loops_too_short = 0;    ///< A loop woke no worker: the rest takes less time than the wake-up.
  std::uint64_t joins_too_short = 0;    ///< A join woke no worker: it was that short before. Not every inner join asks.
  std::uint64_t no_free_processor = 0;  ///< A loop woke no worker: as many ran as there are processors.
  /// ForkJoinPolicy only: this worker waited before a theft, because the last job that it stole took less time than the theft,
  /// and the owner ran the job itself during the wait.
  std::uint64_t thefts_too_short = 0;

  // AsyncPolicy only:
  std::uint64_t lifo_hits = 0;             ///< Jobs that this worker found in its LIFO slot.
  std::uint64_t global_batch_fetches = 0;  ///< Batches of injected jobs; injected_taken counts the jobs.
  /// Jobs pushed by this worker that went to the injector because its queue was full. The worker that takes them from there
  /// counts them in injected_taken. Therefore, when no job is waiting, `jobs_pushed + injected_taken - overflows` of the total
  /// is the number of jobs that were spawned or offered, except for broadcasts.
  std::uint64_t overflows = 0;

  /// Adds each counter of `other`. O(1).
  /// @code
  ///   total += stats.workers[i];
  /// @endcode
  /// @return This object.
  /// Thread-safety: as for an int.
  WorkerStats& operator+=(const WorkerStats& other) noexcept {
    jobs_executed += other.jobs_executed;
    jobs_pushed += other.jobs_pushed;
    jobs_stolen += other.jobs_stolen;
    steals_tried += other.steals_tried;
    injected_taken += other.injected_taken;
    times_slept += other.times_slept;
    times_woken += other.times_woken;
    parts_too_short += other.parts_too_short;
    loops_too_short += other.loops_too_short;
    joins_too_short += other.joins_too_short;
    no_free_processor += other.no_free_processor;
    thefts_too_short += other.thefts_too_short;
    lifo_hits += other.lifo_hits;
    global_batch_fetches += other.global_batch_fetches;
    overflows += other.overflows;
    return *this;
  }
  /// Whether all counters are equal.
  friend bool operator==(const WorkerStats&, const WorkerStats&) = default;
};

/// The result of BasicThreadPool::stats(). Plain data.
struct ThreadPoolStats {
  std::vector<WorkerStats> workers;  ///< Those of each worker, by current_thread_index().
  WorkerStats total;                 ///< The sum of `workers`.

  // At the time of the call, with the policies of the library:
  std::size_t searching = 0;  ///< Workers that search for work.
  std::size_t parked = 0;     ///< Workers that sleep, or are about to sleep.
};

}  // namespace blitz
