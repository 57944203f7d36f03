#include "blitz/detail/base/cache_line.hpp"

#include <bit>

#include <doctest/doctest.h>
#include <unistd.h>

using blitz::detail::kCacheLine;

TEST_CASE("cache_line: is a multiple of this machine's line size") {
  static_assert(std::has_single_bit(kCacheLine));
#if defined(_SC_LEVEL1_DCACHE_LINESIZE)
  if (const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE); line > 0) {
    CHECK(kCacheLine % static_cast<std::size_t>(line) == 0);
  }
#endif
}
