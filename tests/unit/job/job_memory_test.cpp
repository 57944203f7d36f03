#include "blitz/detail/job/job_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "support/memory_in_use.hpp"

using blitz::detail::JobMemory;
using blitz_test::memory_in_use;

namespace {

constexpr std::size_t size_of(std::size_t size_class) { return JobMemory::kSmallest << size_class; }

constexpr std::size_t kChunk = 65536;
/// The maximum that the depots keep, including chunks without used blocks, plus memory that the tests themselves use.
constexpr std::size_t kKeptByAll = (4 * JobMemory::kClasses + 2) * kChunk;

/// Fills a block, so that overlapping blocks are noticed and a sanitizer sees each byte.
void mark(void* block, std::size_t size_class, std::size_t number) {
  std::memset(block, static_cast<int>(number % 251), size_of(size_class));
}
bool is_marked(const void* block, std::size_t size_class, std::size_t number) {
  const auto* const bytes = static_cast<const unsigned char*>(block);
  return std::all_of(bytes, bytes + size_of(size_class), [&](unsigned char byte) { return byte == number % 251; });
}

}  // namespace

TEST_CASE("job memory: each size has the smallest class that holds it") {
  CHECK(JobMemory::class_of(1) == 0);
  CHECK(JobMemory::class_of(32) == 0);
  CHECK(JobMemory::class_of(33) == 1);
  CHECK(JobMemory::class_of(64) == 1);
  CHECK(JobMemory::class_of(65) == 2);
  CHECK(JobMemory::class_of(128) == 2);
  CHECK(JobMemory::class_of(129) == 3);
  CHECK(JobMemory::class_of(JobMemory::kLargest) == 3);
  static_assert(size_of(JobMemory::kClasses - 1) == JobMemory::kLargest);
}

TEST_CASE("job memory: blocks are aligned and disjoint and are reused") {
  for (std::size_t size_class = 0; size_class < JobMemory::kClasses; ++size_class) {
    CAPTURE(size_class);
    // More than one chunk holds, and not a multiple of the batch size.
    const std::size_t count = 3 * kChunk / size_of(size_class) + 17;
    JobMemory memory;
    for (int round = 0; round < 3; ++round) {
      std::vector<void*> blocks;
      for (std::size_t i = 0; i < count; ++i) {
        void* const block = blocks.emplace_back(memory.allocate(size_class));
        REQUIRE(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t) == 0);
        mark(block, size_class, i);
      }
      std::size_t spoilt = 0;
      for (std::size_t i = 0; i < count; ++i) spoilt += static_cast<std::size_t>(!is_marked(blocks[i], size_class, i));
      CHECK(spoilt == 0);
      std::shuffle(blocks.begin(), blocks.end(), std::minstd_rand(static_cast<unsigned>(round)));
      for (void* const block : blocks) memory.free(block, size_class);
    }
  }
}

TEST_CASE("job memory: a freed block is the next to be allocated") {
  JobMemory memory;
  void* const first = memory.allocate(1);
  void* const second = memory.allocate(1);
  CHECK(first != second);
  memory.free(first, 1);
  CHECK(memory.allocate(1) == first);
  memory.free(first, 1);
  memory.free(second, 1);
}

TEST_CASE("job memory: chunks return to the system when their blocks are free") {
  const std::size_t before = memory_in_use();
  for (std::size_t size_class = 0; size_class < JobMemory::kClasses; ++size_class) {
    CAPTURE(size_class);
    constexpr std::size_t kCount = 100'000;
    JobMemory memory;
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < kCount; ++i) blocks.push_back(memory.allocate(size_class));
    // The depot may have kept chunks from before the first call of memory_in_use(), which malloc does not count.
    if (before != 0) CHECK(memory_in_use() + kKeptByAll >= kCount * size_of(size_class));
    CHECK(memory_in_use() <= before + kKeptByAll + kCount * size_of(size_class) / 100 * 101);
    for (void* const block : blocks) memory.free(block, size_class);
    CHECK(memory_in_use() <= before + kKeptByAll + 2 * kChunk);  // The list's blocks are in one chunk or two.
  }
  CHECK(memory_in_use() <= before + kKeptByAll);
}

TEST_CASE("job memory: chunks return to the system after frees in random order") {
  const std::size_t before = memory_in_use();
  constexpr std::size_t kCount = 20'000;
  {
    JobMemory memory;
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < kCount; ++i) blocks.push_back(memory.allocate(2));
    std::shuffle(blocks.begin(), blocks.end(), std::minstd_rand(1));
    for (void* const block : blocks) memory.free(block, 2);
    // The blocks on the list may be in this many chunks.
    CHECK(memory_in_use() <= before + kKeptByAll + 2 * JobMemory::kBatch * kChunk);
  }
  CHECK(memory_in_use() <= before + kKeptByAll);
}

TEST_CASE("job memory: blocks may be freed by another owner") {
  const std::size_t before = memory_in_use();
  {
    JobMemory maker;
    JobMemory user;
    for (int round = 0; round < 1000; ++round) {
      std::vector<void*> blocks;
      for (std::size_t i = 0; i < 100; ++i) mark(blocks.emplace_back(maker.allocate(0)), 0, i);
      for (void* const block : blocks) user.free(block, 0);
    }
    // A hundred thousand blocks were used: the depot recycles them.
    CHECK(memory_in_use() <= before + kKeptByAll + kChunk);
  }
  CHECK(memory_in_use() <= before + kKeptByAll);
}

TEST_CASE("job memory: threads without a worker use the depot and may free any block") {
  const std::size_t before = memory_in_use();
  {
    JobMemory memory;
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < 5000; ++i) {
      mark(blocks.emplace_back(JobMemory::allocate_outside(1)), 1, i);
      mark(blocks.emplace_back(memory.allocate(1)), 1, i);
    }
    std::size_t spoilt = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) spoilt += static_cast<std::size_t>(!is_marked(blocks[i], 1, i / 2));
    CHECK(spoilt == 0);
    // Each block is freed by the other function.
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      i % 2 == 0 ? memory.free(blocks[i], 1) : JobMemory::free_outside(blocks[i], 1);
    }
  }
  CHECK(memory_in_use() <= before + kKeptByAll);
}

TEST_CASE("job memory: many threads may free blocks of other threads concurrently") {
  const std::size_t before = memory_in_use();
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kBlocks = 3000;
  {
    std::vector<std::unique_ptr<JobMemory>> memories;
    for (std::size_t t = 0; t < kThreads; ++t) memories.push_back(std::make_unique<JobMemory>());
    std::vector<std::vector<void*>> blocks(kThreads);
    for (int round = 0; round < 20; ++round) {
      const auto on_each_thread = [&](auto&& f) {
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { f(t); });
        for (std::thread& thread : threads) thread.join();
      };
      on_each_thread([&](std::size_t t) {
        for (std::size_t i = 0; i < kBlocks; ++i) mark(blocks[t].emplace_back(memories[t]->allocate(i % 4)), i % 4, t);
      });
      on_each_thread([&](std::size_t t) {
        const std::size_t other = (t + 1) % kThreads;
        std::size_t spoilt = 0;
        for (std::size_t i = 0; i < kBlocks; ++i) {
          spoilt += static_cast<std::size_t>(!is_marked(blocks[other][i], i % 4, other));
          memories[t]->free(blocks[other][i], i % 4);
        }
        if (spoilt != 0) throw spoilt;  // Ends the program: CHECK is for one thread at a time.
      });
      for (auto& each : blocks) each.clear();
    }
  }
  CHECK(memory_in_use() <= before + kKeptByAll);
}
