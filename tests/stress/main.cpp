/// The main() of every stress test.
///
/// BLITZ_TEST_REFUSE_MEMBARRIER=1: the kernel refuses membarrier(2) to this process, so that blitz takes its other path,
/// with a full fence on both sides. Skipped (77) where the kernel cannot be made to refuse it.

#define DOCTEST_CONFIG_IMPLEMENT
#include <cerrno>
#include <cinttypes>
#include <cstddef>
#include <cstdio>

#include <doctest/doctest.h>

#include "blitz/base/asymmetric_fence.hpp"
#include "support/seed.hpp"

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace {

constexpr int kSkipped = 77;

/// Returns whether blitz is without membarrier from now on. While there is one thread.
bool refuse_membarrier() {
#if defined(BLITZ_NO_ASYMMETRIC_FENCES)
  return true;
#elif defined(__linux__) && defined(SYS_membarrier)
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) return false;
  // It has been registered before main(); the first pool tries again.
  blitz::detail::membarrier_registered = false;
  blitz::detail::register_asymmetric_fences();
  return !blitz::detail::asymmetric_fences_available();
#else
  return !blitz::detail::asymmetric_fences_available();
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (blitz_test::number_from_environment("BLITZ_TEST_REFUSE_MEMBARRIER", 0) != 0 && !refuse_membarrier()) {
    std::printf("skipped: cannot make the kernel refuse membarrier\n");
    return kSkipped;
  }
  std::printf("BLITZ_TEST_SEED=%" PRIu64 " BLITZ_STRESS_SECONDS=%.0f, %s fences\n", blitz_test::test_seed(),
              std::chrono::duration<double>(blitz_test::stress_time()).count(),
              blitz::detail::asymmetric_fences_available() ? "asymmetric" : "symmetric");
  std::fflush(stdout);
  return doctest::Context(argc, argv).run();
}
