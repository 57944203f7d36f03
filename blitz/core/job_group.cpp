#include "blitz/core/job_group.hpp"

#include <mutex>
#include <utility>

namespace blitz::detail {

void JobGroup::finished() noexcept {
  std::size_t seen = state_.load(std::memory_order_relaxed);  // The exchange below checks it.
  while (seen != kJob + kGuarded) {
    // [done]
    if (state_.compare_exchange_weak(seen, seen - kJob, std::memory_order_release, std::memory_order_relaxed)) return;
  }
  pool_.end_if_forked();  // In a child, a thread that does not exist there may hold the mutex.
  Waiter* waiter = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (state_.fetch_sub(kJob, std::memory_order_release) != kJob + kGuarded) return;  // [done]
    waiter = std::exchange(waiters_, nullptr);
  }
  while (waiter != nullptr) {
    Waiter* const next = waiter->next;
    waiter->latch.set();
    waiter = next;
  }
}

void JobGroup::keep_exception() noexcept {
  pool_.end_if_forked();  // As in finished().
  const std::lock_guard lock(mutex_);
  state_.fetch_or(kGuarded, std::memory_order_relaxed);  // read at this job's end, or under the mutex
  if (error_ == nullptr) error_ = std::current_exception();
}

std::exception_ptr JobGroup::wait() noexcept {
  if (!idle()) {
    const Visit helper(pool_);
    wait_here();
  }
  std::exception_ptr error;
  if ((state_.load(std::memory_order_acquire) & kGuarded) != 0) {  // [done]
    // After this the thread that ended the last job has left the mutex, and touches the group no more.
    const std::lock_guard lock(mutex_);
    error = std::exchange(error_, nullptr);
    std::size_t ended = kGuarded;  // Relaxed: nobody has anything to read then.
    state_.compare_exchange_strong(ended, 0, std::memory_order_relaxed, std::memory_order_relaxed);
  }
  stop_.forget_if([this]() noexcept { return idle(); });
  return error;
}

void JobGroup::wait_here() noexcept {
  // A worker's newest jobs are most often the group's. It looks for others, as any that waits, after a few.
  constexpr int kFew = 8;
  if (WorkerBase* const worker = current_worker) {
    for (int i = 0; i < kFew; ++i) {
      Job* const job = worker->take_newest();
      if (job == nullptr) break;
      worker->execute(job);
      if (idle()) return;
    }
  }
  Waiter waiter(pool_);
  {
    const std::lock_guard lock(mutex_);
    // Relaxed: wait() reads it again, and the one that ends the last job takes the mutex.
    if (state_.fetch_or(kGuarded, std::memory_order_relaxed) < kJob) return;
    waiter.next = std::exchange(waiters_, &waiter);
  }
  waiter.latch.wait();
}

}  // namespace blitz::detail
