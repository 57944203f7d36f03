/// Isolation: a worker inside isolate() is *confined* to a region. While it waits, it runs only jobs of that region and its
/// mail, and sleeps apart when there are none (see waiting.hpp).
///
/// Jobs that a confined worker offers go to a separate deque, each labelled with its region, so that the policy's queue stays
/// open to all. README.md defines which worker takes which of them, and has the proofs.
///
/// Pairs:
///   [call]  sleep: asleep_in and asleep_, heavy fence, oldest  <->  call_one: after a push or a label, light fence, asleep_
///   [claim] sleep: state_ of the ApartSlot, then asleep_in     <->  call_one: asleep_in, then state_
#pragma once

#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/queue/chase_lev_deque.hpp"
#include "blitz/detail/worker/waiting.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

/// One call of isolate: a number that is unique in its pool. 0 means no region.
using Region = std::uint64_t;

/// A job and its region.
struct ConfinedJob {
  Job* job = nullptr;
  Region region = 0;

  operator Job*() const noexcept { return job; }
};

/// The jobs that a worker has made while it was confined. Its runner owns the deque.
struct alignas(kCacheLine) ConfinedJobs {
  /// A ConfinedJob in two words. A thief that reads them while they change takes nothing.
  class Slot {
   public:
    void store(ConfinedJob item, std::memory_order /*relaxed*/) noexcept {
      job_.store(item.job, std::memory_order_relaxed);
      region_.store(item.region, std::memory_order_relaxed);
    }
    [[nodiscard]] ConfinedJob load(std::memory_order /*relaxed*/) const noexcept {
      return {job_.load(std::memory_order_relaxed), region_.load(std::memory_order_relaxed)};
    }

   private:
    Atomic<Job*> job_{nullptr};
    Atomic<Region> region_{0};
  };
  using Deque = ChaseLevDeque<Job, Slot>;

  /// The newest job, if it is of `region`.
  [[nodiscard]] Job* take_newest(Region region) noexcept { return empty(region) ? nullptr : deque.pop().job; }
  [[nodiscard]] bool empty(Region region) const noexcept { return deque.newest().region != region || deque.empty(); }

  Deque deque{32};
  Atomic<Region> asleep_in{0};  // the region of the sleeping runner; set to 0 by the thread that calls it
};

/// The confinement of a worker.
struct Confined {
  Region region = 0;
  Region next = 0;  // the first region that it could begin inside `region`

  /// Whether worker `home` of `workers` may take a job of `other` here: a job of its region, or of a region that it has begun
  /// and ended within it.
  [[nodiscard]] bool includes(Region other, std::size_t home, std::size_t workers) const noexcept {
    return other == region || (other >= next && (other - 1) % workers == home);
  }
};

/// The confined jobs of a pool, and the workers that wait for such jobs.
class BLITZ_API Isolation {
 public:
  Isolation(ApartWorkers& apart, std::size_t workers);

  [[nodiscard]] ConfinedJobs& jobs(std::size_t slot) noexcept { return jobs_[slot]; }
  /// Steals the oldest job of a slot; for a confined worker, only a job that it may take.
  [[nodiscard]] ConfinedJob steal(std::size_t thief, Confined confined) noexcept;
  /// Must follow each new job or label of `region`: wakes a worker that sleeps there.
  void call_one(Region region) noexcept {
    asymmetric_light_fence();  // [call]
    if (any_asleep()) call_one_slowly(region);
  }
  /// A hint.
  [[nodiscard]] bool any_asleep() const noexcept { return asleep_.load(std::memory_order_relaxed) != 0; }
  /// Runs jobs of the worker's region until the latch is set, and sleeps apart while there are none.
  void wait(WorkerBase& worker, CoreLatch& latch) noexcept;

 private:
  BLITZ_COLD void call_one_slowly(Region region) noexcept;
  /// Returns whether the worker was called.
  [[nodiscard]] bool sleep(WorkerBase& worker, CoreLatch& latch) noexcept;

  ApartWorkers& apart_;
  const std::size_t workers_;
  const OwnedArray<ConfinedJobs> jobs_;
  Atomic<std::size_t> asleep_{0};  // written by confined workers before and after they sleep
};

/// Confines a worker to a region while this object lives.
class Confinement {
 public:
  /// By default to a new region.
  BLITZ_API explicit Confinement(WorkerBase& worker, Region region = 0) noexcept;
  BLITZ_API ~Confinement();
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

 private:
  WorkerBase& worker_;
  const Confined outer_;
};

/// A job from a region that its taker is not confined to. It runs before the worker takes another job.
struct TakenJob final : Job {
  TakenJob() noexcept : Job(&execute_it) {}

  [[nodiscard]] Job* hold(ConfinedJob job) noexcept {
    taken = job;
    return job.job != nullptr ? this : nullptr;
  }
  BLITZ_API static void execute_it(Job* job, WorkerBase& worker) noexcept;

  ConfinedJob taken;
};

}  // namespace blitz::detail
