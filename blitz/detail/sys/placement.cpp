#include "blitz/detail/sys/placement.hpp"

#if defined(__linux__) && !defined(BLITZ_PORTABLE)

#include <cerrno>
#include <cstring>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace blitz::detail {

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
