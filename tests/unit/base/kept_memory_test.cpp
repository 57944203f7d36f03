#include "blitz/base/kept_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "support/memory_in_use.hpp"

namespace blitz::detail {
namespace {

constexpr std::size_t kKiB = 1024;

TEST_CASE("kept memory: of any size and alignment, and the caller's own") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, 64 * kKiB - 1, 64 * kKiB, 100 * kKiB, 4096 * kKiB - 1,
                                 4096 * kKiB, 5000 * kKiB, 16384 * kKiB, 131'072 * kKiB, 131'072 * kKiB + 1}) {
    for (const std::size_t alignment : {std::size_t{1}, std::size_t{64}, std::size_t{4096}}) {
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
        // Both ends: what lies between is theirs as well.
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

TEST_CASE("kept memory: an array of about the same size has the memory of the one before") {
  void* const first = allocate_kept(1000 * kKiB, 8);
  free_kept(first, 1000 * kKiB, 8);
  void* const second = allocate_kept(1001 * kKiB, 8);
  CHECK(second == first);
  free_kept(second, 1001 * kKiB, 8);
}

TEST_CASE("kept memory: a large array begins far from where those of malloc do in their pages") {
  for (const std::size_t size : {4096 * kKiB, 20'000 * kKiB, 131'072 * kKiB + 1}) {
    CAPTURE(size);
    void* const memory = allocate_kept(size, 64);
    REQUIRE(memory != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % 4096 == 2048);
    free_kept(memory, size, 64);
  }
}

TEST_CASE("kept memory: what is kept stays in use, and can be freed") {
  constexpr std::size_t kSize = 100 * kKiB;
  free_all_kept();
  const std::size_t before = blitz_test::memory_in_use();
  void* const memory = allocate_kept(kSize, 8);
  REQUIRE(memory != nullptr);
  free_kept(memory, kSize, 8);
  const std::size_t kept = blitz_test::memory_in_use();
  if (before > 0) CHECK(kept >= before + kSize);
  free_all_kept();
  if (before > 0) CHECK(blitz_test::memory_in_use() <= kept - kSize);
}

TEST_CASE("kept memory: in all it is limited, and the oldest goes first") {
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

TEST_CASE("kept memory: there is none") {
  CHECK(allocate_kept(std::numeric_limits<std::size_t>::max() / 2, 8) == nullptr);
  CHECK(allocate_kept(std::numeric_limits<std::size_t>::max(), 8) == nullptr);
}

TEST_CASE("kept memory: several threads have arrays of their own") {
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
