#include "blitz/detail/worker/detached_jobs.hpp"

#include <mutex>

namespace blitz::detail {

void DetachedJobs::drain() noexcept {
  stopping_.store(true, std::memory_order_seq_cst);
  asymmetric_heavy_fence();  // [drain]
  while (!all_ended()) drainer_.park();
}

void DetachedJobs::drain_and_hold() noexcept {
  const std::lock_guard lock(holding_);
  drain();
  stopping_.store(false, std::memory_order_relaxed);
}

void DetachedJobs::wait_while_held() noexcept { const std::lock_guard lock(holding_); }

/// Whether at some moment as many jobs had ended as begun; see README.md.
bool DetachedJobs::all_ended() const noexcept {
  std::uint64_t ended = 0;
  for (const DetachedCount* count = counts_.load(std::memory_order_acquire); count != nullptr; count = count->next_)
    ended += count->ended();
  std::uint64_t begun = begun_outside_.load(std::memory_order_seq_cst);
  for (const DetachedCount* count = counts_.load(std::memory_order_acquire); count != nullptr; count = count->next_)
    begun += count->begun();
  return ended == begun;
}

void DetachedJobs::ended_late() noexcept {
  // If two workers end the last two jobs concurrently, at least one sees both counts.
  seq_cst_fence();
  if (all_ended()) drainer_.unpark();
}

}  // namespace blitz::detail
