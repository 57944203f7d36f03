/// Blocking until a word changes: futex(2) on Linux, WaitOnAddress on Windows, a table of condition variables
/// elsewhere.
///
/// The contract of all: a waiter blocks only if the word holds the expected value; test and blocking are one step with respect
/// to a waker. A wait may return spuriously, so the caller tests its word again. A waker passes an address that is never read,
/// because the word may have been destroyed by then.
#pragma once

#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

BLITZ_API void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;

/// Wakes one thread that is blocked on the word at this address, if there is one.
BLITZ_API void futex_wake_one(const Atomic<std::uint32_t>* word) noexcept;

}  // namespace blitz::detail
