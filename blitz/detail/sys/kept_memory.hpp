/// @file
/// Memory for large arrays: results, and what algorithms need beside their input. A new page costs the kernel, at its first
/// touch, as much as writing it. So large arrays are in pages of 2 MiB, which are filled several times as fast as those of
/// 4 KiB, and what a temporary array has freed is kept for the next one of about the same size.
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
/// Bytes of the largest array whose memory is kept.
inline constexpr std::size_t kMostKept = std::size_t{1} << 28;

/// `size` bytes at a multiple of `alignment`, a power of two; null if memory is out. Of 4 MiB and more they are in large pages,
/// where the system has them.
///
/// Of arrays of 64 KiB to 256 MiB, the process keeps the four that were freed last, and half a GiB at most; on Linux the kernel
/// may take the memory of those of more than 16 MiB when it is short of it (MADV_FREE). Any thread; none waits for another.
[[nodiscard]] BLITZ_API void* allocate_kept(std::size_t size, std::size_t alignment) noexcept;

/// Frees or keeps what allocate_kept has returned for the same size and alignment. Null does nothing.
BLITZ_API void free_kept(void* memory, std::size_t size, std::size_t alignment) noexcept;

/// Frees what is kept, but for what another thread holds the lock of at that moment.
BLITZ_API void free_all_kept() noexcept;

struct FreeKept {
  void operator()(void* memory) const noexcept { free_kept(memory, bytes, alignment); }
  std::size_t bytes = 0;
  std::size_t alignment = 0;
};

/// Memory of an array, whose objects are those of its owner.
template <class T>
using ArrayMemory = Owned<T, FreeKept>;

/// Room for `count` objects of that size and alignment, at a cache line of its own; null for none, or if there is no memory.
[[nodiscard]] inline ArrayMemory<char> array_memory(std::size_t count, std::size_t size, std::size_t alignment,
                                                    std::nothrow_t) noexcept {
  if (count == 0 || count > std::numeric_limits<std::size_t>::max() / size) return {};
  const FreeKept free{count * size, std::max(alignment, kCacheLine)};
  return ArrayMemory<char>(static_cast<char*>(allocate_kept(free.bytes, free.alignment)), free);
}
/// The same. Throws std::bad_alloc, also if no machine has so much.
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
