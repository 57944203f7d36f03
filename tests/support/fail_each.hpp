/// Makes one allocation after the other fail, in a program that is linked with failing_new.cpp.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include <doctest/doctest.h>

#include "support/failing_new.hpp"

namespace blitz::detail {
void free_all_kept() noexcept;  // of detail/sys/kept_memory.hpp, which C++17 does not compile
}

namespace blitz_test {

/// True if operator new is the one in support/failing_new.cpp: valgrind replaces it.
[[nodiscard]] inline bool allocations_can_fail() {
  fail_allocation_after(0);
  try {
    ::operator delete(::operator new(1));
  } catch (const std::bad_alloc&) {
    // Expected.
  }
  return stop_failing();
}

/// Calls `run(nth)` with nth = 0, next(0), next(next(0)), ... until it returns false. `run` makes the nth allocation fail, and
/// returns true if that allocation was made. Returns the number of failed allocations. Kept memory is freed before each call.
template <class Run, class Next>
std::size_t fail_each(Run&& run, Next&& next) {
  std::size_t failures = 0;
  for (std::size_t nth = 0;; nth = next(nth)) {
    CAPTURE(nth);
    REQUIRE(nth < 10'000);
    blitz::detail::free_all_kept();
    if (!run(nth)) return failures;
    ++failures;
  }
}

/// Calls run(nth) for nth = 0, 1, 2, ..., like fail_each with `next`.
template <class Run>
std::size_t fail_each(Run&& run) {
  return fail_each(std::forward<Run>(run), [](std::size_t nth) { return nth + 1; });
}

}  // namespace blitz_test
