/// Memory for jobs on the heap, such as spawned ones.
///
/// Each worker keeps lists of free blocks of a few sizes, so making or freeing a job moves two pointers. A block goes to the
/// list of the worker that frees it. Threads that are not workers share a few lists. A list with too many or too few blocks
/// exchanges a batch with the depot, which all threads share. The depot cuts blocks from chunks. It returns a chunk to the system
/// when all its blocks are free, except a few chunks that it keeps.
///
/// Threads: the members of a JobMemory are for the runner of its worker, the static ones for any thread.
///
/// Each thread has two lists, so that a batch need not be counted block by block: J. Bonwick, J. Adams, "Magazines and vmem",
/// USENIX 2001.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

class JobMemory {
 public:
  static constexpr std::size_t kSmallest = 32;
  static constexpr std::size_t kLargest = 256;
  static constexpr std::size_t kClasses = 4;
  /// The number of blocks in a batch to the depot, and the maximum in one from it. A worker holds fewer than two batches.
  static constexpr std::uint32_t kBatch = 128;

  struct Block {  // a free one
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

  /// The class of blocks for objects of `size` bytes.
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

  /// For threads that are not workers. Throws std::bad_alloc.
  [[nodiscard]] BLITZ_API static void* allocate_outside(std::size_t size_class);
  BLITZ_API static void free_outside(void* memory, std::size_t size_class) noexcept;

 private:
  BLITZ_COLD BLITZ_API void fill(std::size_t size_class);
  BLITZ_COLD BLITZ_API void flush(std::size_t size_class) noexcept;

  std::array<List, kClasses> open_{};  // blocks come from here, and go here
  std::array<Block*, kClasses>
      spare_{};  // a full batch or null, so that alternating calls do not go to the depot each time
};

/// The lists of the calling thread for allocate_outside and free_outside; null before its first call.
BLITZ_API BLITZ_TLS extern constinit thread_local void* outside_memory;

}  // namespace blitz::detail
