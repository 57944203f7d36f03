/// How long to wait, and how often to look, before something that costs more: numbers found by measurement.
///
/// The interleaving tests replace this file by one with the smallest numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blitz/base/atomic.hpp"
#include "blitz/base/ticks.hpp"

namespace blitz::detail {

/// Rounds of search before a worker prepares to sleep.
inline constexpr unsigned kRoundsOfSearch = 32;
/// The same in slot 0, which usually holds an outside caller whose call returns soon. Each round keeps the processor
/// for a microsecond; all together take about as long as a wake-up.
inline constexpr unsigned kRoundsOfCaller = 128;
/// Searchers allowed beyond half of the workers. A caller that waits for a stolen half searches too; without this extra
/// place it would push its helper to sleep between loops.
inline constexpr std::size_t kSearchersBesidesHalf = 1;
/// How often a caller that gives its slot back looks whether the other slots are idle too: about a microsecond.
inline constexpr int kLooksAtOthers = 32;
/// How often a thief looks at a lone job, which its owner may be about to run, before it steals it: about as long as
/// the theft costs thief and owner together.
inline constexpr int kLooksBeforeTheft = 64;
/// After this many pops the owner of a guarded deque checks whether thieves still come. The pops' fences cost it about
/// as much as one heavy fence of a thief.
inline constexpr std::uint32_t kPopsOnGuard = 256;

/// Waits for about a microsecond. Not a yield, which may cost the processor for milliseconds where other programs run.
inline void linger() noexcept {
  const Ticks begin = ticks_now();
  while (ticks_now() - begin < ticks_per_microsecond()) cpu_relax();
}

}  // namespace blitz::detail
