#include "blitz/detail/task/job_group.hpp"

#include <mutex>
#include <utility>

namespace blitz::detail {

void JobGroup::inject(OutsideJob* job) noexcept {
  pool_.inject(job);
  Waiter* claimer = nullptr;
  {
    const std::lock_guard lock(mutex_);
    drop_begun();
    (oldest_ != nullptr ? newest_->younger : oldest_) = job;
    newest_ = job;
    Waiter** link = &waiters_;
    while (*link != nullptr && !(*link)->claims) link = &(*link)->next;
    claimer = *link;
    if (claimer != nullptr) *link = claimer->next;
  }
  if (claimer != nullptr) claimer->latch.set();
}

void JobGroup::drop_begun() noexcept {
  while (oldest_ != nullptr && oldest_->has_begun()) std::exchange(oldest_, oldest_->younger)->release(current_worker);
}

OutsideJob* JobGroup::claim() noexcept {
  const std::lock_guard lock(mutex_);
  drop_begun();
  return oldest_ != nullptr ? std::exchange(oldest_, oldest_->younger) : nullptr;
}

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
    waiter->ended = true;
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
    if (WorkerBase* const worker = worker_of(pool_)) {
      wait_here(worker, !worker->at_limit_of_waits());
    } else if (current_worker == nullptr) {
      const Stay stay(pool_, false);
      wait_here(stay.worker(), true);
    } else {
      wait_here(nullptr, false);
    }
  }
  std::exception_ptr error;
  if ((state_.load(std::memory_order_acquire) & kGuarded) != 0) {  // [done]
    // After this the thread that ended the last job has left the mutex, and no longer touches the group.
    const std::lock_guard lock(mutex_);
    error = std::exchange(error_, nullptr);
    std::size_t ended = kGuarded;  // Relaxed: no thread reads data after it.
    state_.compare_exchange_strong(ended, 0, std::memory_order_relaxed, std::memory_order_relaxed);
  }
  stop_.forget_if([this]() noexcept { return idle(); });
  return error;
}

void JobGroup::wait_here(WorkerBase* worker, bool may_claim) noexcept {
  // A worker's newest jobs are most often the group's. After a few of them it looks for other jobs, like any waiting worker.
  constexpr int kFew = 8;
  // In the pool's own team it finds the jobs from outside in the injector.
  const bool claims = may_claim && worker != nullptr && worker->at_home() != worker && worker->region() == 0;
  for (;;) {
    for (int i = 0; worker != nullptr && i < kFew; ++i) {
      if (Job* const job = worker->take_newest()) {
        worker->call_in_wait([&] { worker->execute(job); });
      } else if (OutsideJob* const claimed = claims ? claim() : nullptr) {
        worker->call_in_wait([&] { claimed->run_once(*worker); });
        claimed->release(worker);
        pool_.end_if_forked();
      } else {
        break;
      }
      if (idle()) return;
    }
    Waiter waiter(pool_, claims);
    {
      const std::lock_guard lock(mutex_);
      // Relaxed: wait() reads it again, and the thread that ends the last job takes the mutex.
      if (state_.fetch_or(kGuarded, std::memory_order_relaxed) < kJob) return;
      drop_begun();
      if (claims && oldest_ != nullptr) continue;
      waiter.next = std::exchange(waiters_, &waiter);
    }
    waiter.latch.wait();
    if (waiter.ended) return;
  }
}

}  // namespace blitz::detail
