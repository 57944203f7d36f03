/// operator new that counts, and that fails when it is told to. A program that is linked with failing_new.cpp has it.
#pragma once

#include <cstddef>

namespace blitz_test {

/// How many allocations all threads of the process have made so far.
[[nodiscard]] std::size_t allocations() noexcept;

/// How many of them have not been freed.
[[nodiscard]] std::size_t allocations_in_use() noexcept;
/// How many bytes these were.
[[nodiscard]] std::size_t allocated_bytes() noexcept;

/// Of all allocations from now on, the one after the next `count` fails, once, on whatever thread it is.
void fail_allocation_after(std::size_t count) noexcept;

/// From now on none fails. Returns whether one has.
bool stop_failing() noexcept;

}  // namespace blitz_test
