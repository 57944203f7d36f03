/// The system of the interleaving tests and of the simulator: no forks, no limits, no memory hints.
#include "blitz/detail/sys/system.hpp"

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/sys/cpu_count.hpp"
#include "blitz/detail/sys/fork.hpp"

namespace blitz::detail {

constinit Atomic<std::uint32_t> fork_generation{0};

bool at_fork(const ForkHandlers& /*handlers*/) noexcept { return false; }

void ask_for_huge_pages(void* /*memory*/, std::size_t /*size*/) noexcept {}
void let_go(void* /*memory*/, std::size_t /*size*/) noexcept {}

/// At least as many as any pool has workers; no caller needs their numbers.
Processors allowed_processors() { return {.numbers = nullptr, .count = 1024}; }
std::optional<double> cpu_limit() noexcept { return std::nullopt; }

}  // namespace blitz::detail
