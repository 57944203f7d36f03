/// The jobs of one worker of the async backend: the LIFO slot, the ring that follows it, and a buffer for batches from the
/// injector.
///
/// The buffer is a small ring, so that fetched jobs may be stolen too: the first job of a batch may run for an hour, or
/// wait for the second.
///
/// Threads: slot_empty, empty, size, steal_newest_from and the statistics, any thread; all others, only the owner. A thief
/// calls steal_from on its own queue.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/single_writer_counter.hpp"
#include "blitz/detail/queue/global_queue.hpp"
#include "blitz/detail/queue/lifo_slot.hpp"
#include "blitz/detail/queue/steal_result.hpp"
#include "blitz/detail/queue/work_steal_queue.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

using AsyncInjector = GlobalQueue<Job>;

class AsyncQueue {
 public:
  /// The job's address: no other job has it before this one has run.
  using Place = Job*;

  Place push(Job* job, AsyncInjector& overflow) noexcept {
    pushed_.add();
    if (Job* const evicted = slot_.put(job)) {
      if (const std::size_t sent = ring_.push(evicted, overflow); sent != 0) [[unlikely]]
        overflowed_.add(sent);
    }
    return job;
  }

  /// Takes the newest job that was pushed here or stolen. Fetched jobs are excluded: a waiting job should not run an unrelated
  /// job on top of its stack before it searches.
  [[nodiscard]] Job* take_newest() noexcept {
    if (Job* const job = slot_.take()) return job;
    return ring_.take_newest();
  }
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool take_if_newest(Place place) noexcept {
    if (!slot_.holds(place)) return slot_.holds(nullptr) && ring_.take_newest_if(place);
    return slot_.take_if(place);
  }

  // --- in the order of a search ---

  /// Takes this worker's share from the injector: returns the oldest job, keeps the others, sets `taken` to their number.
  [[nodiscard]] Job* fetch(AsyncInjector& injector, std::size_t workers, std::size_t& taken) noexcept {
    taken = 1;
    Job* const first = injector.take_batch(workers, 1 + fetched_.room(), [&](Job* job) noexcept {
      fetched_.push_into_room(job);
      ++taken;
    });
    if (first == nullptr) taken = 0;
    return first;
  }
  [[nodiscard]] Job* take_fetched() noexcept { return fetched_.pop(); }
  [[nodiscard]] Job* poll_slot() noexcept { return slot_.poll(); }
  /// Takes the oldest job. The one in the slot is the newest.
  [[nodiscard]] Job* take_oldest() noexcept {
    if (Job* const job = ring_.pop()) return job;
    return slot_.take();
  }
  void begin_tick() noexcept { slot_.begin_tick(); }

  /// Steals half of the other worker's ring. If the ring is empty, steals half of its fetched jobs. Takes at most `most` jobs;
  /// see WorkStealQueue.
  [[nodiscard]] StealResult<Job> steal_from(AsyncQueue& victim, std::size_t most) noexcept {
    StealResult<Job> result = victim.ring_.steal_into(ring_, most);
    if (result.outcome == StealResult<Job>::Outcome::kEmpty) result = victim.fetched_.steal_into(ring_, most);
    if (result.item != nullptr) victim.lost_.fetch_add(1 + result.moved, std::memory_order_relaxed);  // A count.
    return result;
  }
  [[nodiscard]] static Job* steal_newest_from(AsyncQueue& victim) noexcept {
    Job* const job = victim.slot_.take();
    if (job != nullptr) victim.lost_.fetch_add(1, std::memory_order_relaxed);  // A count.
    return job;
  }

  // --- for any thread ---

  [[nodiscard]] bool slot_empty() const noexcept { return slot_.empty(); }
  [[nodiscard]] bool empty() const noexcept { return slot_.empty() && ring_.empty() && fetched_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept {
    return ring_.size() + fetched_.size() + static_cast<std::size_t>(!slot_.empty());
  }

  [[nodiscard]] std::uint64_t pushed() const noexcept { return pushed_.value(); }
  /// How many jobs were stolen from this queue, or overflowed.
  [[nodiscard]] std::uint64_t taken() const noexcept { return lost_.load(std::memory_order_relaxed) + overflows(); }
  [[nodiscard]] std::uint64_t overflows() const noexcept { return overflowed_.value(); }

 private:
  alignas(kCacheLine) LifoSlot<Job> slot_;
  // Written by the owner.
  SingleWriterCounter pushed_;
  SingleWriterCounter overflowed_;
  WorkStealQueue<Job> ring_;
  WorkStealQueue<Job, AsyncInjector::kDefaultBatch> fetched_;
  alignas(kCacheLine) Atomic<std::uint64_t> lost_{0};  // written by thieves
};

static_assert(JobInjector<AsyncInjector>);
static_assert(JobQueue<AsyncQueue, AsyncInjector>);

}  // namespace blitz::detail
