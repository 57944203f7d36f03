/// The library on a kernel that does not tell a thread its affinity mask.
#pragma once

#include <thread>

#include "support/refused_syscall.hpp"

#if defined(__linux__)
#include <sys/syscall.h>
#endif

namespace blitz_test {

/// Calls `f` on a new thread; there sched_getaffinity(2) fails with `error`. The refusal affects only that thread. Returns
/// false, without a call, if the system cannot refuse the call.
template <class F>
bool call_without_affinity([[maybe_unused]] int error, [[maybe_unused]] F&& f) {
#if defined(__linux__)
  bool called = false;
  std::thread([&] {
    if (!refuse_syscall(SYS_sched_getaffinity, error)) return;
    f();
    called = true;
  }).join();
  return called;
#else
  return false;
#endif
}

}  // namespace blitz_test
