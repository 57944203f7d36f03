#include "blitz/detail/task/scope_state.hpp"

#include <cstdio>
#include <cstdlib>

namespace blitz::detail {

void end_for_ended_scope() noexcept {
  static_cast<void>(
      std::fputs("blitz: the scope has ended; spawn in its body, or in a job of it that still runs\n", stderr));
  std::abort();
}

void ScopeState::wait() noexcept {
  if (owner_ != nullptr) {
    // While the scope's jobs are in the owner's queue they end without an atomic operation. [done]
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
  outer_stop_ = {};
}

}  // namespace blitz::detail
