/// The amount of memory in use: shows a test that unneeded memory was freed.
#pragma once

#include <cstddef>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace blitz_test {

/// The bytes that malloc has allocated and that were not freed, on all threads. Blocks above 256 KiB do not count, so a test's
/// own large vectors do not, but JobMemory's chunks do. 0 if malloc has no statistics, such as a sanitizer's.
[[nodiscard]] inline std::size_t memory_in_use() noexcept {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  // Blocks above the threshold are mapped. An unset threshold is dynamic, and starts below the size of a chunk with its
  // alignment.
  static const int set = ::mallopt(M_MMAP_THRESHOLD, 1 << 18);
  return set != 0 ? ::mallinfo2().uordblks : 0;
#else
  return 0;
#endif
}

}  // namespace blitz_test
