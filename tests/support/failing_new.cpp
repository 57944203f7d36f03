#include "support/failing_new.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "blitz/detail/base/export.hpp"

#if defined(_WIN32)
#include <malloc.h>
#endif

namespace blitz_test {
namespace {

// Initialized before any code runs; written for C++17, which has no constinit.
std::atomic<std::size_t> made{0};
std::atomic<std::size_t> freed{0};
std::atomic<std::size_t> bytes{0};
/// The number of the allocation that fails. kNone is never reached.
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
std::atomic<std::size_t> fails{kNone};
std::atomic<bool> failed{false};

[[maybe_unused]] void* allocate(std::size_t size, std::size_t alignment) {
  const std::size_t number = made.fetch_add(1, std::memory_order_relaxed);
  if (number == fails.load(std::memory_order_relaxed)) {
    failed.store(true, std::memory_order_relaxed);
    freed.fetch_add(1, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
#if defined(_WIN32)
  void* const memory = ::_aligned_malloc(size, alignment);
#else
  // Not aligned_alloc, which requires a multiple of the alignment: a sanitizer would miss a write between both sizes.
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(alignment, sizeof(void*)), std::max(size, std::size_t{1})) != 0)
    memory = nullptr;
#endif
  if (memory == nullptr) {
    freed.fetch_add(1, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
  bytes.fetch_add(size, std::memory_order_relaxed);
  return memory;
}

[[maybe_unused]] void* try_allocate(std::size_t size, std::size_t alignment) noexcept {
  try {
    return allocate(size, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

[[maybe_unused]] void deallocate(void* memory) noexcept {
  if (memory != nullptr) freed.fetch_add(1, std::memory_order_relaxed);
#if defined(_WIN32)
  ::_aligned_free(memory);
#else
  std::free(memory);
#endif
}

[[maybe_unused]] constexpr std::size_t kUsual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

std::size_t allocations() noexcept { return made.load(std::memory_order_relaxed); }

std::size_t allocations_in_use() noexcept { return allocations() - freed.load(std::memory_order_relaxed); }

std::size_t allocated_bytes() noexcept { return bytes.load(std::memory_order_relaxed); }

void fail_allocation_after(std::size_t count) noexcept {
  failed.store(false, std::memory_order_relaxed);
  fails.store(allocations() + count, std::memory_order_relaxed);
}

bool stop_failing() noexcept {
  fails.store(kNone, std::memory_order_relaxed);
  return failed.load(std::memory_order_relaxed);
}

}  // namespace blitz_test

// clang's sanitizers replace operator new themselves.
#if !defined(__clang__) || !(defined(BLITZ_ADDRESS_SANITIZER) || defined(BLITZ_THREAD_SANITIZER))

using blitz_test::allocate;
using blitz_test::deallocate;
using blitz_test::kUsual;
using blitz_test::try_allocate;

// Not inlined: a compiler would warn about free() for memory from operator new.
[[gnu::noinline]] void* operator new(std::size_t size) { return allocate(size, kUsual); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return allocate(size, kUsual); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t a) {
  return allocate(size, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t a) {
  return allocate(size, static_cast<std::size_t>(a));
}
// The default versions call the ones above, but ThreadSanitizer replaces them.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return try_allocate(size, kUsual);
}
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return try_allocate(size, kUsual);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return try_allocate(size, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return try_allocate(size, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { deallocate(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { deallocate(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { deallocate(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { deallocate(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { deallocate(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept { deallocate(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }

#endif
