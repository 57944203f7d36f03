/// @file
/// Memory for large arrays. A new page costs the kernel, at its first touch, as much as writing it. So large arrays are in
/// pages of 2 MiB, which are filled several times as fast as those of 4 KiB, and what a temporary array has freed is kept
/// for the next one of about the same size.
#pragma once

#include <cstddef>

#include "blitz/base/export.hpp"

namespace blitz::detail {

/// The size of a large page on most processors, and its alignment.
inline constexpr std::size_t kHugePage = std::size_t{1} << 21;
/// From this size on memory is in large pages.
inline constexpr std::size_t kLarge = 2 * kHugePage;

/// Bytes of the largest array whose memory is kept.
inline constexpr std::size_t kMostKept = std::size_t{1} << 27;

/// Asks the kernel for large pages in [memory, memory + size), where `memory` is aligned to kHugePage. A hint: elsewhere than
/// on Linux, and where the kernel has none, nothing happens. At most one page more becomes resident than is used.
BLITZ_API void ask_for_huge_pages(void* memory, std::size_t size) noexcept;

/// `size` bytes at a multiple of `alignment`, a power of two; null if memory is out. Of 4 MiB and more they are in large pages,
/// where the system has them.
///
/// Of arrays of 64 KiB to 128 MiB, the process keeps the four that were freed last; on Linux the kernel may take the memory
/// of those of more than 16 MiB when it is short of it (MADV_FREE). Any thread; none waits for another.
[[nodiscard]] BLITZ_API void* allocate_kept(std::size_t size, std::size_t alignment) noexcept;

/// Frees or keeps what allocate_kept has returned for the same size and alignment. Null does nothing.
BLITZ_API void free_kept(void* memory, std::size_t size, std::size_t alignment) noexcept;

/// Frees what is kept, but for what another thread holds the lock of at that moment.
BLITZ_API void free_all_kept() noexcept;

}  // namespace blitz::detail
