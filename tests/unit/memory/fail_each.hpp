/// Allocations that fail, one after the other.
#pragma once

#include <cstddef>
#include <new>

#include <doctest/doctest.h>

#include "support/failing_new.hpp"

namespace blitz_test {

/// Whether operator new is support/failing_new.cpp's: valgrind puts its own in its place.
inline bool allocations_can_fail() {
  fail_allocation_after(0);
  try {
    ::operator delete(::operator new(1));
  } catch (const std::bad_alloc&) {
    // As it should.
  }
  return stop_failing();
}

/// Calls `run(nth)` with nth = 0, 1, ... until it returns false. It has the nth allocation fail, and returns whether it
/// was made. Of those calls at least one must be made.
template <class Run>
void fail_each(Run&& run) {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  std::size_t nth = 0;
  while (run(nth)) {
    ++nth;
    REQUIRE(nth < 10'000);
  }
  CHECK(nth > 0);
}

}  // namespace blitz_test
