/// Blocking until a word changes: futex(2) on Linux, a table of condition variables elsewhere.
///
/// The contract of both: a waiter blocks only while the word holds the expected value, the test and the blocking being
/// one step with respect to a waker; a wait may return at any time without a cause, so the caller tests its word again.
/// A waker hands over an address and nothing is read from it: the word may be gone by then.
#pragma once

#include <chrono>
#include <cstdint>

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"

namespace blitz::detail {

/// Blocks while `word` holds `expected`. May return early.
BLITZ_API void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;

/// As futex_wait, for at most `timeout`.
BLITZ_API void futex_wait_for(const Atomic<std::uint32_t>& word, std::uint32_t expected,
                              std::chrono::nanoseconds timeout) noexcept;

/// Wakes one thread that is blocked on the word at this address, if there is one.
BLITZ_API void futex_wake_one(const Atomic<std::uint32_t>* word) noexcept;

}  // namespace blitz::detail
