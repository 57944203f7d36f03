/// What a pool has done so far.
#pragma once

#include "blitz/base/compiler.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blitz {

/// Counts since the pool was made. They are read while the workers go on counting: each is right at some moment, and
/// two of them not at the same one. Exact when nothing runs. A policy of the program's own need not count; what it
/// leaves out is 0.
struct WorkerStats {
  std::uint64_t jobs_executed = 0;   ///< taken from a queue and run, by whatever way they got there
  std::uint64_t jobs_pushed = 0;     ///< offered to the pool by this worker
  std::uint64_t jobs_stolen = 0;     ///< taken by this worker from another; a job may be stolen more than once
  std::uint64_t steals_tried = 0;    ///< the attempts at that; on AsyncPolicy one may bring several jobs
  std::uint64_t injected_taken = 0;  ///< jobs that this worker took from the injector: from outside, or overflowed
  std::uint64_t times_slept = 0;     ///< blocked for lack of work
  std::uint64_t times_woken = 0;     ///< by another thread; each time ends one sleep

  // Of AsyncPolicy alone:
  std::uint64_t lifo_hits = 0;             ///< jobs that this worker found in its LIFO slot
  std::uint64_t global_batch_fetches = 0;  ///< batches of injected jobs; injected_taken counts the jobs
  /// Jobs pushed by this worker that went to the injector for lack of room. The worker that takes them from there counts
  /// them in injected_taken: so all jobs that were spawned or offered, but for broadcasts, are, in the total,
  /// `jobs_pushed + injected_taken - overflows`, once nothing waits.
  std::uint64_t overflows = 0;

  WorkerStats& operator+=(const WorkerStats& other) noexcept {
    jobs_executed += other.jobs_executed;
    jobs_pushed += other.jobs_pushed;
    jobs_stolen += other.jobs_stolen;
    steals_tried += other.steals_tried;
    injected_taken += other.injected_taken;
    times_slept += other.times_slept;
    times_woken += other.times_woken;
    lifo_hits += other.lifo_hits;
    global_batch_fetches += other.global_batch_fetches;
    overflows += other.overflows;
    return *this;
  }
  friend bool operator==(const WorkerStats&, const WorkerStats&) = default;
};

/// The result of BasicThreadPool::stats.
struct ThreadPoolStats {
  std::vector<WorkerStats> workers;  ///< by worker index
  WorkerStats total;                 ///< their sum

  // Of AsyncPolicy alone, at this moment:
  std::size_t searching = 0;  ///< workers that look for work
  std::size_t parked = 0;     ///< workers that sleep, or are about to
};

}  // namespace blitz
