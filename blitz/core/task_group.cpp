#include "blitz/core/task_group.hpp"

namespace blitz::detail {

void TaskGroup::wait() noexcept {
  if (owner_ != nullptr) {
    // While the scope's jobs lie in the owner's queue they end without an atomic operation. [done]
    while (own_ + shared_.load(std::memory_order_acquire) != kBias) {
      Job* const job = owner_->take_newest();
      if (job == nullptr) break;
      job->execute(job, *owner_);
    }
  }
  own_is_shared_ = true;
  const std::int64_t change = own_ - kBias;
  if (shared_.fetch_add(change, std::memory_order_acq_rel) + change != 0) {  // [done]
    pool_.end_if_forked();
    latch_.wait();
  }
  outer_stop_.reset();
}

void TaskGroup::request_stop() noexcept {
  if (stopped_.exchange(true, std::memory_order_relaxed)) return;
  std::stop_source source(std::nostopstate);
  {
    const std::lock_guard lock(stop_mutex_);
    source = stop_source_;
  }
  // Without the mutex: callbacks may call back.
  source.request_stop();
}

std::stop_token TaskGroup::stop_token() {
  std::stop_source source(std::nostopstate);
  {
    const std::lock_guard lock(stop_mutex_);
    if (!stop_source_.stop_possible()) stop_source_ = std::stop_source();
    source = stop_source_;
  }
  if (stop_requested()) source.request_stop();
  return source.get_token();
}

}  // namespace blitz::detail
