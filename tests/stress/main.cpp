/// The main() of every stress test.
///
/// BLITZ_TEST_REFUSE_MEMBARRIER=1: the kernel refuses membarrier(2) to this process, so blitz uses its other path, with a full
/// fence on both sides. The program is skipped (77) if blitz uses that path anyway, or if the kernel cannot be made to refuse.

#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "support/refused_syscall.hpp"
#include "support/seed.hpp"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace {

constexpr int kSkipped = 77;

constexpr const char* kRefuse = "BLITZ_TEST_REFUSE_MEMBARRIER";
constexpr std::uint64_t kToRefuse = 1;
constexpr std::uint64_t kRefused = 2;

#if defined(__linux__) && defined(SYS_membarrier)

/// Restarts this program so that membarrier is refused from its first instruction on. Returns if that is impossible. Must be
/// called while the process has only one thread.
void restart_without_membarrier(char** argv) {
  if (!blitz_test::refuse_syscall(SYS_membarrier, ENOSYS)) return;
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
  std::printf("BLITZ_TEST_SEED=%" PRIu64 " BLITZ_STRESS_SECONDS=%.3g, %s fences\n", blitz_test::test_seed(),
              std::chrono::duration<double>(blitz_test::stress_time()).count(),
              blitz::detail::asymmetric_fences_available() ? "asymmetric" : "symmetric");
  std::fflush(stdout);
  return doctest::Context(argc, argv).run();
}
