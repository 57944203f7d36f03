#include "blitz/detail/fork_join/hot_worker.hpp"

#include "blitz/detail/fork_join/sleep.hpp"

namespace blitz::detail {

constinit thread_local HotWorker* hot_worker = nullptr;

HotWorker::HotWorker(WorkerBase& worker, Sleep& idle, std::size_t slot)
    : tag_{worker}, counters_(idle.word()), idle_(idle), slot_(slot) {}

HotWorker::Place HotWorker::wake_for_half(Job* job, Place place) noexcept {
  const Sleep::HalfOffer offer = idle_.new_half(slot_, job, queue_.taken());
  if (offer.woke) queue_.expect_theft();
  skips_ = offer.skips;
  return offer.is_timed ? kNowhere : place;
}

void HotWorker::end_fork(const Job* half, bool stolen) noexcept {
  skips_ = 0;
  idle_.fork_ended(slot_, half, stolen);
}

}  // namespace blitz::detail
