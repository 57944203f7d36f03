/// operator new that counts allocations and fails on request. Programs that are linked with failing_new.cpp use it.
#pragma once

#include <cstddef>

namespace blitz_test {

/// The number of allocations by all threads of the process so far.
[[nodiscard]] std::size_t allocations() noexcept;

/// The number of allocations that have not been freed.
[[nodiscard]] std::size_t allocations_in_use() noexcept;
/// The total number of allocated bytes so far.
[[nodiscard]] std::size_t allocated_bytes() noexcept;

/// After `count` more allocations, the next one fails, once, on any thread.
void fail_allocation_after(std::size_t count) noexcept;

/// No allocation fails from now on. Returns true if one has failed.
bool stop_failing() noexcept;

}  // namespace blitz_test
