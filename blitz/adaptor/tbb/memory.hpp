/// @file
/// oneTBB's allocators, memory resources and the C functions of its scalable allocator. They use the standard library's
/// allocator.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <version>
#ifdef __cpp_lib_memory_resource
#include <memory_resource>
#endif
#if !defined(__APPLE__)
#include <malloc.h>
#endif

#include "blitz/adaptor/tbb/tbb_version.hpp"
#include "blitz/detail/base/cache_line.hpp"

enum ScalableAllocationResult : int {
  TBBMALLOC_OK,
  TBBMALLOC_INVALID_PARAM,
  TBBMALLOC_UNSUPPORTED,
  TBBMALLOC_NO_MEMORY,
  TBBMALLOC_NO_EFFECT
};
enum AllocationModeParam : int {
  TBBMALLOC_USE_HUGE_PAGES,
  USE_HUGE_PAGES = TBBMALLOC_USE_HUGE_PAGES,
  TBBMALLOC_SET_SOFT_HEAP_LIMIT,
  TBBMALLOC_SET_HUGE_SIZE_THRESHOLD
};
enum ScalableAllocationCmd : int { TBBMALLOC_CLEAN_ALL_BUFFERS, TBBMALLOC_CLEAN_THREAD_BUFFERS };

extern "C" {
#if defined(__APPLE__)
std::size_t malloc_size(const void* p);
#endif
inline void* scalable_malloc(std::size_t size) { return std::malloc(size); }
inline void scalable_free(void* p) { std::free(p); }
inline void* scalable_realloc(void* p, std::size_t size) { return std::realloc(p, size); }
inline void* scalable_calloc(std::size_t count, std::size_t size) { return std::calloc(count, size); }
/// The usable bytes at a pointer; 0 for null.
inline std::size_t scalable_msize(void* p) {
#if defined(_WIN32)
  return p != nullptr ? _msize(p) : 0;
#elif defined(__APPLE__)
  return malloc_size(p);
#else
  return malloc_usable_size(p);
#endif
}
/// Returns null for an alignment that is not a power of two, or a size of 0.
inline void* scalable_aligned_malloc(std::size_t size, std::size_t alignment) {
  if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
    errno = EINVAL;
    return nullptr;
  }
#if defined(_WIN32)
  return _aligned_malloc(size, alignment);
#else
  void* p = nullptr;
  const int error = posix_memalign(&p, alignment < sizeof(void*) ? sizeof(void*) : alignment, size);
  if (error != 0) errno = error;
  return error == 0 ? p : nullptr;
#endif
}
inline void scalable_aligned_free(void* p) {
#if defined(_WIN32)
  _aligned_free(p);
#else
  std::free(p);
#endif
}
/// Like std::realloc, with an alignment. A size of 0 frees the memory.
inline void* scalable_aligned_realloc(void* p, std::size_t size, std::size_t alignment) {
#if defined(_WIN32)
  return _aligned_realloc(p, size, alignment);
#else
  if (p != nullptr && size == 0) {
    std::free(p);
    return nullptr;
  }
  void* const moved = scalable_aligned_malloc(size, alignment);
  if (p != nullptr && moved != nullptr) {
    const std::size_t old = scalable_msize(p);
    std::memcpy(moved, p, old < size ? old : size);
    std::free(p);
  }
  return moved;
#endif
}
/// Returns 0, EINVAL or ENOMEM.
inline int scalable_posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* const p = scalable_aligned_malloc(size != 0 ? size : 1, alignment);
  if (p == nullptr) return ENOMEM;
  *result = p;
  return 0;
}
/// No effect: the standard library's allocator has no such settings or caches.
inline int scalable_allocation_mode(int /*what*/, std::intptr_t /*value*/) { return TBBMALLOC_UNSUPPORTED; }
inline int scalable_allocation_command(int /*command*/, void* /*reserved*/) { return TBBMALLOC_NO_EFFECT; }
}

namespace tbb {

/// Memory that shares no cache line with other memory.
template <class T>
class cache_aligned_allocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  cache_aligned_allocator() = default;
  template <class U>
  cache_aligned_allocator(const cache_aligned_allocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T) - kAlignment) throw std::bad_array_new_length();
    const std::size_t bytes = (n * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return static_cast<T*>(::operator new(bytes, std::align_val_t(kAlignment)));
  }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, std::align_val_t(kAlignment)); }
  template <class U>
  bool operator==(const cache_aligned_allocator<U>&) const noexcept {
    return true;
  }

 private:
  static constexpr std::size_t kAlignment = alignof(T) > blitz::detail::kCacheLine ? alignof(T)
                                                                                   : blitz::detail::kCacheLine;
};

template <class T>
class tbb_allocator : public std::allocator<T> {
 public:
  enum malloc_type : unsigned char { scalable, standard };
  [[nodiscard]] static malloc_type allocator_type() noexcept { return standard; }

  tbb_allocator() = default;
  template <class U>
  tbb_allocator(const tbb_allocator<U>&) noexcept {}
};
template <class T>
class scalable_allocator : public std::allocator<T> {
 public:
  scalable_allocator() = default;
  template <class U>
  scalable_allocator(const scalable_allocator<U>&) noexcept {}
};

#ifdef __cpp_lib_memory_resource
/// A resource of blocks that share no cache line with other blocks. Takes its memory from another resource.
class cache_aligned_resource : public std::pmr::memory_resource {
 public:
  cache_aligned_resource() : cache_aligned_resource(std::pmr::get_default_resource()) {}
  explicit cache_aligned_resource(std::pmr::memory_resource* upstream) : upstream_(upstream) {}
  [[nodiscard]] std::pmr::memory_resource* upstream_resource() const { return upstream_; }

 private:
  static std::size_t aligned(std::size_t alignment) noexcept {
    return alignment > blitz::detail::kCacheLine ? alignment : blitz::detail::kCacheLine;
  }
  /// Rounds a size up to whole cache lines. The other resource rejects sizes that are too large.
  static std::size_t rounded(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t lines = (bytes + alignment - 1) & ~(alignment - 1);
    return lines >= bytes ? lines : bytes;
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return upstream_->allocate(rounded(bytes, aligned(alignment)), aligned(alignment));
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    upstream_->deallocate(p, rounded(bytes, aligned(alignment)), aligned(alignment));
  }
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
#ifdef __cpp_rtti
    const auto* const same = dynamic_cast<const cache_aligned_resource*>(&other);
    return same != nullptr && upstream_->is_equal(*same->upstream_);
#else
    return this == &other;
#endif
  }

  std::pmr::memory_resource* upstream_;
};

[[nodiscard]] inline std::pmr::memory_resource* scalable_memory_resource() noexcept {
  return std::pmr::new_delete_resource();
}
#endif

}  // namespace tbb
