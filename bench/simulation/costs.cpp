#include "bench/simulation/costs.hpp"

namespace simulation {

std::optional<Costs> find_profile(std::string_view name) noexcept {
  Costs costs;
  if (name == "metal") return costs;
  if (name == "chiplets") {
    // Eight processors share a last-level cache, as in an EPYC of AMD.
    costs.transfer = nanoseconds(23);
    costs.cache_transfer = nanoseconds(107);
    costs.socket_transfer = nanoseconds(197);
    costs.shared_read = nanoseconds(14);
    costs.cache = 8;
  } else if (name == "virtual") {
    // An interrupt of another processor exits the guest, and so does a processor that runs out of work.
    costs.futex_wake = nanoseconds(15'000);
    costs.wake_latency = nanoseconds(100'000);
    costs.membarrier_wait = nanoseconds(6000);
    costs.membarrier_target = nanoseconds(1500);
    costs.membarrier_interrupt = nanoseconds(3000);
  } else if (name == "guest") {
    // Measured in a guest with 16 processors. Interrupts stay in the guest. Waking a processor takes longer if it has been idle
    // for longer; the figure is for about a millisecond.
    costs.transfer = nanoseconds(100);
    costs.yield = nanoseconds(290);
    costs.futex_wake = nanoseconds(2000);
    costs.wake_latency = nanoseconds(15'000);
    costs.membarrier_alone = nanoseconds(148);
    costs.membarrier_wait = nanoseconds(1600);
    costs.membarrier_target = nanoseconds(480);
    costs.membarrier_interrupt = nanoseconds(1200);
  } else {
    return std::nullopt;
  }
  return costs;
}

}  // namespace simulation
