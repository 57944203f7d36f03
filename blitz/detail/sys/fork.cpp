#include "blitz/detail/sys/fork.hpp"

#if (defined(__unix__) || defined(__APPLE__)) && !defined(BLITZ_PORTABLE)
#include <pthread.h>
#endif

namespace blitz::detail {

constinit Atomic<std::uint32_t> fork_generation{0};

bool at_fork([[maybe_unused]] const ForkHandlers& handlers) noexcept {
#if (defined(__unix__) || defined(__APPLE__)) && !defined(BLITZ_PORTABLE)
  // Registered once, with the first handlers.
  static const bool counted =
      pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1, std::memory_order_relaxed); }) == 0;
  return counted && pthread_atfork(handlers.prepare, handlers.parent, handlers.child) == 0;
#else
  return false;
#endif
}

}  // namespace blitz::detail
