/// @file
/// Memory for large arrays: results, and the temporary arrays of algorithms. The first touch of a new page costs the kernel as
/// much as writing it. So large arrays are in pages of 2 MiB, which are filled several times as fast as those of 4 KiB, and a
/// freed temporary array is kept for the next one of about the same size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/owned.hpp"

namespace blitz::detail {

/// The size of a large page on most processors, and its alignment.
inline constexpr std::size_t kHugePage = std::size_t{1} << 21;
/// Bytes of the largest array that is kept.
inline constexpr std::size_t kMostKept = std::size_t{1} << 28;

/// `size` bytes at a multiple of `alignment`, a power of two; null if there is no memory. Arrays of at least 4 MiB are in large
/// pages, if the system has them.
///
/// Of arrays of 64 KiB to 256 MiB, the process keeps the four that were freed last, at most half a GiB. On Linux the kernel may
/// take the memory of arrays above 16 MiB when it is short of it (MADV_FREE). Any thread; no thread waits for another.
[[nodiscard]] BLITZ_API void* allocate_kept(std::size_t size, std::size_t alignment) noexcept;

/// Frees or keeps an array that allocate_kept has returned for the same size and alignment. Null does nothing.
BLITZ_API void free_kept(void* memory, std::size_t size, std::size_t alignment) noexcept;

/// Frees all kept arrays, except those that it cannot take because another thread holds the lock at that moment.
BLITZ_API void free_all_kept() noexcept;

struct FreeKept {
  void operator()(void* memory) const noexcept { free_kept(memory, bytes, alignment); }
  std::size_t bytes = 0;
  std::size_t alignment = 0;
};

/// The memory of an array. Its owner constructs and destroys the objects.
template <class T>
using ArrayMemory = Owned<T, FreeKept>;

/// Room for `count` objects of that size and alignment, aligned to a cache line. Null if `count` is 0 or there is no memory.
[[nodiscard]] inline ArrayMemory<char> array_memory(std::size_t count, std::size_t size, std::size_t alignment,
                                                    std::nothrow_t) noexcept {
  if (count == 0 || count > std::numeric_limits<std::size_t>::max() / size) return {};
  const FreeKept free{count * size, std::max(alignment, kCacheLine)};
  return ArrayMemory<char>(static_cast<char*>(allocate_kept(free.bytes, free.alignment)), free);
}
/// Like the one above, but throws std::bad_alloc if there is no memory, also if the size overflows.
[[nodiscard]] inline ArrayMemory<char> array_memory(std::size_t count, std::size_t size, std::size_t alignment) {
  ArrayMemory<char> memory = array_memory(count, size, alignment, std::nothrow);
  if (!memory && count > 0) throw std::bad_alloc();
  return memory;
}
template <class T>
[[nodiscard]] ArrayMemory<T> as_memory_of(ArrayMemory<char> memory) noexcept {
  return ArrayMemory<T>(static_cast<T*>(static_cast<void*>(memory.release())), memory.deleter());
}
/// Room for `count` objects of type T.
template <class T>
[[nodiscard]] ArrayMemory<T> array_memory(std::size_t count) {
  return as_memory_of<T>(array_memory(count, sizeof(T), alignof(T)));
}

}  // namespace blitz::detail
