/// Spawned jobs in the order in which they were spawned, whatever the order of the queue that they go through.
///
/// Each job goes on a worker's queue as a token, and into a list. Whoever takes a token runs the oldest job of the list
/// that was made in the same isolation, which most often is another than the token's own; so a job's memory is freed when
/// both its parts are done with.
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

class JobFifo;

/// The isolation (see isolate) that the calling thread works in; 0 for none.
[[nodiscard]] BLITZ_API std::uint64_t isolation_here() noexcept;

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
  const std::uint64_t isolation = isolation_here();
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
  /// For the holder of a token: the oldest job of its isolation. O(1), but for jobs of others that are older.
  [[nodiscard]] FifoJob* pop(const FifoJob& token) noexcept {
    const std::lock_guard lock(mutex_);
    FifoJob* older = nullptr;
    FifoJob* job = oldest_;
    while (job->isolation != token.isolation) older = std::exchange(job, job->younger);
    (older != nullptr ? older->younger : oldest_) = job->younger;
    if (job->younger == nullptr) newest_ = older;
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
  FifoJob& oldest = *self.fifo.pop(self);
  oldest.run(oldest, worker);
  oldest.drop_part(worker);
  self.drop_part(worker);
}

}  // namespace blitz::detail
