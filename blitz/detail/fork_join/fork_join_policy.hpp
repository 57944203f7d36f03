/// The default policy: Chase-Lev deques, Treiber stacks, and progressive sleep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/single_writer_counter.hpp"
#include "blitz/detail/base/xorshift.hpp"
#include "blitz/detail/fork_join/hot_worker.hpp"
#include "blitz/detail/fork_join/sleep.hpp"
#include "blitz/detail/fork_join/theft_patience.hpp"
#include "blitz/detail/queue/stack_lanes.hpp"
#include "blitz/policy.hpp"

namespace blitz {

namespace detail {

using ForkJoinInjector = StackLanes<Job>;

/// Looks in the worker's own deque, then steals, then looks in the injector. Victims: slot 0, where most work starts,
/// then the others from a random start. Repeats while a theft was lost to another thread, since there may be more.
class ForkJoinFinder {
 public:
  using Sources = detail::Sources<ForkJoinQueue, ForkJoinInjector>;

  explicit ForkJoinFinder(std::uint64_t seed) noexcept : random_(seed) {}

  [[nodiscard]] Job* find_work(Sources& sources) noexcept {
    if (Job* const job = sources.own.take_newest()) return job;
    if (Job* const job = steal(sources)) return job;
    return take_injected(sources);
  }

  [[nodiscard]] std::uint64_t steals_tried() const noexcept { return steals_tried_.value(); }
  [[nodiscard]] std::uint64_t stolen() const noexcept { return stolen_.value(); }
  [[nodiscard]] std::uint64_t injected_taken() const noexcept { return injected_taken_.value(); }
  [[nodiscard]] std::uint64_t thefts_too_short() const noexcept { return patience_.outrun(); }

 private:
  [[nodiscard]] BLITZ_API Job* steal(Sources& sources) noexcept;
  [[nodiscard]] BLITZ_API Job* take_injected(Sources& sources) noexcept;

  XorShift64Star random_;
  TheftPatience patience_;
  // Written by the runner.
  SingleWriterCounter steals_tried_;
  SingleWriterCounter stolen_;
  SingleWriterCounter injected_taken_;
};

}  // namespace detail

/// The policy of ThreadPool: for fork-join programs, in which most jobs are created and awaited by other jobs.
struct ForkJoinPolicy {
  using Injector = detail::ForkJoinInjector;
  using LocalQueue = detail::ForkJoinQueue;
  using Idle = detail::Sleep;
  using Finder = detail::ForkJoinFinder;
  using Hot = detail::HotWorker;
};

static_assert(Policy<ForkJoinPolicy>);

}  // namespace blitz
