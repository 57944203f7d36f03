#include "blitz/base/huge_pages.hpp"

#if defined(__linux__) && !defined(BLITZ_PORTABLE)
#include <sys/mman.h>
#endif

namespace blitz::detail {

void ask_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) noexcept {
#if defined(__linux__) && !defined(BLITZ_PORTABLE)
  static_cast<void>(::madvise(memory, size, MADV_HUGEPAGE));
#endif
}

}  // namespace blitz::detail
