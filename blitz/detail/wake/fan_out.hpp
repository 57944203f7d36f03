/// How many jobs a worker keeps on offer while several others are idle.
#pragma once

#include <cstddef>
#include <limits>

namespace blitz::detail {

/// Whether a worker with `offered` jobs on offer must offer one more while `idle` workers are idle. Each worker that takes a job
/// offers parts of it in its turn, so the binary logarithm of their number is enough. O(1).
[[nodiscard]] constexpr bool wants_more(std::size_t idle, std::size_t offered) noexcept {
  return offered < std::numeric_limits<std::size_t>::digits && idle >> offered != 0;
}

}  // namespace blitz::detail
