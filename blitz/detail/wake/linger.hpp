/// Waiting times and numbers of looks before a more expensive step. They are equal for all policies, and were measured.
///
/// The interleaving tests replace this file by one with the smallest numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/ticks.hpp"

namespace blitz::detail {

/// Rounds of search before a worker prepares to sleep; see rounds_of_search.
inline constexpr unsigned kRoundsOfSearch = 32;
/// Searchers allowed beyond half of the workers. A caller that waits for a stolen half searches too; without this extra
/// place it would push its helper to sleep between loops.
inline constexpr std::size_t kSearchersBesidesHalf = 1;
/// The slots that count their searches in one word.
inline constexpr std::size_t kSlotsOfWord = 16;
/// The tickets of a loop's caller, and those that a share takes when it has one left; see flat_end.hpp.
inline constexpr std::uint64_t kTicketsOfLoop = std::uint64_t{1} << 32;
/// How often a thief looks at a lone job before it steals it, because its owner may be about to run it. The looks take about as
/// long as the theft costs thief and owner together.
inline constexpr int kLooksBeforeTheft = 16;
/// After this many pops the owner of a guarded deque checks whether thieves still come. A pop with a fence takes twice as long
/// as one without, and an owner that pops often answers the next request within nanoseconds.
inline constexpr std::uint32_t kPopsOnGuard = 32;

/// How many rounds the runner of `slot` searches. A caller's rounds in slot 0 take a microsecond each, together a few times as
/// long as a wake-up.
[[nodiscard]] constexpr unsigned rounds_of_search(std::size_t slot) noexcept {
  return slot != 0 ? kRoundsOfSearch : 128;
}

/// Pauses between two rounds: by a yield, except in slot 0. There it waits for about a microsecond or until the latch is set,
/// because a yield may cost the processor for milliseconds if other programs run.
template <class Latch>
void pause_search(std::size_t slot, const Latch& latch) noexcept {
  if (slot != 0) return yield_thread();
  const Ticks begin = ticks_now();
  // The clock may not advance.
  for (int looks = 0; looks < 1000 && !latch.probe() && ticks_now() - begin < ticks_per_microsecond(); ++looks)
    cpu_relax();
}

/// Waits for at most about a microsecond until `idle()`: a worker that has just ended the last job of a call is about to be
/// idle. A heavy fence, needed while a worker is not idle, takes longer.
template <class Idle>
void wait_a_moment_until(Idle&& idle) noexcept {
  for (int i = 0; i < 32 && !idle(); ++i) cpu_relax();
}

}  // namespace blitz::detail
