/// @file
/// Memory in large pages: the first touch of a page costs the kernel as much as writing it, so large arrays are filled
/// several times as fast in pages of 2 MiB as in those of 4 KiB.
#pragma once

#include <cstddef>

#include "blitz/base/export.hpp"

namespace blitz::detail {

/// The size of a large page on most processors, and its alignment.
inline constexpr std::size_t kHugePage = std::size_t{1} << 21;

/// Asks the kernel for large pages in [memory, memory + size), where `memory` is aligned to kHugePage. A hint: elsewhere than
/// on Linux, and where the kernel has none, nothing happens. At most one page more becomes resident than is used.
BLITZ_API void ask_for_huge_pages(void* memory, std::size_t size) noexcept;

}  // namespace blitz::detail
