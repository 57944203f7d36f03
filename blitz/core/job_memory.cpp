#include "blitz/core/job_memory.hpp"

#include <memory>
#include <mutex>

#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"
#include "blitz/base/fork.hpp"

namespace blitz::detail {
namespace {

using Block = JobMemory::Block;
using List = JobMemory::List;

constexpr std::size_t kChunkSize = std::size_t{1} << 16;
/// Chunks without a block in use that a depot keeps, so that a program which spawns in waves does not ask the system
/// for each of them.
constexpr std::size_t kKept = 4;

/// The head of a chunk; its blocks follow. A chunk begins at a multiple of its size.
struct alignas(kCacheLine) Chunk {
  Chunk* previous;  // in the depot's ring, while ...
  Chunk* next;
  List free;               // ... this is not empty
  std::size_t never_used;  // where the blocks begin that no list has held yet
};

/// The chunks of one size. A chunk is in the ring while it has something to give.
class Depot {
 public:
  constexpr explicit Depot(std::size_t block_size) noexcept : block_size_(block_size) {}

  /// Moves up to `count` free blocks to an empty list, one at least. Throws std::bad_alloc.
  void take(List& to, std::uint32_t count) {
    const std::lock_guard lock(mutex_);
    while (to.count < count) {
      if (first_ == nullptr) {
        if (to.count > 0) return;
        add_chunk();
      }
      Chunk& chunk = *first_;
      if (chunk.free.count == blocks_of(chunk)) --unused_;
      while (to.count < count && chunk.free.first != nullptr) push(to, pop(chunk.free));
      while (to.count < count && chunk.never_used < kChunkSize) push(to, cut(chunk));
      if (chunk.free.first == nullptr && chunk.never_used >= kChunkSize) unlink(chunk);
    }
  }

  /// Takes `count` blocks of the list back.
  void put(List& from, std::uint32_t count) noexcept {
    const std::lock_guard lock(mutex_);
    for (; count > 0; --count) {
      Block* const block = pop(from);
      auto& chunk = *reinterpret_cast<Chunk*>(reinterpret_cast<std::uintptr_t>(block) & ~(kChunkSize - 1));
      const bool listed = chunk.free.first != nullptr || chunk.never_used < kChunkSize;
      push(chunk.free, block);
      if (!listed) link(chunk);
      if (chunk.free.count == blocks_of(chunk) && ++unused_ > kKept) remove_chunk(chunk);
    }
  }

  [[nodiscard]] std::size_t chunks() noexcept {
    const std::lock_guard lock(mutex_);
    return chunks_;
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

  /// How many of the chunk's blocks have been handed out at least once.
  [[nodiscard]] std::size_t blocks_of(const Chunk& chunk) const noexcept {
    return (chunk.never_used - first_block()) / block_size_;
  }
  [[nodiscard]] static constexpr std::size_t first_block() noexcept { return sizeof(Chunk); }

  Block* cut(Chunk& chunk) noexcept {
    void* const memory = reinterpret_cast<std::byte*>(&chunk) + chunk.never_used;
    chunk.never_used += block_size_;
    if (chunk.never_used + block_size_ > kChunkSize) chunk.never_used = kChunkSize;
    return ::new (memory) Block{nullptr};
  }

  void add_chunk() {
    void* const memory = ::operator new(kChunkSize, std::align_val_t{kChunkSize});
    auto* const chunk = ::new (memory) Chunk{nullptr, nullptr, {}, first_block()};
    link(*chunk);
    ++chunks_;
    ++unused_;
  }
  void remove_chunk(Chunk& chunk) noexcept {
    unlink(chunk);
    --unused_;
    --chunks_;
    std::destroy_at(&chunk);
    ::operator delete(&chunk, std::align_val_t{kChunkSize});
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

  Mutex mutex_;  // guards all below
  std::size_t block_size_;
  Chunk* first_ = nullptr;
  std::size_t chunks_ = 0;
  std::size_t unused_ = 0;
};

/// Never destroyed: a pool that is itself static may outlive any other static object.
template <class T>
union Immortal {
  template <class... Args>
  constexpr explicit Immortal(Args&&... args) noexcept : value(std::forward<Args>(args)...) {}
  constexpr ~Immortal() {}
  T value;
};

constinit Immortal<Depot> depots[JobMemory::kClasses] = {
    Immortal<Depot>(std::size_t{32}), Immortal<Depot>(std::size_t{64}), Immortal<Depot>(std::size_t{128}),
    Immortal<Depot>(std::size_t{256})};

[[maybe_unused]] const bool forks_handled = at_fork({
    .prepare =
        [] {
          for (auto& depot : depots) depot.value.mutex().lock();
        },
    .parent =
        [] {
          for (auto& depot : depots) depot.value.mutex().unlock();
        },
    .child =
        [] {
          for (auto& depot : depots) depot.value.mutex().unlock();
        },
});

}  // namespace

JobMemory::~JobMemory() {
  for (std::size_t i = 0; i < kClasses; ++i) depots[i].value.put(lists_[i], lists_[i].count);
}

void JobMemory::fill(std::size_t size_class) { depots[size_class].value.take(lists_[size_class], kBatch); }

void JobMemory::empty(std::size_t size_class) noexcept { depots[size_class].value.put(lists_[size_class], kBatch); }

void* JobMemory::allocate_outside(std::size_t size_class) {
  List one;
  depots[size_class].value.take(one, 1);
  return one.first;
}

void JobMemory::free_outside(void* memory, std::size_t size_class) noexcept {
  List one{::new (memory) Block{nullptr}, 1};
  depots[size_class].value.put(one, 1);
}

std::size_t JobMemory::chunks() noexcept {
  std::size_t sum = 0;
  for (auto& depot : depots) sum += depot.value.chunks();
  return sum;
}

}  // namespace blitz::detail
