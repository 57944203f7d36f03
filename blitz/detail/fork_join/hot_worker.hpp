/// HotWorker: all of a worker of the default policy that a join touches.
///
/// join.hpp uses this class only. It does not include the rest of the worker, or the pool.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/single_writer_counter.hpp"
#include "blitz/detail/fork_join/atomic_counters.hpp"
#include "blitz/detail/queue/chase_lev_deque.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

class HotWorker;
class Sleep;
template <class T>
class StackLanes;

/// The worker that the calling thread runs. Null if it runs none, or one of another policy, or a confined one. Each join reads
/// it.
BLITZ_API BLITZ_TLS extern constinit thread_local HotWorker* hot_worker;

/// The deque with a count of its pushes, the one statistic that costs every join.
class ForkJoinQueue {
 public:
  using Place = ChaseLevDeque<Job>::Place;
  /// Throws std::bad_alloc if the deque must grow and cannot; the job is then not pushed.
  Place push(Job* job) {
    const Place place = deque_.push(job);
    pushed_.add();
    return place;
  }
  Place push(Job* job, StackLanes<Job>& /*overflow*/) { return push(job); }
  [[nodiscard]] Job* take_newest() noexcept { return deque_.pop(); }
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool take_if_newest(Place place) noexcept { return deque_.pop_if_newest(place); }
  void expect_theft() noexcept { deque_.expect_theft(); }
  [[nodiscard]] bool empty() const noexcept { return deque_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return deque_.size(); }
  [[nodiscard]] std::uint64_t pushed() const noexcept { return pushed_.value(); }
  [[nodiscard]] std::uint64_t taken() const noexcept { return deque_.stolen(); }

  [[nodiscard]] ChaseLevDeque<Job>& deque() noexcept { return deque_; }

 private:
  ChaseLevDeque<Job> deque_;
  SingleWriterCounter pushed_;  // written by the owner
};

/// Only the worker's runner calls the members, except queue().
class HotWorker {
 public:
  using Place = ForkJoinQueue::Place;

  /// Of `worker`, in `slot` of `idle`. Throws std::bad_alloc.
  BLITZ_API HotWorker(WorkerBase& worker, Sleep& idle, std::size_t slot);
  HotWorker(const HotWorker&) = delete;
  HotWorker& operator=(const HotWorker&) = delete;

  /// The whole worker.
  [[nodiscard]] WorkerBase& worker() const noexcept { return tag_.worker; }
  [[nodiscard]] const OwnerTag& tag() const noexcept { return tag_; }
  [[nodiscard]] ForkJoinQueue& queue() noexcept { return queue_; }

  /// Offers a job that this worker will take back, or wait for. The idle protocol decides whether the job is worth a wake-up.
  /// Returns the job's place, or kNowhere if the offer is timed. If it throws std::bad_alloc, it has not taken the job.
  BLITZ_ALWAYS_INLINE Place offer_half(Job* job) {
    const Place place = queue_.push(job);
    if (!counters_.all_awake()) [[unlikely]] {
      if (skips_ == 0) return wake_for_half(job, place);
      --skips_;
    }
    return place;
  }
  /// Takes back an offered job that has not begun, if it is the newest one; otherwise see reclaim.
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool take_back(Place place, Job* /*job*/) noexcept {
    return queue_.take_if_newest(place);
  }

 protected:
  ~HotWorker() = default;

  /// Makes `worker` the hot_worker of the calling thread.
  static void run(HotWorker* worker) noexcept { hot_worker = worker; }
  /// The fork that offered this half has ended, or thrown. `stolen`: the half had been taken, usually by another worker.
  BLITZ_API void end_fork(const Job* half, bool stolen) noexcept;

 private:
  /// The rest of offer_half, if a worker sleeps or is about to.
  [[nodiscard]] BLITZ_COLD BLITZ_API Place wake_for_half(Job* job, Place place) noexcept;

  const OwnerTag tag_;              // first, so that it has the address of this object
  const AtomicCounters& counters_;  // of idle_
  Sleep& idle_;
  std::size_t slot_;
  unsigned skips_ = 0;  // the next halves, so many at most, are withheld without a call

 protected:
  ForkJoinQueue queue_;
};

}  // namespace blitz::detail
