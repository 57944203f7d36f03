/// What a process learns of fork(): the child has this thread alone, and copies of locks that others may have held.
///
/// Where a system has no fork(), nothing happens here.
#pragma once

#include <cstdint>

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"

namespace blitz::detail {

/// How many forks there are between the first process and this one. Written in a child before any other thread of it
/// exists, so relaxed reads do.
BLITZ_API extern constinit Atomic<std::uint32_t> fork_generation;

struct ForkHandlers {
  void (*prepare)() = nullptr;  ///< in the parent, before: take the locks
  void (*parent)() = nullptr;   ///< in the parent, after: release them
  void (*child)() = nullptr;    ///< in the child: release them, and forget the other threads
};

/// Has the handlers called at every fork() from now on; `prepare` in the reverse order of these calls. Returns whether
/// the system has taken them.
BLITZ_API bool at_fork(const ForkHandlers& handlers) noexcept;

}  // namespace blitz::detail
