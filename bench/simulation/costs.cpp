#include "bench/simulation/costs.hpp"

namespace simulation {

bool set_profile(std::string_view name, Costs& costs) noexcept {
  const unsigned socket = costs.socket;
  const bool serial = costs.membarrier_serial;
  if (name == "metal") {
    costs = Costs{};
  } else if (name == "virtual") {
    // Whatever takes an interrupt of another processor leaves the guest, and a processor without work is the host's.
    costs = Costs{};
    costs.futex_wake = nanoseconds(15'000);
    costs.wake_latency = nanoseconds(100'000);
    costs.membarrier_wait = nanoseconds(6000);
    costs.membarrier_target = nanoseconds(1500);
    costs.membarrier_interrupt = nanoseconds(3000);
  } else {
    return false;
  }
  costs.socket = socket;
  costs.membarrier_serial = serial;
  return true;
}

}  // namespace simulation
