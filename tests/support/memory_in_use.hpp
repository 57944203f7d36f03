/// How much memory is in use, by which a test sees that what it no longer needs has been given back.
#pragma once

#include <cstddef>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace blitz_test {

/// In bytes, what malloc has handed out and not taken back, on all threads. Blocks above 256 KiB do not count: a test's own
/// large vectors are among them, JobMemory's chunks are not. 0 where malloc does not tell, as a sanitizer's.
[[nodiscard]] inline std::size_t memory_in_use() noexcept {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  // Blocks above the threshold are mapped. Unless it is set it moves, and begins below a chunk with its alignment.
  static const int set = ::mallopt(M_MMAP_THRESHOLD, 1 << 18);
  return set != 0 ? ::mallinfo2().uordblks : 0;
#else
  return 0;
#endif
}

}  // namespace blitz_test
