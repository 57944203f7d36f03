#include "blitz/algorithm/scratch.hpp"

#include <algorithm>
#include <limits>

#include "blitz/base/cache_line.hpp"
#include "blitz/base/kept_memory.hpp"

namespace blitz::detail {

namespace {

/// What `bytes` bytes are aligned to.
std::align_val_t scratch_alignment(std::size_t bytes, std::size_t alignment) noexcept {
  return std::align_val_t{std::max(alignment, bytes >= kLarge ? kHugePage : kCacheLine)};
}

}  // namespace

void* allocate_scratch(std::size_t count, std::size_t size, std::size_t alignment) {
  void* const memory = allocate_scratch(count, size, alignment, std::nothrow);
  if (memory == nullptr && count > 0) throw std::bad_alloc();
  return memory;
}

void* allocate_scratch(std::size_t count, std::size_t size, std::size_t alignment, std::nothrow_t) noexcept {
  if (count == 0 || count > (std::numeric_limits<std::size_t>::max() - kHugePage) / size) return nullptr;
  std::size_t bytes = count * size;
  const std::align_val_t aligned = scratch_alignment(bytes, alignment);
  if (bytes < kLarge) return ::operator new(bytes, aligned, std::nothrow);
  bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;  // whole large pages, so that the last one is large too
  void* const memory = ::operator new(bytes, aligned, std::nothrow);
  if (memory != nullptr) ask_for_huge_pages(memory, bytes);
  return memory;
}

void free_scratch(void* memory, std::size_t count, std::size_t size, std::size_t alignment) noexcept {
  if (memory != nullptr) ::operator delete(memory, scratch_alignment(count * size, alignment));
}

}  // namespace blitz::detail
