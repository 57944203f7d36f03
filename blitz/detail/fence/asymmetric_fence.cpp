#include "blitz/detail/fence/asymmetric_fence.hpp"

#if !defined(BLITZ_NO_ASYMMETRIC_FENCES)

#include "blitz/detail/sys/windows.hpp"

#if defined(__linux__) && !defined(BLITZ_PORTABLE)
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "blitz/detail/fence/coalesced_fence.hpp"

namespace blitz::detail {

constinit bool membarrier_registered = false;

namespace {

#if defined(__linux__) && !defined(BLITZ_PORTABLE) && defined(SYS_membarrier)

bool have_membarrier() noexcept {
  const int saved = errno;
  const bool accepted = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
                        ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
  errno = saved;
  return accepted;
}

void membarrier() noexcept {
  const int saved = errno;
  // The command succeeded when the process was registered, so only a filter that was installed later can refuse it. A
  // thief that went on without the barrier could run a job twice.
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
    static_cast<void>(std::fputs(
        "blitz: membarrier(2) is refused by a filter that was installed after the program's start; install it before "
        "that, or build blitz with -Dasymmetric_fences=off\n",
        stderr));
    std::abort();
  }
  errno = saved;
}

#elif defined(BLITZ_WINDOWS)

/// In Wine (8.0) the call does nothing.
bool have_membarrier() noexcept { return system_function<const char*()>(L"ntdll.dll", "wine_get_version") == nullptr; }

void membarrier() noexcept { ::FlushProcessWriteBuffers(); }

#else

bool have_membarrier() noexcept { return false; }
void membarrier() noexcept { seq_cst_fence(); }

#endif

constinit CoalescedFence membarriers;

}  // namespace

bool register_asymmetric_fences() noexcept {
  // Once, also if refused: the flag must not be written while threads make fences.
  static const bool accepted = membarrier_registered = have_membarrier();
  return accepted;
}

void membarrier_all() noexcept { membarriers.execute(membarrier); }

namespace {

/// Before main(), when the process usually has one thread: registering then takes microseconds. With several threads
/// the kernel waits for every processor.
[[maybe_unused]] const bool registered_at_load = register_asymmetric_fences();

}  // namespace
}  // namespace blitz::detail

#endif
