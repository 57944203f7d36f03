#include "blitz/detail/sys/kept_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "support/memory_in_use.hpp"

namespace blitz::detail {
namespace {

constexpr std::size_t kKiB = 1024;

TEST_CASE("kept memory: allocates disjoint arrays of any size and alignment") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, 64 * kKiB - 1, 64 * kKiB, 100 * kKiB, 4096 * kKiB - 1,
                                 4096 * kKiB, 5000 * kKiB, 16384 * kKiB, 131'072 * kKiB, 131'072 * kKiB + 1}) {
    for (const std::size_t alignment : {std::size_t{1}, std::size_t{64}, std::size_t{128}, std::size_t{2048},
                                        std::size_t{4096}, kHugePage, 4 * kHugePage}) {
      CAPTURE(size);
      CAPTURE(alignment);
      for (int again = 0; again < 2; ++again) {
        void* const a = allocate_kept(size, alignment);
        void* const b = allocate_kept(size, alignment);
        REQUIRE(a != nullptr);
        REQUIRE(b != nullptr);
        CHECK(a != b);
        CHECK(reinterpret_cast<std::uintptr_t>(a) % alignment == 0);
        const auto of_a = reinterpret_cast<std::uintptr_t>(a);
        const auto of_b = reinterpret_cast<std::uintptr_t>(b);
        CHECK(std::max(of_a, of_b) - std::min(of_a, of_b) >= size);
        // Both ends: the bytes in between belong to the array as well.
        for (const std::size_t at : {std::size_t{0}, size - std::min(size, kKiB)}) {
          std::memset(static_cast<char*>(a) + at, 1, std::min(size, kKiB));
          std::memset(static_cast<char*>(b) + at, 2, std::min(size, kKiB));
        }
        if (size > 0) CHECK(static_cast<const char*>(a)[size - 1] == 1);
        free_kept(a, size, alignment);
        free_kept(b, size, alignment);
      }
    }
  }
  free_kept(nullptr, 1000 * kKiB, 1);
}

TEST_CASE("kept memory: an array of nearly the same size reuses the freed memory") {
  void* const first = allocate_kept(1000 * kKiB, 8);
  free_kept(first, 1000 * kKiB, 8);
  void* const second = allocate_kept(1001 * kKiB, 8);
  CHECK(second == first);
  free_kept(second, 1001 * kKiB, 8);
}

/// True if an array of `next` bytes reuses the memory of a freed array of this size and alignment.
bool is_kept(std::size_t size, std::size_t alignment, std::size_t next) {
  free_all_kept();
  void* const first = allocate_kept(size, alignment);
  REQUIRE(first != nullptr);
  free_kept(first, size, alignment);
  // If `first` was returned to malloc, this allocation gets it.
  void* const other = ::operator new(size, std::align_val_t{alignment});
  void* const second = allocate_kept(next, alignment);
  free_kept(second, next, alignment);
  ::operator delete(other, std::align_val_t{alignment});
  free_all_kept();
  return second == first;
}

TEST_CASE("kept memory: arrays of 64 KiB to kMostKept are reused only for a similar size") {
  CHECK(is_kept(64 * kKiB, kCacheLine, 64 * kKiB));
  CHECK(is_kept(kMostKept, kCacheLine, kMostKept));
  // Not for an array of another size, because it would be freed with that size.
  CHECK_FALSE(is_kept(200 * kKiB, 64, 100 * kKiB));
  CHECK_FALSE(is_kept(200 * kKiB, 64, 300 * kKiB));
}

TEST_CASE("kept memory: the four arrays that were freed last are reused") {
  constexpr std::size_t kSize = 64 * kKiB;
  free_all_kept();
  void* arrays[7];
  for (void*& array : arrays) array = allocate_kept(kSize, 8);
  for (void* const array : arrays) free_kept(array, kSize, 8);
  std::set<void*> kept;
  for (int i = 0; i < 4; ++i) kept.insert(allocate_kept(kSize, 8));
  CHECK(kept == std::set<void*>(arrays + 3, arrays + 7));
  for (void* const array : kept) free_kept(array, kSize, 8);
  free_all_kept();
}

TEST_CASE("kept memory: freeing a too large array keeps the cached ones") {
  constexpr std::size_t kSmall = 64 * kKiB;
  free_all_kept();
  void* small[4];
  for (void*& array : small) array = allocate_kept(kSmall, 8);
  for (void* const array : small) free_kept(array, kSmall, 8);
  for (const std::size_t size : {kMostKept + 1, 2 * kMostKept + 4 * kHugePage, 4 * kMostKept}) {
    void* const large = allocate_kept(size, 8);
    free_kept(large, size, 8);
  }
  std::set<void*> kept;
  for (int i = 0; i < 4; ++i) kept.insert(allocate_kept(kSmall, 8));
  CHECK(kept == std::set<void*>(small, small + 4));
  for (void* const array : kept) free_kept(array, kSmall, 8);
  free_all_kept();
}

TEST_CASE("kept memory: a large array begins half a page from the start of its page") {
  for (const std::size_t size : {4096 * kKiB, 20'000 * kKiB, 131'072 * kKiB + 1}) {
    CAPTURE(size);
    void* const memory = allocate_kept(size, 64);
    REQUIRE(memory != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % 4096 == 2048);
    free_kept(memory, size, 64);
  }
}

TEST_CASE("kept memory: a cached array stays in use until free_all_kept") {
  for (const std::size_t size : {64 * kKiB, 64 * kKiB + 1, 100 * kKiB}) {
    for (const std::size_t alignment : {std::size_t{8}, kCacheLine, 2 * kCacheLine}) {
      CAPTURE(size);
      CAPTURE(alignment);
      free_all_kept();
      const std::size_t before = blitz_test::memory_in_use();
      void* const memory = allocate_kept(size, alignment);
      REQUIRE(memory != nullptr);
      // Rounded up by at most an eighth.
      if (before > 0) CHECK(blitz_test::memory_in_use() <= before + size * 9 / 8 + kKiB);
      free_kept(memory, size, alignment);
      const std::size_t kept = blitz_test::memory_in_use();
      if (before > 0) CHECK((kept >= before + size) == (alignment <= kCacheLine));
      free_all_kept();
      if (before > 0) CHECK(blitz_test::memory_in_use() <= kept - (alignment <= kCacheLine ? size : 0));
    }
  }
}

TEST_CASE("kept memory: a freed array evicts only as many as needed and the oldest first") {
  constexpr std::size_t kSmall = 100 * kKiB;
  constexpr std::size_t kLarge = kMostKept / 4 * 3;
  free_all_kept();
  const std::size_t before = blitz_test::memory_in_use();
  const std::size_t sizes[] = {kSmall, kLarge, kSmall, kLarge, kMostKept};
  void* arrays[std::size(sizes)];
  for (std::size_t i = 0; i < std::size(sizes); ++i) arrays[i] = allocate_kept(sizes[i], 8);
  for (std::size_t i = 0; i < std::size(sizes); ++i) free_kept(arrays[i], sizes[i], 8);
  const std::size_t kept = blitz_test::memory_in_use();
  if (before > 0) {
    CHECK(kept >= before + kSmall);
    CHECK(kept < before + 2 * kSmall);
  }
  free_all_kept();
}

TEST_CASE("kept memory: the cached total is limited and the oldest array is freed first") {
  constexpr std::size_t kSize = blitz::detail::kMostKept;
  void* arrays[3];
  for (void*& array : arrays) {
    array = allocate_kept(kSize, 8);
    REQUIRE(array != nullptr);
  }
  for (void* const array : arrays) free_kept(array, kSize, 8);
  const std::set<void*> kept = {allocate_kept(kSize, 8), allocate_kept(kSize, 8)};
  CHECK(kept == std::set<void*>{arrays[1], arrays[2]});
  for (void* const array : kept) free_kept(array, kSize, 8);
  free_all_kept();
}

TEST_CASE("kept memory: impossible sizes give a null pointer or bad_alloc") {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t size : {kMost / 2 - kHugePage + 1, kMost / 2, kMost - kHugePage, kMost - 1, kMost}) {
    CAPTURE(size);
    for (const std::size_t alignment : {std::size_t{1}, std::size_t{64}, std::size_t{4096}, kHugePage}) {
      CHECK(allocate_kept(size, alignment) == nullptr);
    }
    CHECK_FALSE(array_memory(size, 1, 1, std::nothrow));
    CHECK_FALSE(array_memory(size / 8 + 1, 8, 8, std::nothrow));  // up to 2^64 bytes
    CHECK_FALSE(array_memory(size, size, 1, std::nothrow));
    CHECK_THROWS_AS(static_cast<void>(array_memory(size, 1, 1)), std::bad_alloc);
  }
}

TEST_CASE("kept memory: array_memory aligns to the items and at least to a cache line") {
  for (const std::size_t alignment : {std::size_t{1}, std::size_t{8}, std::size_t{256}, std::size_t{4096}}) {
    for (const std::size_t count : {1, 5, 300, 50'000}) {
      CAPTURE(alignment);
      CAPTURE(count);
      const ArrayMemory<char> memory = array_memory(count, alignment, alignment);
      CHECK(reinterpret_cast<std::uintptr_t>(memory.get()) % std::max(alignment, kCacheLine) == 0);
    }
    CHECK_FALSE(array_memory(0, alignment, alignment));
  }
}

TEST_CASE("kept memory: several threads have disjoint arrays") {
  std::vector<std::thread> threads;
  bool right[4] = {};
  for (bool& is_right : right) {
    threads.emplace_back([&is_right, value = static_cast<int>(&is_right - right)] {
      is_right = true;
      for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t size = (64 + i % 3 * 20) * kKiB;
        auto* const bytes = static_cast<char*>(allocate_kept(size, 1));
        if (bytes == nullptr) continue;
        std::memset(bytes, value, size);
        for (std::size_t k = 0; k < size; k += 1000) is_right = is_right && bytes[k] == value;
        free_kept(bytes, size, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const bool is_right : right) CHECK(is_right);
}

}  // namespace
}  // namespace blitz::detail
