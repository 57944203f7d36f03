/// The counter of a simulated processor, in place of the real one.
#pragma once

#include <cstdint>

#include "bench/simulation/machine.hpp"

namespace blitz::detail {

using Ticks = std::uint64_t;

[[nodiscard]] constexpr Ticks ticks_per_microsecond() noexcept { return 3000; }

[[nodiscard]] inline Ticks ticks_now() noexcept {
  simulation::Machine* const machine = simulation::Machine::current();
  if (machine == nullptr) return 0;
  machine->work(machine->costs().read_ticks);
  return static_cast<Ticks>(machine->now()) * ticks_per_microsecond() / simulation::kMicrosecond;
}

[[nodiscard]] constexpr Ticks ticks_between(Ticks begin, Ticks end) noexcept { return end > begin ? end - begin : 0; }

}  // namespace blitz::detail
