#include "blitz/detail/sys/kept_memory.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/sys/system.hpp"

namespace blitz::detail {

namespace {

constexpr std::size_t kLarge = 2 * kHugePage;  // from this size on memory is in large pages
constexpr std::size_t kLeastKept = std::size_t{1} << 16;
constexpr std::size_t kLeastLetGo = (std::size_t{1} << 24) + kHugePage + 1;
constexpr std::size_t kMostInAll = 2 * (kMostKept + kHugePage);  // of all kept arrays
/// The offset of a large array in its first page. Memory of malloc begins 16 bytes after the start of a page. AMD's processors
/// copy several times as slowly (`rep movsb`) if the destination's offset in its page is slightly above the source's.
constexpr std::size_t kOffset = 2048;

/// The layout of an array's allocation. Sizes are rounded up by at most an eighth, so that arrays of about the same size can
/// reuse each other's memory.
struct Extent {
  Extent(std::size_t bytes, std::size_t least_alignment) noexcept : size(bytes), alignment(least_alignment) {
    if (bytes >= kLeastKept && bytes <= kMostKept && least_alignment <= kCacheLine) {
      size = round_up(bytes, std::bit_floor(bytes) / 8);
      alignment = kCacheLine;
      keep = true;
    }
    if (size >= kLarge) {
      offset = least_alignment <= kOffset ? kOffset : 0;
      size = round_up(size + offset, kHugePage);
      alignment = std::max(alignment, kHugePage);
    }
  }
  [[nodiscard]] bool is_large() const noexcept { return size >= kLarge; }
  static std::size_t round_up(std::size_t bytes, std::size_t step) noexcept { return (bytes + step - 1) / step * step; }

  std::size_t size;
  std::size_t alignment;
  std::size_t offset = 0;  // of the array
  bool keep = false;
};

struct KeptArray {
  void* memory = nullptr;
  std::size_t size = 0;
};

void give_back(const KeptArray& kept) noexcept {
  // The rounded size yields the same alignment as the requested size.
  if (kept.memory != nullptr) ::operator delete(kept.memory, std::align_val_t(Extent(kept.size, 1).alignment));
}

/// A caller that finds the lock taken does not use the store: another thread holds it, in a forked child perhaps a thread of
/// the parent. The braces make it constant-initialized, except if the constructor of std::mutex is not constexpr.
struct {
  Mutex lock;
  KeptArray kept[4];
  std::size_t oldest = 0;
} store{};

}  // namespace

void* allocate_kept(std::size_t size, std::size_t alignment) noexcept {
  if (size > std::numeric_limits<std::size_t>::max() / 2 - kHugePage)
    return nullptr;  // No machine has so much memory, and sums would overflow.
  const Extent extent(size, alignment);
  if (extent.keep) {
    if (const std::unique_lock lock(store.lock, std::try_to_lock); lock) {
      for (KeptArray& kept : store.kept) {
        if (kept.size == extent.size) return static_cast<std::byte*>(std::exchange(kept, {}).memory) + extent.offset;
      }
    }
  }
  void* const memory = ::operator new(extent.size, std::align_val_t(extent.alignment), std::nothrow);
  if (memory == nullptr) return nullptr;
  if (extent.is_large()) ask_for_huge_pages(memory, extent.size);
  return static_cast<std::byte*>(memory) + extent.offset;
}

void free_kept(void* memory, std::size_t size, std::size_t alignment) noexcept {
  if (memory == nullptr) return;
  const Extent extent(size, alignment);
  memory = static_cast<std::byte*>(memory) - extent.offset;
  if (!extent.keep) return ::operator delete(memory, std::align_val_t(extent.alignment));
  if (extent.size >= kLeastLetGo) let_go(memory, extent.size);
  KeptArray old[std::size(store.kept)] = {{memory, extent.size}};
  if (const std::unique_lock lock(store.lock, std::try_to_lock); lock) {
    std::size_t in_all = extent.size;
    for (const KeptArray& kept : store.kept) in_all += kept.size;
    for (std::size_t i = 0; i == 0 || in_all > kMostInAll; ++i) {
      std::swap(old[i], store.kept[(store.oldest + i) % std::size(store.kept)]);
      in_all -= old[i].size;
    }
    store.oldest = (store.oldest + 1) % std::size(store.kept);
  }
  for (const KeptArray& array : old) give_back(array);
}

void free_all_kept() noexcept {
  for (KeptArray& kept : store.kept) {
    KeptArray old;
    if (const std::unique_lock lock(store.lock, std::try_to_lock); lock) std::swap(old, kept);
    give_back(old);
  }
}

}  // namespace blitz::detail
