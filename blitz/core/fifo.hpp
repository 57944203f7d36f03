/// Spawned jobs in the order in which they were spawned, whatever the order of the queue that they go through.
///
/// The jobs lie in a list. For each job a token goes on a worker's queue; the worker that takes a token runs the oldest
/// job of the list that was spawned in the same isolation. A list has as many jobs of an isolation as there are tokens.
///
/// The idea: the indirection of rayon-core's spawn_fifo.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

/// The isolation (see isolate) that the calling thread works in; 0 for none.
[[nodiscard]] BLITZ_API std::uint64_t isolation_here() noexcept;

/// A job in a list, and not in a queue: its token is there.
struct FifoJob : Job {
  using Job::Job;

  FifoJob* younger = nullptr;  // in the list
  const std::uint64_t isolation = isolation_here();
};

/// The list. Any thread.
class JobFifo {
 public:
  JobFifo() = default;
  JobFifo(const JobFifo&) = delete;
  JobFifo& operator=(const JobFifo&) = delete;

  void push(FifoJob* job) noexcept {
    const std::lock_guard lock(mutex_);
    (newest_ != nullptr ? newest_->younger : oldest_) = job;
    newest_ = job;
  }
  /// For the holder of a token of that isolation: its oldest job. The list may be gone once the last job has run. O(1),
  /// plus the jobs of other isolations that are older.
  [[nodiscard]] FifoJob* pop(std::uint64_t isolation) noexcept {
    const std::lock_guard lock(mutex_);
    FifoJob* older = nullptr;
    FifoJob* job = oldest_;
    while (job->isolation != isolation) older = std::exchange(job, job->younger);
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
