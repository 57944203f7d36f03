#include "blitz/detail/fence/asymmetric_fence.hpp"

#if !defined(BLITZ_NO_ASYMMETRIC_FENCES)

#include "blitz/detail/fence/coalesced_fence.hpp"
#include "blitz/detail/sys/system.hpp"

namespace blitz::detail {

constinit bool membarrier_registered = false;

namespace {

constinit CoalescedFence membarriers;

}  // namespace

bool register_asymmetric_fences() noexcept {
  // Once, also if refused: the flag must not be written while threads make fences.
  static const bool accepted = membarrier_registered = have_process_fence();
  return accepted;
}

void membarrier_all() noexcept { membarriers.execute(process_fence); }

namespace {

/// Before main(), when the process usually has one thread: registering then takes microseconds. With several threads
/// the kernel waits for every processor.
[[maybe_unused]] const bool registered_at_load = register_asymmetric_fences();

}  // namespace
}  // namespace blitz::detail

#endif
