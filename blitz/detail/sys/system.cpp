// The parts that are the same on all systems.
#include "blitz/detail/sys/system.hpp"

#include <thread>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/sys/fork.hpp"

namespace blitz::detail {

// Here, because <thread> takes long to compile.
void yield_thread() noexcept { std::this_thread::yield(); }

constinit Atomic<std::uint32_t> fork_generation{0};

}  // namespace blitz::detail
