/// The main() of every stress test.
///
/// BLITZ_TEST_REFUSE_MEMBARRIER=1: the kernel refuses membarrier(2) to this process, so that blitz takes its other path,
/// with a full fence on both sides. Skipped (77) where that is blitz's path anyway, or the kernel cannot be made to.

#define DOCTEST_CONFIG_IMPLEMENT
#include <cerrno>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "blitz/base/asymmetric_fence.hpp"
#include "support/seed.hpp"

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace {

constexpr int kSkipped = 77;

constexpr const char* kRefuse = "BLITZ_TEST_REFUSE_MEMBARRIER";
constexpr std::uint64_t kToRefuse = 1;
constexpr std::uint64_t kRefused = 2;

#if defined(__linux__) && defined(SYS_membarrier)

/// Starts this program anew, with a filter that refuses membarrier from the first instruction on: a filter outlives
/// execve(2). Returns where that cannot be had. While there is one thread.
void restart_without_membarrier(char** argv) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) return;
  ::setenv(kRefuse, std::to_string(kRefused).c_str(), 1);
  ::execv("/proc/self/exe", argv);
}

#else

void restart_without_membarrier(char** /*argv*/) {}

#endif

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t refuse = blitz_test::number_from_environment(kRefuse, 0);
  if (refuse == kToRefuse) {
    if (blitz::detail::asymmetric_fences_available()) restart_without_membarrier(argv);
    std::printf("skipped: the fences are symmetric anyway, or the kernel cannot be made to refuse membarrier\n");
    return kSkipped;
  }
  if (refuse == kRefused && blitz::detail::asymmetric_fences_available()) {
    std::printf("blitz has registered with a kernel that refuses\n");
    return EXIT_FAILURE;
  }
  std::printf("BLITZ_TEST_SEED=%" PRIu64 " BLITZ_STRESS_SECONDS=%.0f, %s fences\n", blitz_test::test_seed(),
              std::chrono::duration<double>(blitz_test::stress_time()).count(),
              blitz::detail::asymmetric_fences_available() ? "asymmetric" : "symmetric");
  std::fflush(stdout);
  return doctest::Context(argc, argv).run();
}
