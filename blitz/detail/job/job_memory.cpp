#include "blitz/detail/job/job_memory.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/sys/fork.hpp"

namespace blitz::detail {
namespace {

using Block = JobMemory::Block;
using List = JobMemory::List;

constexpr std::size_t kChunkSize = std::size_t{1} << 16;
/// The unused chunks that a depot keeps, so that a program that spawns in waves does not get them from the system each time.
constexpr std::size_t kKept = 4;

/// The header of a chunk; its blocks follow. A chunk is aligned to its size.
struct alignas(kCacheLine) Chunk {
  Chunk* previous;  // in the depot's list, while the chunk has free blocks
  Chunk* next;
  List free;
  std::size_t never_used;  // the offset of the first block that was never in a list
};

// A static pool may be constructed before the statics of this file, so the depots are constant-initialized. A mutex of Windows
// has no constant initializer; there the depots are constructed in the first call.
#if defined(_WIN32)
#define BLITZ_CONSTANT
#else
#define BLITZ_CONSTANT constexpr
#endif

/// The chunks with blocks of one size.
///
/// The slow steps run without the mutex: getting a chunk from the system, returning it, and the first write to fresh blocks.
class Depot {
 public:
  BLITZ_CONSTANT explicit Depot(std::size_t block_size) noexcept : block_size_(block_size) {}

  /// Moves at least one and up to `count` free blocks to the empty list `to`. Throws std::bad_alloc.
  void take(List& to, std::uint32_t count) {
    std::unique_lock lock(mutex_);
    while (first_ == nullptr) {
      lock.unlock();
      Chunk* const chunk = make_chunk();
      lock.lock();
      link(*chunk);
      ++unused_;
    }
    std::byte* fresh = nullptr;
    std::size_t fresh_count = 0;
    while (to.count < count && fresh_count == 0 && first_ != nullptr) {
      Chunk& chunk = *first_;
      if (chunk.free.count == blocks_of(chunk)) --unused_;
      while (to.count < count && chunk.free.first != nullptr) push(to, pop(chunk.free));
      fresh = reinterpret_cast<std::byte*>(&chunk) + chunk.never_used;
      fresh_count = std::min<std::size_t>(count - to.count, (kChunkSize - chunk.never_used) / block_size_);
      chunk.never_used += fresh_count * block_size_;
      if (!has_blocks(chunk)) unlink(chunk);
    }
    lock.unlock();
    for (std::size_t i = 0; i < fresh_count; ++i, fresh += block_size_) push(to, ::new (fresh) Block{nullptr});
  }

  /// Takes back the blocks of a list.
  void put(Block* first) noexcept {
    Chunk* surplus = nullptr;
    {
      const std::lock_guard lock(mutex_);
      while (first != nullptr) {
        Block* const block = std::exchange(first, first->next);
        auto& chunk = *reinterpret_cast<Chunk*>(reinterpret_cast<std::uintptr_t>(block) & ~(kChunkSize - 1));
        const bool listed = has_blocks(chunk);
        push(chunk.free, block);
        if (!listed) link(chunk);
        if (chunk.free.count == blocks_of(chunk) && ++unused_ > kKept) {
          unlink(chunk);
          --unused_;
          chunk.next = std::exchange(surplus, &chunk);
        }
      }
    }
    while (surplus != nullptr) destroy_chunk(std::exchange(surplus, surplus->next));
  }

  Mutex& mutex() noexcept { return mutex_; }

 private:
  static void push(List& list, Block* block) noexcept {
    block->next = list.first;
    list.first = block;
    ++list.count;
  }
  static Block* pop(List& list) noexcept {
    --list.count;
    return std::exchange(list.first, list.first->next);
  }

  /// The number of the chunk's blocks that have been in a list.
  [[nodiscard]] std::size_t blocks_of(const Chunk& chunk) const noexcept {
    return (chunk.never_used - sizeof(Chunk)) / block_size_;
  }
  [[nodiscard]] bool has_blocks(const Chunk& chunk) const noexcept {
    return chunk.free.first != nullptr || kChunkSize - chunk.never_used >= block_size_;
  }

  static Chunk* make_chunk() {
    void* const memory = ::operator new(kChunkSize, std::align_val_t{kChunkSize});
    return ::new (memory) Chunk{nullptr, nullptr, {}, sizeof(Chunk)};
  }
  static void destroy_chunk(Chunk* chunk) noexcept {
    std::destroy_at(chunk);
    ::operator delete(chunk, std::align_val_t{kChunkSize});
  }

  void link(Chunk& chunk) noexcept {
    chunk.previous = nullptr;
    chunk.next = first_;
    if (first_ != nullptr) first_->previous = &chunk;
    first_ = &chunk;
  }
  void unlink(Chunk& chunk) noexcept {
    (chunk.previous != nullptr ? chunk.previous->next : first_) = chunk.next;
    if (chunk.next != nullptr) chunk.next->previous = chunk.previous;
  }

  Mutex mutex_;  // guards the rest
  std::size_t block_size_;
  Chunk* first_ = nullptr;
  std::size_t unused_ = 0;  // chunks
};

/// Never destroyed: a static pool may outlive any other static object.
union Depots {
  BLITZ_CONSTANT Depots() noexcept : all{Depot(32), Depot(64), Depot(128), Depot(256)} {}
  BLITZ_CONSTANT ~Depots() {}
  Depot all[JobMemory::kClasses];
};

#if defined(_WIN32)
Depot* depots() noexcept {
  static Depots depots;
  return depots.all;
}
#else
constinit Depots constant_depots;
Depot* depots() noexcept { return constant_depots.all; }
#endif

/// The lists of threads that are not workers. Each such thread uses one for all its calls, so that few threads share none.
struct alignas(kCacheLine) OutsideMemory {
  Mutex mutex;  // guards the memory
  JobMemory memory;
};
constexpr std::uint32_t kOutsideMemories = 16;

/// Never destroyed, like the depots.
union OutsideMemories {
  BLITZ_CONSTANT OutsideMemories() noexcept : all{} {}
  ~OutsideMemories() {}
  OutsideMemory all[kOutsideMemories];
};

#if defined(_WIN32)
OutsideMemory* outside_memories() noexcept {
  static OutsideMemories memories;
  return memories.all;
}
#else
constinit OutsideMemories constant_outside_memories;
OutsideMemory* outside_memories() noexcept { return constant_outside_memories.all; }
#endif

/// In turn, so that the first threads share none.
OutsideMemory& own_outside_memory() noexcept {
  constinit static Atomic<std::uint32_t> next{0};
  if (outside_memory == nullptr) [[unlikely]]
    outside_memory = &outside_memories()[next.fetch_add(1, std::memory_order_relaxed) % kOutsideMemories];
  return *static_cast<OutsideMemory*>(outside_memory);
}

/// The lists first: a thread that holds their mutex may wait for a depot.
void lock_depots() {
  for (std::uint32_t i = 0; i < kOutsideMemories; ++i) outside_memories()[i].mutex.lock();
  for (std::size_t i = 0; i < JobMemory::kClasses; ++i) depots()[i].mutex().lock();
}
void unlock_depots() {
  for (std::size_t i = 0; i < JobMemory::kClasses; ++i) depots()[i].mutex().unlock();
  for (std::uint32_t i = 0; i < kOutsideMemories; ++i) outside_memories()[i].mutex.unlock();
}

[[maybe_unused]] const bool depots_handle_forks =
    at_fork({.prepare = lock_depots, .parent = unlock_depots, .child = unlock_depots});

}  // namespace

constinit thread_local void* outside_memory = nullptr;

JobMemory::~JobMemory() {
  for (std::size_t i = 0; i < kClasses; ++i) {
    depots()[i].put(open_[i].first);
    depots()[i].put(spare_[i]);
  }
}

void JobMemory::fill(std::size_t size_class) {
  if (Block* const batch = std::exchange(spare_[size_class], nullptr)) {
    open_[size_class] = {batch, kBatch};
  } else {
    depots()[size_class].take(open_[size_class], kBatch);
  }
}

void JobMemory::flush(std::size_t size_class) noexcept {
  Block* const batch = std::exchange(open_[size_class], List()).first;
  if (Block* const other = std::exchange(spare_[size_class], batch)) depots()[size_class].put(other);
}

void* JobMemory::allocate_outside(std::size_t size_class) {
  OutsideMemory& own = own_outside_memory();
  const std::lock_guard lock(own.mutex);
  return own.memory.allocate(size_class);
}

void JobMemory::free_outside(void* memory, std::size_t size_class) noexcept {
  OutsideMemory& own = own_outside_memory();
  const std::lock_guard lock(own.mutex);
  own.memory.free(memory, size_class);
}

}  // namespace blitz::detail
