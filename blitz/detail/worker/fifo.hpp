/// Spawned jobs in the order of their spawns, for queues with any order.
///
/// The jobs are in a list. For each job a token goes on a worker's queue. The worker that takes a token runs the oldest job of
/// the list that was spawned in the same region (see isolate). A list has as many jobs of a region as there are tokens.
///
/// Source: the indirection of rayon-core's spawn_fifo.
#pragma once

#include <mutex>
#include <utility>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/worker/confinement.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

/// A job that is in a list; only its token is in a queue.
struct FifoJob : Job {
  using Job::Job;

  FifoJob* younger = nullptr;  // in the list
  Region region = 0;           // of the worker of the pool that spawned it; otherwise 0
};

/// The list. Any thread.
class JobFifo {
 public:
  void push(FifoJob* job) noexcept {
    const std::lock_guard lock(mutex_);
    (newest_ != nullptr ? newest_->younger : oldest_) = job;
    newest_ = job;
  }
  /// For the holder of a token of that region: removes its oldest job. The list may be destroyed once the last job has run.
  /// O(1), plus the number of older jobs of other regions.
  [[nodiscard]] FifoJob* pop(Region region) noexcept {
    const std::lock_guard lock(mutex_);
    FifoJob* older = nullptr;
    FifoJob* job = oldest_;
    while (job->region != region) older = std::exchange(job, job->younger);
    (older != nullptr ? older->younger : oldest_) = job->younger;
    if (job->younger == nullptr) newest_ = older;
    return job;
  }

 private:
  Mutex mutex_;  // guards the list
  FifoJob* oldest_ = nullptr;
  FifoJob* newest_ = nullptr;
};

}  // namespace blitz::detail
