/// System calls that the kernel refuses because of a seccomp(2) filter. Linux only.
#pragma once

#if defined(__linux__)

#include <cstddef>
#include <cstdint>
#include <iterator>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

namespace blitz_test {

/// Makes the system call `number` (SYS_...) fail with `error` (E...): on the calling thread, on threads that it starts, and
/// after execve(2). This cannot be undone. Returns false if the system does not accept a filter.
[[nodiscard]] inline bool refuse_syscall(long number, int error) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(code)), code};
  // Otherwise only a privileged thread may set a filter.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace blitz_test

#endif
