/// The count of a pool's detached jobs: no call waits for one of them, but the end of the pool waits for all.
///
/// Each worker counts the jobs that it begins and ends in two words that only its runner writes. Threads that are not workers
/// count the jobs that they begin in a shared word. README.md proves that a drain ends, and only when no job is left.
///
/// Pairs:
///   [drain]  DetachedCount::end: ended_, light fence, stopping_ load  <->  drain: stopping_, heavy fence, counts
///   [ended]  DetachedCount::end: ended_ (release)                      ->  all_ended: ended_ (acquire)
///   [new]    DetachedCount::enlist: counts_ (release)                  ->  all_ended: counts_ (acquire)
#pragma once

#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/single_writer_counter.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/sys/parker.hpp"

namespace blitz::detail {

class DetachedCount;

class BLITZ_API DetachedJobs {
 public:
  /// A thread that is not a worker of the pool spawns a job. Any thread.
  void begin_outside() noexcept { begun_outside_.fetch_add(1, std::memory_order_seq_cst); }

  /// Waits until all jobs have ended, including those that they spawn. One thread at a time.
  void drain() noexcept;
  /// Like drain; until it returns, wait_while_held() blocks.
  void drain_and_hold() noexcept;
  /// Whether a drain is in progress.
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(std::memory_order_relaxed); }
  /// A thread outside every pool calls this before it spawns, if stopping(): a thread that spawns without end would keep the
  /// drain from ending. A thread that reads stopping() too early adds one job, which is drained.
  BLITZ_COLD void wait_while_held() noexcept;

 private:
  friend class DetachedCount;

  [[nodiscard]] bool all_ended() const noexcept;
  /// A job has ended during a drain.
  BLITZ_COLD void ended_late() noexcept;

  Atomic<DetachedCount*> counts_{nullptr};                      // a list; the workers of new teams are added
  Atomic<bool> stopping_{false};                                // written by the thread that drains
  Mutex holding_;                                               // locked during drain_and_hold
  Parker drainer_;                                              // the thread that drains
  alignas(kCacheLine) Atomic<std::uint64_t> begun_outside_{0};  // separate line: written at each spawn from outside
};

/// One worker's part of the count. begin() and end() are for its runner; any thread may read.
class DetachedCount {
 public:
  explicit DetachedCount(DetachedJobs& jobs) noexcept : jobs_(jobs) {}

  /// Must come before it counts. From then on it must live as long as `jobs`. One thread at a time.
  void enlist() noexcept {
    next_ = jobs_.counts_.load(std::memory_order_relaxed);
    jobs_.counts_.store(this, std::memory_order_release);  // [new]
  }

  void begin() noexcept { begun_.add(); }
  void end() noexcept {
    ended_.add(1, std::memory_order_release);  // [ended]
    asymmetric_light_fence();                  // [drain]
    // The pool outlives this call, although this may be its last job: it ends after its residents, without callers in it.
    if (jobs_.stopping()) [[unlikely]]
      jobs_.ended_late();
  }

  [[nodiscard]] std::uint64_t begun() const noexcept { return begun_.value(); }
  [[nodiscard]] std::uint64_t ended() const noexcept { return ended_.value(std::memory_order_acquire); }  // [ended]

 private:
  friend class DetachedJobs;

  DetachedJobs& jobs_;
  DetachedCount* next_ = nullptr;
  SingleWriterCounter begun_;  // written by the runner, read by a drain and its helpers
  SingleWriterCounter ended_;  // like begun_
};

}  // namespace blitz::detail
