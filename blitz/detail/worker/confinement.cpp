#include "blitz/detail/worker/confinement.hpp"

#include "blitz/detail/wake/linger.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

Isolation::Isolation(ApartWorkers& apart, std::size_t workers)
    : apart_(apart), workers_(workers), jobs_(make_array<ConfinedJobs>(workers)) {}

ConfinedJob Isolation::steal(std::size_t thief, Confined confined) noexcept {
  for (bool lost = true; lost;) {
    lost = false;
    for (std::size_t slot = 0; slot < workers_; ++slot) {
      ConfinedJobs::Deque& victim = jobs_[slot].deque;
      ConfinedJob oldest = victim.oldest();
      const auto wanted = [&](ConfinedJob job) noexcept {
        oldest = job;
        return confined.region == 0 || confined.includes(job.region, thief, workers_);
      };
      if (oldest.job == nullptr || !wanted(oldest) || !victim.prepare_theft()) continue;
      const auto result = victim.steal(wanted);
      if (result.item != nullptr) return oldest;
      lost |= result.outcome == decltype(result)::Outcome::kLost;
    }
  }
  return {};
}

void Isolation::call_one_slowly(Region region) noexcept {
  const std::size_t home = (region - 1) % workers_;
  for (std::size_t slot = 0; slot < workers_; ++slot) {
    Atomic<Region>& asleep_in = jobs_[slot].asleep_in;
    Region there = asleep_in.load(std::memory_order_relaxed);
    if (there != region && (there == 0 || slot != home)) continue;
    if (!asleep_in.compare_exchange_strong(there, 0, std::memory_order_seq_cst)) continue;  // [claim]
    apart_.wake(slot);
    if (there == region) return;
  }
}

bool Isolation::sleep(WorkerBase& worker, CoreLatch& latch) noexcept {
  const NotCountedApart returned(worker);  // It is counted by apart_.sleep.
  const CountedApart below(worker.below());
  const std::size_t index = worker.index();
  const Confined confined = worker.confined();
  Atomic<Region>& asleep_in = jobs_[index].asleep_in;
  asleep_in.store(confined.region, std::memory_order_relaxed);  // relaxed: the fence orders both
  asleep_.fetch_add(1, std::memory_order_relaxed);
  asymmetric_heavy_fence();  // [call]
  apart_.sleep(index, latch, [&]() noexcept {
    if (asleep_in.load(std::memory_order_seq_cst) == 0 || worker.has_mail()) return true;  // [claim]
    for (std::size_t slot = 0; slot < workers_; ++slot) {
      const ConfinedJob oldest = jobs_[slot].deque.oldest();  // [call]
      if (oldest.job != nullptr && confined.includes(oldest.region, index, workers_)) return true;
    }
    return false;
  });
  asleep_.fetch_sub(1, std::memory_order_relaxed);               // relaxed: a surplus hint is harmless
  return asleep_in.exchange(0, std::memory_order_relaxed) == 0;  // relaxed: it publishes only the word
}

void Isolation::wait(WorkerBase& worker, CoreLatch& latch) noexcept {
  bool called = false;  // for a job that it has not yet looked for
  for (unsigned round = 0; !latch.probe();) {
    Job* const job = worker.find_work();
    called = false;
    if (job != nullptr) {
      worker.execute(job);
      round = 0;
    } else if (round++ < rounds_of_search(worker.index())) {
      pause_search(worker.index(), latch);
    } else {
      called = sleep(worker, latch);
    }
  }
  // The latch is set too, so pass the call to another worker. Only the last probe can decide this: the latch may be set after
  // any other probe.
  if (called) call_one(worker.region());
}

Confinement::Confinement(WorkerBase& worker, Region region) noexcept : worker_(worker), outer_(worker.confined()) {
  if (region == 0) region = worker.begin_region();
  worker.confine({region, worker.next_region()});
}

Confinement::~Confinement() {
  const Region region = worker_.region();
  worker_.confine(outer_);
  if (outer_.region == 0) return;
  // The remaining jobs become the outer region's, because its workers would not take them by their old label.
  std::size_t left = 0;
  worker_.confined_jobs().deque.relabel([&](ConfinedJob& job) noexcept {
    if (job.region != region) return false;
    job.region = outer_.region;
    ++left;
    return true;
  });
  for (; left > 0; --left) worker_.team().isolation.call_one(outer_.region);
}

void TakenJob::execute_it(Job* job, WorkerBase& worker) noexcept {
  const ConfinedJob taken = static_cast<TakenJob*>(job)->taken;  // The job may need this object again.
  const Confinement confinement(worker, taken.region);
  taken.job->execute(taken.job, worker);
}

}  // namespace blitz::detail
