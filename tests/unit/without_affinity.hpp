/// What the library makes of a kernel that does not tell a thread its affinity mask.
#pragma once

#include <cstddef>
#include <iterator>
#include <thread>

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace blitz_test {

/// Calls `f` on a thread of its own, on which sched_getaffinity(2) fails with `error`: a filter is the thread's, and
/// ends with it. False, without a call, where that cannot be had.
template <class F>
bool call_without_affinity([[maybe_unused]] int error, [[maybe_unused]] F&& f) {
#if defined(__linux__)
  bool called = false;
  std::thread([&] {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{static_cast<unsigned short>(std::size(code)), code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return;
    f();
    called = true;
  }).join();
  return called;
#else
  return false;
#endif
}

}  // namespace blitz_test
