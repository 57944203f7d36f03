/// The number of jobs that a worker keeps on offer while several others are idle, and the number of workers that it wakes.
#pragma once

#include <cstddef>
#include <limits>

namespace blitz::detail {

/// Whether a worker with `offered` jobs on offer must offer one more while `idle` workers are idle. Each worker that takes a
/// job offers parts of it in turn, so the binary logarithm of `idle` is enough. O(1).
[[nodiscard]] constexpr bool wants_more(std::size_t idle, std::size_t offered) noexcept {
  return offered < std::numeric_limits<std::size_t>::digits && idle >> offered != 0;
}

/// How many searchers are enough for a worker with `offered` jobs on offer, one of `active` workers. One is enough for one job:
/// it wakes the next. A worker with more jobs assumes that each active one has as many. So all of them wake workers at the same
/// time, and the wake-ups of a loop are a tree. O(1).
[[nodiscard]] constexpr std::size_t enough_searchers(std::size_t offered, std::size_t active) noexcept {
  return offered > 1 ? offered * active : offered;
}

}  // namespace blitz::detail
