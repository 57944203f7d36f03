/// How long to wait, and how often to look, before something that costs more: the same for every policy, with numbers
/// found by measurement.
///
/// The interleaving tests replace this file by one with the smallest numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/ticks.hpp"

namespace blitz::detail {

/// Rounds of search before a worker prepares to sleep.
inline constexpr unsigned kRoundsOfSearch = 32;
/// Searchers allowed beyond half of the workers. A caller that waits for a stolen half searches too; without this extra
/// place it would push its helper to sleep between loops.
inline constexpr std::size_t kSearchersBesidesHalf = 1;
/// How often a thief looks at a lone job, which its owner may be about to run, before it steals it: about as long as
/// the theft costs thief and owner together.
inline constexpr int kLooksBeforeTheft = 16;
/// After this many pops the owner of a guarded deque checks whether thieves still come. A pop with a fence takes twice as long as
/// one without, and an owner that pops often answers the next request within nanoseconds.
inline constexpr std::uint32_t kPopsOnGuard = 32;

/// How many rounds a worker searches. `vacates`: the runner of `slot` is its resident and has no job. In slot 0 the
/// resident does not linger, so that an outside caller finds the slot vacant sooner; a caller's rounds, of a microsecond
/// each, take about as long as a wake-up.
[[nodiscard]] constexpr unsigned rounds_of_search(std::size_t slot, bool vacates) noexcept {
  if (slot != 0) return kRoundsOfSearch;
  return vacates ? 0 : 128;
}

/// Between two rounds. In slot 0, for about a microsecond if the latch is not set meanwhile, not by a yield, which may cost the
/// processor for milliseconds where other programs run.
template <class Latch>
void pause_search(std::size_t slot, const Latch& latch) noexcept {
  if (slot != 0) return yield_thread();
  const Ticks begin = ticks_now();
  // The clock may not advance.
  for (int looks = 0; looks < 1000 && !latch.probe() && ticks_now() - begin < ticks_per_microsecond(); ++looks)
    cpu_relax();
}

/// Waits for about a microsecond until `idle()`: a worker that has just ended the last job of a call is about to be
/// idle, and a heavy fence, needed while one is not, takes longer.
template <class Idle>
void wait_a_moment_until(Idle&& idle) noexcept {
  for (int i = 0; i < 32 && !idle(); ++i) cpu_relax();
}

}  // namespace blitz::detail
