/// Handlers of fork(). The child has only the calling thread, and copies of locks that other threads may have held.
///
/// On a system without fork() the handlers never run.
#pragma once

#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// The number of forks between the first process and this one. Written in a child before it has other threads, so
/// relaxed reads suffice.
BLITZ_API extern constinit Atomic<std::uint32_t> fork_generation;

struct ForkHandlers {
  void (*prepare)() = nullptr;  ///< In the parent, before the fork: takes the locks.
  void (*parent)() = nullptr;   ///< In the parent, after the fork: releases them.
  void (*child)() = nullptr;    ///< In the child: releases them, and forgets the other threads.
};

/// Registers handlers for every later fork(); `prepare` handlers run in reverse order of registration. Returns whether
/// the system accepted them.
BLITZ_API bool at_fork(const ForkHandlers& handlers) noexcept;

}  // namespace blitz::detail
