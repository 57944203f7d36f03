/// The alternate policy: bounded rings, a shared queue in batches, and a bitmap of parked workers.
#pragma once

#include <cstdint>

#include "blitz/detail/async/adaptive_interval.hpp"
#include "blitz/detail/async/idle_state.hpp"
#include "blitz/detail/async/local_queue.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/single_writer_counter.hpp"
#include "blitz/detail/base/xorshift.hpp"
#include "blitz/policy.hpp"

namespace blitz {

namespace detail {

/// Looks, in this order, at: fetched jobs, the LIFO slot, the ring, the injector, the others' rings and fetched jobs, their
/// slots, and the injector again. A worker that always has own jobs takes from the injector when its AdaptiveInterval says so.
///
/// Time passes in ticks of kBudget jobs; a tick also ends when there is nothing to run.
///
/// Outside a search a worker steals one job at a time: jobs moved to its own queue without an announcement would be
/// hidden from a worker that is checking all queues before it sleeps.
class AsyncFinder {
 public:
  using Sources = detail::Sources<AsyncQueue, AsyncInjector>;

  static constexpr unsigned kBudget = 128;

  explicit AsyncFinder(std::uint64_t seed) noexcept : random_(seed) {}

  [[nodiscard]] Job* find_work(Sources& sources) noexcept {
    if (jobs_ == kBudget) [[unlikely]]
      end_tick(sources.own);
    Job* job = at_hand(sources);
    if (job == nullptr) job = elsewhere(sources);
    if (job != nullptr) {
      ++jobs_;
    } else if (jobs_ != 0) {
      end_tick(sources.own);
    }
    return job;
  }

  [[nodiscard]] std::uint64_t steals_tried() const noexcept { return steals_tried_.value(); }
  /// Counts jobs; a theft may bring several.
  [[nodiscard]] std::uint64_t stolen() const noexcept { return stolen_.value(); }
  [[nodiscard]] std::uint64_t injected_taken() const noexcept { return injected_taken_.value(); }
  [[nodiscard]] std::uint64_t lifo_hits() const noexcept { return lifo_hits_.value(); }
  [[nodiscard]] std::uint64_t global_batch_fetches() const noexcept { return global_batch_fetches_.value(); }

 private:
  [[nodiscard]] BLITZ_API Job* at_hand(Sources& sources) noexcept;
  [[nodiscard]] BLITZ_API Job* elsewhere(Sources& sources) noexcept;
  [[nodiscard]] Job* fetch(Sources& sources) noexcept;
  [[nodiscard]] Job* steal(Sources& sources) noexcept;
  [[nodiscard]] Job* steal_newest(AsyncQueue& victim) noexcept;

  void end_tick(AsyncQueue& own) noexcept {
    jobs_ = 0;
    own.begin_tick();
  }

  XorShift64Star random_;
  AdaptiveInterval interval_;
  unsigned jobs_ = 0;  // of this tick
  // Written by the runner.
  SingleWriterCounter steals_tried_;
  SingleWriterCounter stolen_;
  SingleWriterCounter injected_taken_;
  SingleWriterCounter lifo_hits_;
  SingleWriterCounter global_batch_fetches_;
};

}  // namespace detail

/// The policy of AsyncThreadPool, for programs with many independent jobs that arrive from many threads and must not starve.
struct AsyncPolicy {
  using Injector = detail::AsyncInjector;
  using LocalQueue = detail::AsyncQueue;
  using Idle = detail::IdleState;
  using Finder = detail::AsyncFinder;
};

static_assert(Policy<AsyncPolicy>);

}  // namespace blitz
