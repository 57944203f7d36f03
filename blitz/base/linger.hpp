/// How long an idle worker goes on looking for work before it sleeps, a caller for the end of its call, and a thief at what
/// it could take, and how many may look at once: the same for every policy.
///
/// Where interleavings are searched it is as little as can be: more would multiply the interleavings and add nothing.
#pragma once

#include <cstddef>

#include "blitz/base/atomic.hpp"
#include "blitz/base/ticks.hpp"

namespace blitz::detail {

#if defined(BLITZ_INTERLEAVE_HEADER)

inline constexpr unsigned kRoundsOfSearch = 1;
inline constexpr unsigned kRoundsOfCaller = 0;
inline constexpr std::size_t kSearchersBesidesHalf = 0;
inline constexpr int kLooksAtOthers = 0;
inline constexpr int kLooksBeforeTheft = 1;
inline void linger() noexcept { yield_thread(); }

#else

/// Rounds of search before a worker makes ready to sleep.
inline constexpr unsigned kRoundsOfSearch = 32;
/// The same of one who waits in slot 0: an outside caller, as a rule, whose call is to return soon. It keeps its processor
/// for so many microseconds, about as long as a wake-up takes.
inline constexpr unsigned kRoundsOfCaller = 128;
/// Where no more than half of the workers may search, as many may in addition: a caller who waits for a part that was stolen
/// searches as well, and would send those who come to its aid in the next loop to sleep.
inline constexpr std::size_t kSearchersBesidesHalf = 1;
/// How often a caller that gives its slot back looks whether the others are done, too: for about a microsecond.
inline constexpr int kLooksAtOthers = 32;
/// How often a thief looks at a job that its owner will perhaps be done with at once, before it is worth taking: for about
/// as long as taking it costs the thief and its owner together.
inline constexpr int kLooksBeforeTheft = 64;

/// Waits for about a microsecond. Not a yield, which may cost the processor for milliseconds where other programs run.
inline void linger() noexcept {
  const Ticks begin = ticks_now();
  while (ticks_now() - begin < ticks_per_microsecond()) cpu_relax();
}

#endif

/// `vacates`: its runner is the resident, which has no job. In slot 0 it does not linger, so that an outside caller finds
/// the slot vacant so much sooner.
[[nodiscard]] constexpr unsigned rounds_of_search(std::size_t slot, bool vacates) noexcept {
  if (slot != 0) return kRoundsOfSearch;
  return vacates ? 0 : kRoundsOfCaller;
}

/// Between two rounds.
inline void pause_search(std::size_t slot) noexcept { slot == 0 ? linger() : yield_thread(); }

/// Waits for a moment until `idle()`: a worker that has just ended the last job of a call will be idle very soon, and the
/// fence that is needed while it is not takes longer.
template <class Idle>
void wait_a_moment_until(Idle&& idle) noexcept {
  for (int i = 0; i < kLooksAtOthers && !idle(); ++i) cpu_relax();
}

}  // namespace blitz::detail
