/// The macros that name this system, and the system functions that have no other header. PORTING.md lists all functions.
/// linux.cpp, windows.cpp or other.cpp supplies them. posix.cpp has the threads and the forks of all POSIX systems.
///
/// With BLITZ_PORTABLE blitz uses only the standard library.
#pragma once

#include <cstddef>

#if !defined(BLITZ_PORTABLE)
#if defined(__linux__)
#define BLITZ_LINUX 1
#endif
#if defined(__unix__) || defined(__APPLE__)
#define BLITZ_POSIX 1
#endif
#if defined(_WIN32)
#define BLITZ_WINDOWS 1
#endif
#endif

namespace blitz::detail {

/// A hint: asks the system for large pages in [memory, memory + size); `memory` is aligned to kHugePage. At most one page more
/// becomes resident than is used.
void ask_for_huge_pages(void* memory, std::size_t size) noexcept;

/// A hint: lets the system take the pages of [memory, memory + size) when it is short of memory. While it has enough, the next
/// write costs no page fault. The call takes tens of microseconds, and interrupts other threads.
void let_go(void* memory, std::size_t size) noexcept;

/// Registers this process for process_fence. Returns whether the system supports it.
[[nodiscard]] bool have_process_fence() noexcept;

/// Every running thread of this process executes a full fence before it returns. Only if have_process_fence() was true.
void process_fence() noexcept;

}  // namespace blitz::detail
