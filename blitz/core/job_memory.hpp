/// Memory for jobs that lie in nobody's frame: spawned ones.
///
/// Each worker keeps free blocks of a few sizes in lists of its own, so that making and freeing a job is a matter of two
/// pointers. A block goes to the list of the worker that frees it, whoever made it. What is too much for one worker, or
/// too little, goes through the depot that all share, in batches; it cuts blocks from chunks, and gives a chunk back to the
/// system when all its blocks are free, but for a few that it keeps. So a million jobs that lie in queues at once use the
/// memory of a million blocks, and it is gone when they are.
///
/// All members of a JobMemory are for the runner of the worker that it belongs to; the depot is for anyone.
///
/// The idea of two lists for a thread, so that a batch is never counted out: J. Bonwick, J. Adams, "Magazines and vmem",
/// USENIX 2001.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "blitz/base/export.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BLITZ_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define BLITZ_ADDRESS_SANITIZER 1
#endif

namespace blitz::detail {

class JobMemory {
 public:
  static constexpr std::size_t kSmallest = 32;
  static constexpr std::size_t kLargest = 256;
  static constexpr std::size_t kClasses = 4;
  /// So many blocks go to the depot at once, and come from it at most. A worker holds less than two batches.
  static constexpr std::uint32_t kBatch = 128;

  /// A free block.
  struct Block {
    Block* next;
  };
  struct List {
    Block* first = nullptr;
    std::uint32_t count = 0;
  };

  JobMemory() = default;
  JobMemory(const JobMemory&) = delete;
  JobMemory& operator=(const JobMemory&) = delete;
  BLITZ_API ~JobMemory();

  /// The class of the blocks for objects of that size.
  [[nodiscard]] static constexpr std::size_t class_of(std::size_t size) noexcept {
    std::size_t index = 0;
    while ((kSmallest << index) < size) ++index;
    return index;
  }

  /// Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t size_class) {
    List& list = open_[size_class];
    if (list.first == nullptr) [[unlikely]]
      fill(size_class);
    --list.count;
    return std::exchange(list.first, list.first->next);
  }
  void free(void* memory, std::size_t size_class) noexcept {
    List& list = open_[size_class];
    list.first = ::new (memory) Block{list.first};
    if (++list.count >= kBatch) [[unlikely]]
      flush(size_class);
  }

  /// For a thread that is no worker. Throws std::bad_alloc.
  [[nodiscard]] BLITZ_API static void* allocate_outside(std::size_t size_class);
  BLITZ_API static void free_outside(void* memory, std::size_t size_class) noexcept;

  /// The chunks that the depot holds at the moment: for tests. Any thread.
  [[nodiscard]] BLITZ_API static std::size_t chunks() noexcept;

 private:
  BLITZ_COLD BLITZ_API void fill(std::size_t size_class);
  BLITZ_COLD BLITZ_API void flush(std::size_t size_class) noexcept;

  std::array<List, kClasses> open_{};     // where blocks come from and go to
  std::array<Block*, kClasses> spare_{};  // batches, or null: kept back, for the direction may change
};

}  // namespace blitz::detail
