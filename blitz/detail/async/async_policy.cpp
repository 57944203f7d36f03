#include "blitz/detail/async/async_policy.hpp"

#include "blitz/detail/wake/linger.hpp"

namespace blitz::detail {
namespace {

/// After this many rounds with a theft lost to another thread, the thief yields.
constexpr int kLostBeforeYield = 64;

}  // namespace

Job* AsyncFinder::at_hand(Sources& sources) noexcept {
  AsyncQueue& own = sources.own;
  if (Job* const job = own.take_fetched()) return job;
  if (interval_.look_is_due() && interval_.look(!sources.injector.empty(), ticks_now)) {
    if (Job* const job = fetch(sources)) return job;
  }
  Job* job = own.poll_slot();
  if (job != nullptr) {
    lifo_hits_.add();
  } else {
    job = own.take_oldest();
  }
  if (job != nullptr) interval_.own_job();
  return job;
}

/// Returns null only if there was no job, because a worker may then sleep. So it retries a theft that was lost to another
/// thread, and looks at the injector before the queues: a job is in a worker's queue before it leaves the injector.
Job* AsyncFinder::elsewhere(Sources& sources) noexcept {
  if (Job* const job = fetch(sources)) return job;
  if (sources.count > 1) {
    if (Job* const job = steal(sources)) return job;
    return fetch(sources);
  }
  return nullptr;
}

Job* AsyncFinder::fetch(Sources& sources) noexcept {
  if (sources.injector.empty()) return nullptr;
  std::size_t taken = 0;
  Job* const job = sources.own.fetch(sources.injector, sources.count, taken);
  if (job == nullptr) return nullptr;
  interval_.restart();
  injected_taken_.add(taken);
  global_batch_fetches_.add();
  return job;
}

Job* AsyncFinder::steal(Sources& sources) noexcept {
  const std::size_t most = sources.searching ? WorkStealQueue<Job>::kHalf : 1;
  const auto count = static_cast<std::uint32_t>(sources.count);
  for (int round = 0;; ++round) {
    const std::uint32_t start = random_.bounded(count);
    bool lost = false;
    const auto victim_at = [&](std::uint32_t i) noexcept {
      return static_cast<std::size_t>(start + i < count ? start + i : start + i - count);
    };
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t victim = victim_at(i);
      if (victim == sources.slot) continue;
      const StealResult<Job> result = sources.own.steal_from(sources.queue(victim), most);
      if (result.outcome == StealResult<Job>::Outcome::kEmpty) continue;
      steals_tried_.add();
      if (result.item != nullptr) {
        stolen_.add(1 + result.moved);
        return result.item;
      }
      lost = true;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t victim = victim_at(i);
      if (victim == sources.slot) continue;
      if (Job* const job = steal_newest(sources.queue(victim))) return job;
    }
    if (!lost) return nullptr;
    // Another thief is copying jobs, or was faster.
    if (round < kLostBeforeYield) {
      cpu_relax();
    } else {
      yield_thread();
    }
  }
}

Job* AsyncFinder::steal_newest(AsyncQueue& victim) noexcept {
  // Often it is the second half of a tiny loop, and its owner will run it before a thief could. Leave it to the owner if the
  // owner takes it within the time of a theft.
  for (int i = 0; i < kLooksBeforeTheft; ++i) {
    if (victim.slot_empty()) return nullptr;
    cpu_relax();
  }
  steals_tried_.add();
  Job* const job = AsyncQueue::steal_newest_from(victim);
  if (job != nullptr) stolen_.add();
  return job;
}

}  // namespace blitz::detail
