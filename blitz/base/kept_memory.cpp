#include "blitz/base/kept_memory.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#include "blitz/base/cache_line.hpp"

#if defined(__linux__) && !defined(BLITZ_PORTABLE)
#include <sys/mman.h>
#endif

namespace blitz::detail {

void ask_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) noexcept {
#if defined(__linux__) && !defined(BLITZ_PORTABLE)
  static_cast<void>(::madvise(memory, size, MADV_HUGEPAGE));
#endif
}

namespace {

constexpr std::size_t kLeastKept = std::size_t{1} << 16;
constexpr std::size_t kMostKept = std::size_t{1} << 24;
constexpr std::size_t kLarge = 2 * kHugePage;

/// What an array is given. Sizes are rounded up by an eighth at most, so that arrays of about one size can have each other's
/// memory.
struct Extent {
  Extent(std::size_t bytes, std::size_t least_alignment) noexcept : size(bytes), alignment(least_alignment) {
    if (bytes >= kLeastKept && bytes <= kMostKept && least_alignment <= kCacheLine) {
      const std::size_t step = std::bit_floor(bytes) / 8;
      size = (bytes + step - 1) / step * step;
      alignment = kCacheLine;
      keep = true;
    }
    if (size >= kLarge) alignment = std::max(alignment, kHugePage);
  }
  [[nodiscard]] bool is_large() const noexcept { return alignment >= kHugePage; }

  std::size_t size;
  std::size_t alignment;
  bool keep = false;
};

struct KeptArray {
  void* memory = nullptr;
  std::size_t size = 0;
};

/// A caller that finds the lock taken, be it by a thread that a forked child has not got, does without.
struct {
  std::mutex lock;
  KeptArray kept[4];
  std::size_t oldest = 0;
} store;

}  // namespace

void* allocate_kept(std::size_t size, std::size_t alignment) noexcept {
  const Extent extent(size, alignment);
  if (extent.keep) {
    if (const std::unique_lock lock(store.lock, std::try_to_lock); lock) {
      for (KeptArray& kept : store.kept) {
        if (kept.size == extent.size) return std::exchange(kept, {}).memory;
      }
    }
  }
  void* const memory = ::operator new(extent.size, std::align_val_t(extent.alignment), std::nothrow);
  if (extent.is_large() && memory != nullptr) ask_for_huge_pages(memory, extent.size);
  return memory;
}

void free_kept(void* memory, std::size_t size, std::size_t alignment) noexcept {
  if (memory == nullptr) return;
  const Extent extent(size, alignment);
  if (!extent.keep) return ::operator delete(memory, std::align_val_t(extent.alignment));
  KeptArray old{memory, extent.size};
  {
    if (const std::unique_lock lock(store.lock, std::try_to_lock); lock) {
      std::swap(old, store.kept[store.oldest]);
      store.oldest = (store.oldest + 1) % std::size(store.kept);
    }
  }
  // The rounded size of an extent has the same alignment as the extent.
  if (old.memory != nullptr) ::operator delete(old.memory, std::align_val_t(Extent(old.size, 1).alignment));
}

}  // namespace blitz::detail
