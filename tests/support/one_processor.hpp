#pragma once

#include <cstdlib>
#include <string_view>

#include <doctest/doctest.h>

#include "blitz/detail/sys/cpu_count.hpp"

namespace blitz_test {

/// valgrind runs one thread at a time.
inline bool runs_under_valgrind() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::string_view(preloaded).find("vgpreload") != std::string_view::npos;
}

/// Whether this process has only one processor; if so, says that a test is skipped. Then no loop wakes a worker, whatever its
/// length, and no job is run while a thief waits.
inline bool has_one_processor() {
  if (blitz::detail::available_cpus() > 1 && !runs_under_valgrind()) return false;
  MESSAGE("skipped: on one processor");
  return true;
}

}  // namespace blitz_test
