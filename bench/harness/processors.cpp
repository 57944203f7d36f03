#include "bench/harness/processors.hpp"

namespace bench {

#if defined(__linux__)

std::vector<int> processors() {
  const int own = sched_getcpu();
  cpu_set_t allowed;
  if (own < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {};
  std::vector<int> found{own};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (cpu != own && CPU_ISSET(cpu, &allowed)) found.push_back(cpu);
  }
  return found;
}

Pin::Pin(std::optional<int> processor) {
  CPU_ZERO(&before_);
  if (!processor || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(*processor, &one);
  sched_setaffinity(0, sizeof one, &one);
}

// If the thread was not pinned the set is empty, and the system rejects it.
Pin::~Pin() { sched_setaffinity(0, sizeof before_, &before_); }

#else

std::vector<int> processors() { return {}; }
Pin::Pin(std::optional<int>) {}
Pin::~Pin() = default;

#endif

}  // namespace bench
