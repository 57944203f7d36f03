/// The growable work-stealing deque of Chase and Lev: its owner pushes and pops at the bottom, newest first; thieves steal at
/// the top, oldest first. It knows no scheduler.
///
/// Threads: push, pop, pop_if_newest, begin_guard, expect_theft, newest, relabel, reserve and capacity, only the owner; all others, any
/// thread.
///
/// Invariants:
///   top_ only grows. The items with indices in [top_, bottom_) are in the deque, each in slot `index mod capacity` of the
///   newest buffer. An index is taken once: by the thief or the owner whose exchange moves top_ past it, or by the owner
///   without an exchange while top_ is below it and cannot pass it (see [last]).
///
/// Sources: D. Chase, Y. Lev, "Dynamic circular work-stealing deque", SPAA 2005. The memory orders follow N. M. Lê, A. Pop, A.
/// Cohen, F. Zappa Nardelli, "Correct and efficient work-stealing for weak memory models", PPoPP 2013. Here its two fences are
/// asymmetric: the owner's is free, the thief's is a membarrier(2). A deque that is often stolen from is *guarded*: its owner
/// makes a full fence at each pop, which takes some nanoseconds. Thieves then need no membarrier(2), which would cost them and
/// the owner microseconds. Thieves ask for the guard; the owner begins and ends it. bottom_ tells whether the deque is guarded,
/// so push and pop_if_newest need no extra check. detail/fork_join/README.md has the proof.
///
/// Pairs:
///   [item]    push, pop: bottom_.store(release)        ->   steal: bottom_.load(acquire)
///   [last]    pop: bottom_ store, light fence, top_ load  <->  steal: top_ load, heavy fence, bottom_ load;
///             while guarded, with seq_cst fences on both sides
///   [end]     pop: bottom_ store, seq_cst fence, top_ load  <->  steal: top_ load, seq_cst fence, bottom_ load
///   [taken]   steal, pop: top_ exchange (release)      ->   push: top_.load(acquire), before a slot is used again
///   [buffer]  grow: buffer_.store(release)             ->   steal: buffer_.load(acquire)
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/base/single_writer_counter.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/queue/steal_result.hpp"
#include "blitz/detail/wake/linger.hpp"

namespace blitz::detail {

/// An item is a pointer to T, or the type that `Slot` loads and stores instead. That type converts to such a pointer; its
/// default value converts to null.
template <class T, class Slot = Atomic<T*>>
class ChaseLevDeque {
 public:
  using Item = decltype(std::declval<const Slot&>().load(std::memory_order_relaxed));

  /// `capacity` is the number of items before the first growth, a power of two. Throws std::bad_alloc.
  explicit ChaseLevDeque(std::size_t capacity = 256)
      : bottom_(asymmetric_fences_available() ? 0 : kGuarded), limit_(static_cast<Index>(capacity)) {
    assert(std::has_single_bit(capacity));
    use(Owned(new Buffer(capacity)));
  }
  ChaseLevDeque(const ChaseLevDeque&) = delete;
  ChaseLevDeque& operator=(const ChaseLevDeque&) = delete;

  /// The position of a pushed item, for pop_if_newest: the index after it.
  using Place = std::int64_t;

  /// Makes room for `count` more items, so that `count` pushes do not throw. Throws std::bad_alloc; the deque is then
  /// unchanged.
  void reserve(std::size_t count) {
    make_room(index_of(bottom_.load(std::memory_order_relaxed)), static_cast<Index>(count));
  }

  /// Adds `item` at the bottom. O(1), amortised over growth. Throws std::bad_alloc; the deque is then unchanged.
  Place push(Item item) {
    const Index bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom >= limit_.load(std::memory_order_relaxed)) [[unlikely]] {
      push_slowly(item);
      return index_of(bottom_.load(std::memory_order_relaxed));
    }
    put(item, bottom);
    return bottom + 1;
  }

  /// Takes the newest item; null if there is none. Wait-free.
  [[nodiscard]] Item pop() noexcept {
    if (guarded() || asked()) [[unlikely]]
      return pop_guarded();
    const Index bottom = bottom_.load(std::memory_order_relaxed) - 1;
    // [last] Claims the item, then reads how far the thieves have come. [item] Release, like every store to bottom_: a thief
    // that reads this value must see the older items below it.
    bottom_.store(bottom, std::memory_order_release);
    compiler_fence();
    return take(bottom);
  }

  /// Takes the item at `place` if it is the newest and no thief has it. This is the item that was pushed there, unless the
  /// owner has popped it since: the caller must know that it has not.
  ///
  /// Like pop, but the slot is not read. The stored value does not depend on the load before it, which is only compared. Over a
  /// series of joins that halves the dependency chain through bottom_. This function ignores a request for a guard: the next
  /// push sees it.
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool pop_if_newest(Place place) noexcept {
    place = opaque(place);
    if (bottom_.load(std::memory_order_relaxed) != place) [[unlikely]]  // Always so while the deque is guarded.
      return pop_guarded_if_newest(place);
    const Index bottom = place - 1;
    bottom_.store(bottom, std::memory_order_release);  // [last]
    compiler_fence();
    if (top_.load(std::memory_order_relaxed) < bottom) [[likely]]
      return true;
    return pop_last(bottom) != nullptr;
  }

  /// Before steal: asks for a guard, and gives the owner some time. Returns false if the deque is empty.
  ///
  /// A single item is often the second half of a tiny join, which its owner will run before a thief could. It is not stolen if
  /// it disappears within the time that the theft would take, unless the owner expects the theft. With more items the owner is
  /// deep in a tree and the oldest item is the largest; the owner will soon see the request for a guard.
  [[nodiscard]] bool prepare_theft() noexcept {
    const Index top = top_.load(std::memory_order_acquire);
    const Index items = index_of(bottom_.load(std::memory_order_acquire)) - top;
    if (items <= 0) return false;
    const bool may_disappear = items == 1 && top > expected_.load(std::memory_order_relaxed);
    if (items > 1) ask_for_guard();
    for (int i = 0; i < kLooksBeforeTheft && (may_disappear || !guarded()); ++i) {
      if (empty()) return false;
      cpu_relax();
    }
    ask_for_guard();
    return true;
  }

  /// Takes the oldest item if `wanted(item)`; otherwise returns the same as for an empty deque. Lock-free. An empty deque costs
  /// two loads; a theft costs a heavy fence unless the deque is guarded.
  template <class Wanted>
  [[nodiscard]] StealResult<T> steal(Wanted&& wanted) noexcept {
    Index top = top_.load(std::memory_order_acquire);
    if (index_of(bottom_.load(std::memory_order_acquire)) - top <= 0) return StealResult<T>::empty();
    if (fence_and_load_bottom() - top <= 0) return StealResult<T>::empty();
    const Item item = buffer_.load(std::memory_order_acquire)->load(top);  // [buffer]
    if (!wanted(item)) return StealResult<T>::empty();
    // [taken] If the exchange succeeds no thread had taken this index, and the slot, read before it, was not reused
    // while top_ stayed the same.
    if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) {
      return StealResult<T>::lost();
    }
    return StealResult<T>::of(item);
  }
  [[nodiscard]] StealResult<T> steal() noexcept {
    return steal([](const Item&) noexcept { return true; });
  }
  /// The oldest item, or a null one if the deque is empty. A hint, hence relaxed. But after a heavy fence that follows a push,
  /// it is not null while that item is in the deque.
  [[nodiscard]] Item oldest() const noexcept {
    const Index top = top_.load(std::memory_order_relaxed);
    if (index_of(bottom_.load(std::memory_order_relaxed)) - top <= 0) return Item{};
    return buffer_.load(std::memory_order_acquire)->load(top);  // [buffer]
  }

  /// The item that pop takes, unless a thief has it. Before the first push, a null item.
  [[nodiscard]] Item newest() const noexcept {
    return slots_[(bottom_.load(std::memory_order_relaxed) - 1) & mask_].load(std::memory_order_relaxed);
  }
  /// Calls `change(item)` with each item, newest first, until it returns false. The changed item must convert to the same
  /// pointer; a thief may get either version.
  template <class Change>
  void relabel(Change&& change) noexcept {
    const Index top = top_.load(std::memory_order_relaxed);
    for (Index index = index_of(bottom_.load(std::memory_order_relaxed)); index-- > top;) {
      Item item = slots_[index & mask_].load(std::memory_order_relaxed);
      if (!change(item)) return;
      slots_[index & mask_].store(item, std::memory_order_relaxed);
    }
  }

  /// Asks the owner to guard the deque, from its next push or pop until no thief has come for a while. A request may be lost.
  void ask_for_guard() noexcept {
    if (!guarded()) limit_.store(kAsked, std::memory_order_relaxed);
  }
  /// Begins the guard: a thief has asked for it, or the owner expects one.
  void begin_guard() noexcept {
    limit_.store(kAsked + 1, std::memory_order_relaxed);  // The next push computes it.
    if (guarded()) return;
    bottom_.store(bottom_.load(std::memory_order_relaxed) + kGuarded, std::memory_order_release);  // [item]
    pops_on_guard_ = 0;
    stolen_before_ = stolen();
  }
  /// The owner knows that a thief will come for the newest item, or for the next one: begins the guard, and thieves do not wait
  /// to see whether the item disappears.
  void expect_theft() noexcept {
    expected_.store(index_of(bottom_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
    begin_guard();
  }
  /// Whether a theft now needs no heavy fence. For thieves this is a hint.
  [[nodiscard]] bool guarded() const noexcept { return is_guarded(bottom_.load(std::memory_order_relaxed)); }

  /// The number of items: exact for the owner while no thief is active, otherwise a snapshot.
  [[nodiscard]] std::size_t size() const noexcept {
    const Index top = top_.load(std::memory_order_acquire);
    const Index count = index_of(bottom_.load(std::memory_order_acquire)) - top;
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool empty() const noexcept {
    const Index top = top_.load(std::memory_order_acquire);
    return index_of(bottom_.load(std::memory_order_acquire)) <= top;
  }

  /// The number of slots in the newest buffer.
  [[nodiscard]] std::size_t capacity() const noexcept { return static_cast<std::size_t>(mask_) + 1; }

  /// The number of items that thieves have taken: exact for the owner, otherwise a snapshot.
  [[nodiscard]] std::uint64_t stolen() const noexcept {
    return static_cast<std::uint64_t>(top_.load(std::memory_order_relaxed)) - last_pops_.value();
  }

 private:
  using Index = Place;

  /// A ring of slots. It owns the ring that it replaced: a thief may still read from any of them, so they live as long as the
  /// deque. Each is at most half as long as the next, so the retired ones together are shorter than the newest.
  class Buffer {
   public:
    explicit Buffer(std::size_t capacity)
        : mask_(static_cast<Index>(capacity) - 1), slots_(make_array<Slot>(capacity)) {}

    [[nodiscard]] Slot& slot(Index index) noexcept { return slots_[static_cast<std::size_t>(index & mask_)]; }
    [[nodiscard]] Item load(Index index) noexcept { return slot(index).load(std::memory_order_relaxed); }
    [[nodiscard]] Index mask() const noexcept { return mask_; }
    [[nodiscard]] Slot* slots() noexcept { return slots_.get(); }

    Owned<Buffer> retired;

   private:
    Index mask_;
    OwnedArray<Slot> slots_;
  };

  /// While the deque is guarded, bottom_ is the index plus kGuarded. So it is then at least limit_, and equals no place.
  static constexpr Index kGuarded = Index{1} << 62;
  /// The value of limit_ while a thief asks for a guard.
  static constexpr Index kAsked = 0;

  [[nodiscard]] static bool is_guarded(Index bottom) noexcept { return bottom >= kGuarded / 2; }
  /// From -1, in a pop from an empty deque, to less than kGuarded / 2.
  [[nodiscard]] static Index index_of(Index bottom) noexcept { return bottom << 2 >> 2; }
  [[nodiscard]] bool asked() const noexcept { return limit_.load(std::memory_order_relaxed) == kAsked; }

  /// pop with a full fence. Begins the guard, or ends it.
  [[nodiscard, gnu::noinline]] Item pop_guarded() noexcept {
    const bool begins = asked();
    if (begins) begin_guard();
    Index bottom = bottom_.load(std::memory_order_relaxed) - 1;
    if (!begins && ++pops_on_guard_ == kPopsOnGuard) {
      const std::uint64_t now = stolen();
      if (now == stolen_before_ && asymmetric_fences_available()) bottom -= kGuarded;
      pops_on_guard_ = 0;
      stolen_before_ = now;
    }
    bottom_.store(bottom, std::memory_order_release);  // [last] [end]
    seq_cst_fence();                                   // [last] [end]
    return take(index_of(bottom));
  }

  /// The thief's half of [last], after its load of top_.
  [[nodiscard]] Index fence_and_load_bottom() const noexcept {
    seq_cst_fence();                                               // [last] [end]
    const Index bottom = bottom_.load(std::memory_order_acquire);  // [item]
    if (is_guarded(bottom)) return index_of(bottom);
    asymmetric_heavy_fence();                                  // [last]
    return index_of(bottom_.load(std::memory_order_acquire));  // [item]
  }

  /// Makes `buffer` the newest.
  void use(Owned<Buffer> buffer) noexcept {
    mask_ = buffer->mask();
    slots_ = buffer->slots();
    buffer->retired = std::move(owned_);
    buffer_.store(buffer.get(), std::memory_order_release);  // [buffer]
    owned_ = std::move(buffer);
  }

  [[nodiscard, gnu::noinline]] bool pop_guarded_if_newest(Place place) noexcept {
    return bottom_.load(std::memory_order_relaxed) == place + kGuarded && pop_guarded() != nullptr;
  }

  /// Takes the item that the owner has claimed by its store to bottom_ and the fence after it, unless a thief has it.
  [[nodiscard]] BLITZ_ALWAYS_INLINE Item take(Index index) noexcept {
    if (top_.load(std::memory_order_relaxed) < index) [[likely]]
      return slots_[index & mask_].load(std::memory_order_relaxed);
    return pop_last(index);
  }

  /// The deque held at most one item: the exchange decides whether the owner or a thief takes it.
  [[nodiscard, gnu::noinline]] Item pop_last(Index index) noexcept {
    Item item{};
    Index top = top_.load(std::memory_order_relaxed);
    if (top == index) {
      item = slots_[index & mask_].load(std::memory_order_relaxed);
      if (top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) {
        last_pops_.add();
      } else {
        item = Item{};
      }
    }
    bottom_.store(bottom_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return item;
  }

  BLITZ_ALWAYS_INLINE void put(Item item, Index bottom) noexcept {
    slots_[bottom & mask_].store(item, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_release);  // [item]
  }

  /// The rest of push: the deque is guarded, a thief asks for a guard, or there may be no room.
  BLITZ_COLD void push_slowly(Item item) {
    if (asked()) begin_guard();
    const Index bottom = bottom_.load(std::memory_order_relaxed);
    const Index index = index_of(bottom);
    if (index >= limit_.load(std::memory_order_relaxed)) make_room(index, 1);
    put(item, bottom);
  }

  /// Raises limit_ as far as top_ allows, after growth if `count` items from `bottom`, an index, need it.
  void make_room(Index bottom, Index count) {
    const Index top = top_.load(std::memory_order_acquire);  // [taken]
    const std::size_t size = std::bit_ceil(static_cast<std::size_t>(bottom - top + count));
    if (size > capacity()) {
      Owned grown(new Buffer(size));
      for (Index index = top; index < bottom; ++index) {
        grown->slot(index).store(owned_->load(index), std::memory_order_relaxed);
      }
      use(std::move(grown));
    }
    limit_.store(top + mask_ + 1, std::memory_order_relaxed);
  }

  // Written by thieves, and by the owner for its last item: in a separate cache line, because every push writes the next one.
  alignas(kCacheLine) Atomic<Index> top_{0};

  // The owner's line. Thieves read bottom_ and buffer_; they write limit_, rarely, to ask for a guard.
  alignas(kCacheLine) Atomic<Index> bottom_;
  Index mask_ = 0;                   // of the newest buffer
  Slot* slots_ = nullptr;            // of the newest buffer
  Atomic<Buffer*> buffer_{nullptr};  // the newest buffer
  Owned<Buffer> owned_;              // owns the newest buffer
  Atomic<Index> limit_;              // the index at which push must make room: at most top_ + capacity; or kAsked
  SingleWriterCounter last_pops_;    // items that the owner took by an exchange
  Atomic<Index> expected_{-1};       // thieves are expected for the items up to this index; a hint for thieves
  std::uint32_t pops_on_guard_ = 0;  // since the last check whether thieves still come
  std::uint64_t stolen_before_ = 0;  // stolen() at that check
};

}  // namespace blitz::detail
