/// How an idle worker searches before it sleeps, and a caller waits before it returns: the same for every policy.
#pragma once

#include <cstddef>

#include "blitz/base/atomic.hpp"
#include "blitz/base/tuning.hpp"

namespace blitz::detail {

/// How many rounds a worker searches. `vacates`: the runner of `slot` is its resident and has no job. In slot 0 the
/// resident does not linger, so that an outside caller finds the slot vacant sooner.
[[nodiscard]] constexpr unsigned rounds_of_search(std::size_t slot, bool vacates) noexcept {
  if (slot != 0) return kRoundsOfSearch;
  return vacates ? 0 : kRoundsOfCaller;
}

/// Between two rounds.
inline void pause_search(std::size_t slot) noexcept { slot == 0 ? linger() : yield_thread(); }

/// Waits for about a microsecond until `idle()`: a worker that has just ended the last job of a call is about to be
/// idle, and a heavy fence, needed while one is not, takes longer.
template <class Idle>
void wait_a_moment_until(Idle&& idle) noexcept {
  for (int i = 0; i < kLooksAtOthers && !idle(); ++i) cpu_relax();
}

}  // namespace blitz::detail
