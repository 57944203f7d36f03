#pragma once

#include <doctest/doctest.h>

#include "blitz/detail/sys/cpu_count.hpp"

namespace blitz_test {

/// Whether this process has only one processor; if so, says that a test is skipped. Then no loop wakes a worker, whatever its
/// length, and no job is run while a thief waits.
inline bool has_one_processor() {
  if (blitz::detail::available_cpus() > 1) return false;
  MESSAGE("skipped: on one processor");
  return true;
}

}  // namespace blitz_test
