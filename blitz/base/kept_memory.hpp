/// @file
/// Memory for temporary arrays. What was freed last is kept for the next array of about the same size: a page that was touched
/// before costs nothing, and a new one as much as writing it.
#pragma once

#include <cstddef>

#include "blitz/base/export.hpp"

namespace blitz::detail {

/// `size` bytes at a multiple of `alignment`, a power of two; null if memory is out. Of 4 MiB and more they are in large pages,
/// where the system has them.
///
/// Of arrays of 64 KiB to 16 MiB, the process keeps the four that were freed last. Any thread; none waits for another.
[[nodiscard]] BLITZ_API void* allocate_kept(std::size_t size, std::size_t alignment) noexcept;

/// Frees or keeps what allocate_kept has returned for the same size and alignment. Null does nothing.
BLITZ_API void free_kept(void* memory, std::size_t size, std::size_t alignment) noexcept;

}  // namespace blitz::detail
