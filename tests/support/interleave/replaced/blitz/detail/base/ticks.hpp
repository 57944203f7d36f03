/// A clock that counts the steps of the schedule, so that a schedule takes the same time in each run. A step is a microsecond:
/// a preempted item takes long.
#pragma once

#include <cstdint>

#include "tests/support/interleave/scheduler.hpp"

namespace blitz::detail {

using Ticks = std::uint64_t;

[[nodiscard]] inline Ticks ticks_now() noexcept { return interleave::scheduler().steps(); }
[[nodiscard]] constexpr Ticks ticks_per_microsecond() noexcept { return 1; }
[[nodiscard]] constexpr Ticks ticks_between(Ticks begin, Ticks end) noexcept { return end > begin ? end - begin : 0; }

}  // namespace blitz::detail
