// Linux: futex(2), membarrier(2), madvise(2), affinity masks.
#include "blitz/detail/sys/system.hpp"

#if defined(BLITZ_LINUX)

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "blitz/detail/sys/cpu_count.hpp"
#include "blitz/detail/sys/futex.hpp"
#include "blitz/detail/sys/placement.hpp"

namespace blitz::detail {

// --- futex.hpp ---

namespace {

static_assert(sizeof(Atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel reads the bare word");

long futex(const Atomic<std::uint32_t>* word, int operation, std::uint32_t value) noexcept {
  return ::syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  const int saved = errno;
  const bool returned = futex(&word, FUTEX_WAIT_PRIVATE, expected) == 0;
  // The kernel, or a filter, may refuse to block: each call returns immediately.
  if (!returned && errno != EAGAIN && errno != EINTR) yield_thread();
  errno = saved;
}

void futex_wake_one(const Atomic<std::uint32_t>* word) noexcept {
  const int saved = errno;
  futex(word, FUTEX_WAKE_PRIVATE, 1);
  errno = saved;
}

// --- system.hpp ---

void ask_for_huge_pages(void* memory, std::size_t size) noexcept {
  static_cast<void>(::madvise(memory, size, MADV_HUGEPAGE));
}

void let_go([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) noexcept {
#if defined(MADV_FREE)
  static_cast<void>(::madvise(memory, size, MADV_FREE));
#endif
}

#if defined(SYS_membarrier)

bool have_process_fence() noexcept {
  const int saved = errno;
  const bool accepted = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
                        ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
  errno = saved;
  return accepted;
}

void process_fence() noexcept {
  const int saved = errno;
  // The command succeeded when the process was registered, so only a filter that was installed later can refuse it. A thief
  // that continued without the barrier could run a job twice.
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
    static_cast<void>(std::fputs(
        "blitz: membarrier(2) is refused by a filter that was installed after the program's start; install it before "
        "that, or build blitz with -Dasymmetric_fences=off\n",
        stderr));
    std::abort();
  }
  errno = saved;
}

#else

bool have_process_fence() noexcept { return false; }
void process_fence() noexcept {}

#endif

// --- cpu_count.hpp ---

Processors allowed_processors() {
  std::vector<unsigned> allowed;
  // The kernel returns EINVAL if the mask is shorter than the kernel's, and does not tell the length.
  constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);
  constexpr std::size_t kMostWords = std::size_t{1} << 16;
  for (std::size_t words = 16; words <= kMostWords; words *= 2) {
    std::vector<unsigned long> mask(words);
    if (sched_getaffinity(0, words * sizeof(unsigned long), reinterpret_cast<cpu_set_t*>(mask.data())) == 0) {
      for (std::size_t processor = 0; processor < words * kWordBits; ++processor) {
        const bool in_mask = (mask[processor / kWordBits] >> (processor % kWordBits) & 1) != 0;
        if (in_mask) allowed.push_back(static_cast<unsigned>(processor));
      }
      break;
    }
    if (errno != EINVAL) break;
  }
  return processors_of(allowed.data(), allowed.size());
}

std::optional<double> cpu_limit() noexcept { return cgroup_cpu_limit("/"); }

// --- placement.hpp ---

static_assert(sizeof(cpu_set_t) == 1024 / 8);

void Placement::adopt() noexcept {
  thread_.store(static_cast<int>(::syscall(SYS_gettid)), std::memory_order_relaxed);  // Before the first wake-up.
}

void Placement::keep_off_this_processor() noexcept {
  const int saved = errno;
  const int here = ::sched_getcpu();
  const int thread = thread_.load(std::memory_order_relaxed);
  cpu_set_t mask;
  if (here >= 0 && thread != 0 && ::sched_getaffinity(thread, sizeof mask, &mask) == 0 && CPU_ISSET(here, &mask)) {
    std::memcpy(mask_, &mask, sizeof mask);
    without_ = here;
    CPU_CLR(here, &mask);
    narrowed_ = CPU_COUNT(&mask) > 0 && ::sched_setaffinity(thread, sizeof mask, &mask) == 0;
  }
  errno = saved;
}

void Placement::undo() noexcept {
  const int saved = errno;
  narrowed_ = false;
  cpu_set_t whole;
  std::memcpy(&whole, mask_, sizeof whole);
  cpu_set_t narrowed = whole;
  CPU_CLR(without_, &narrowed);
  cpu_set_t now;
  if (::sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &narrowed)) {
    ::sched_setaffinity(0, sizeof whole, &whole);
  }
  errno = saved;
}

}  // namespace blitz::detail

#endif
