#include "blitz/core/job_group.hpp"

#include <mutex>
#include <utility>

namespace blitz::detail {

void JobGroup::finished() noexcept {
  std::size_t seen = unfinished_.load(std::memory_order_relaxed);  // The exchange below checks it.
  while (seen > 1) {
    // [done]
    if (unfinished_.compare_exchange_weak(seen, seen - 1, std::memory_order_release, std::memory_order_relaxed)) return;
  }
  pool_.end_if_forked();  // In a child, a thread that does not exist there may hold the mutex.
  Waiter* waiter = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;  // [done]
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
  if (error_ == nullptr) error_ = std::current_exception();
}

std::exception_ptr JobGroup::wait() noexcept {
  if (!idle()) {
    const Visit helper(pool_);
    wait_here();
  }
  std::exception_ptr error;
  {
    // After this the thread that ended the last job has left the mutex, and touches the group no more.
    const std::lock_guard lock(mutex_);
    error = std::exchange(error_, nullptr);
  }
  stop_.forget_if([this]() noexcept { return idle(); });
  return error;
}

void JobGroup::wait_here() noexcept {
  Waiter waiter(pool_);
  {
    const std::lock_guard lock(mutex_);
    if (idle()) return;
    waiter.next = std::exchange(waiters_, &waiter);
  }
  waiter.latch.wait();
}

}  // namespace blitz::detail
