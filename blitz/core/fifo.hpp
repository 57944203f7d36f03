/// Spawned jobs in the order in which they were spawned, whatever the order of the queue that they go through.
///
/// Each job goes on a worker's queue as a token, and into a list. Whoever takes a token runs the oldest job of the list,
/// which most often is another than the token's own; so a job's memory is freed when both its parts are done with.
///
/// The idea: the indirection of rayon-core's spawn_fifo.
#pragma once

#include <cstdint>
#include <mutex>

#include "blitz/base/atomic.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

class JobFifo;

/// A job in a list, and its token.
struct FifoJob : Job {
  /// Runs the job itself and destroys its closure.
  using Run = void (*)(FifoJob& self, WorkerBase& worker) noexcept;
  using Free = void (*)(FifoJob& self, WorkerBase& worker) noexcept;

  FifoJob(JobFifo& list, Run run_it, Free free_it) noexcept
      : Job(&execute_token), fifo(list), run(run_it), free_memory(free_it) {}

  static void execute_token(Job* token, WorkerBase& worker) noexcept;
  void drop_part(WorkerBase& worker) noexcept {
    // Release and acquire: what the one part did happens before the memory is used again.
    if (parts.fetch_sub(1, std::memory_order_acq_rel) == 1) free_memory(*this, worker);
  }

  JobFifo& fifo;
  FifoJob* younger = nullptr;  // in the list
  Run run;
  Free free_memory;
  Atomic<std::uint8_t> parts{2};  // the job, and its token
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
  /// Never null for the holder of a token.
  [[nodiscard]] FifoJob* pop() noexcept {
    const std::lock_guard lock(mutex_);
    FifoJob* const job = oldest_;
    oldest_ = job->younger;
    if (oldest_ == nullptr) newest_ = nullptr;
    return job;
  }

 private:
  Mutex mutex_;  // guards the list
  FifoJob* oldest_ = nullptr;
  FifoJob* newest_ = nullptr;
};

inline void FifoJob::execute_token(Job* token, WorkerBase& worker) noexcept {
  auto& self = *static_cast<FifoJob*>(token);
  // What the jobs belong to, a scope, may be gone as soon as one has run: the list is not touched after that.
  FifoJob& oldest = *self.fifo.pop();
  oldest.run(oldest, worker);
  oldest.drop_part(worker);
  self.drop_part(worker);
}

}  // namespace blitz::detail
