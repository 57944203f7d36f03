/// The ring of the async backend: its owner pushes at the tail and pops at the head, oldest first; a thief takes half of
/// it at once, into a ring of its own. What does not fit overflows, half a ring at a time. It knows no pool.
///
/// Who may call what: push, room, pop, take_newest, take_newest_if, and steal_into as the destination, the owner alone;
/// steal_into as the source, empty and size, anyone.
///
/// The head is one word of three fields:
///
///   bits  0..15   real    the oldest item that nobody has claimed
///   bits 16..31   steal   the oldest slot that a thief may still be reading; equal to real while no theft is under way
///   bits 32..63   tag     goes up with every change of the word
///
/// Invariants: steal <= real <= tail <= steal + capacity, in arithmetic modulo 2^16, but that take_newest lowers the tail
/// by one for a moment. The items [real, tail) are in the ring, item i in slot `i mod capacity`. An item is taken once, by
/// whoever moves real past it, or by the owner, who lowers the tail below it. Slots [steal, tail) are not written.
///
/// A theft of several items has three phases: an exchange of the head claims them (real moves, steal stays, and there is
/// no second theft meanwhile), they are copied, and another exchange lets steal follow. What the thief takes besides the
/// item that it returns is in its own ring before the third phase.
///
/// An exchange that was prepared from an old head fails, whatever has happened since: the tag differs, unless it has
/// come around, by 2^32 changes within one theft. That is also what lets the owner take the newest item with no more
/// than an exchange: it lowers the tail and then changes the tag. A thief that counted the newest item as there has read
/// the head before that change, so its claim comes before it, and the owner sees it, or fails.
///
/// Sources: the run queue of Tokio's multi-threaded scheduler, itself after that of Go; the tag and take_newest are ours.
///
/// Pairs:
///   [item]   push, steal_into: tail_.store(release)            ->  steal_into: tail_.load(acquire)
///   [newest] take_newest: tail_ store, head_ exchange (release) ->  steal_into: head_.load(acquire), then the tail_ load
///   [room]   steal_into: head_ exchange (release) after the copy ->  push, steal_into: head_.load(acquire), before a slot
///                                                                    is used again
///   [moved]   steal_into: tail_ of the destination, then head_ exchange (release) -> empty: head_.load(acquire)
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"
#include "blitz/base/export.hpp"
#include "blitz/base/steal_result.hpp"

namespace blitz::detail {

/// Where a full ring sends its items, oldest first: all of them in one call.
template <class S, class T>
concept OverflowSink = requires(S& sink, std::span<T* const> items) {
  { sink.push_batch(items) } noexcept;
};

template <class T, std::size_t Capacity = 256>
class WorkStealQueue {
  // Distances are read as signed 16-bit numbers, and a tail and a head that were read at different times may lie two
  // capacities apart.
  static_assert(std::has_single_bit(Capacity) && Capacity >= 2 && Capacity <= 1 << 14);

 public:
  /// The most that one theft takes, and what an overflow sends away.
  static constexpr std::size_t kHalf = Capacity / 2;

  WorkStealQueue() = default;
  WorkStealQueue(const WorkStealQueue&) = delete;
  WorkStealQueue& operator=(const WorkStealQueue&) = delete;

  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return Capacity; }

  /// Adds `item` as the newest. If there is no room, the older half goes to `sink`, or, while a thief is copying, the item
  /// itself. Returns how many items went there. Wait-free, but for the sink and for races lost to thieves.
  template <OverflowSink<T> Sink>
  std::size_t push(T* item, Sink& sink) noexcept {
    const Index tail = tail_.load(std::memory_order_relaxed);
    const Head head(head_.load(std::memory_order_acquire));  // [room]
    if (distance(head.steal(), tail) < kCapacity) [[likely]] {
      put(tail, item);
      return 0;
    }
    return push_full(item, head, sink);
  }

  /// How many items may be pushed before anything overflows: at least so many.
  [[nodiscard]] std::size_t room() const noexcept {
    const Head head(head_.load(std::memory_order_acquire));  // [room]
    return kCapacity - distance(head.steal(), tail_.load(std::memory_order_relaxed));
  }
  /// As push, where there is room.
  void push_into_room(T* item) noexcept {
    assert(room() > 0);
    put(tail_.load(std::memory_order_relaxed), item);
  }

  /// Takes the oldest item; null when there is none.
  [[nodiscard]] T* pop() noexcept {
    const Index tail = tail_.load(std::memory_order_relaxed);
    std::uint64_t word = head_.load(std::memory_order_relaxed);
    for (;;) {
      const Head head(word);
      if (head.real() == tail) return nullptr;
      const Index next = index(head.real() + 1);
      // [newest] Release: a thief that reads this head must see the tail that goes with it.
      if (head_.compare_exchange_weak(word, head.changed(head.stolen_from() ? head.steal() : next, next).word(),
                                      std::memory_order_release, std::memory_order_relaxed)) {
        return slot(head.real()).load(std::memory_order_relaxed);  // Only the owner ever writes to its slots.
      }
    }
  }

  /// Takes the newest item; null when there is none.
  [[nodiscard]] T* take_newest() noexcept {
    const Index tail = tail_.load(std::memory_order_relaxed);
    std::uint64_t word = head_.load(std::memory_order_relaxed);
    if (Head(word).real() == tail) return nullptr;
    const Index newest = index(tail - 1);
    // [item] Release, as every store to tail_: a thief that reads this value must see the items that it still covers.
    tail_.store(newest, std::memory_order_release);
    for (;;) {
      const Head head(word);
      if (head.real() == tail) {  // A thief claimed it, from a tail that it had read before.
        tail_.store(tail, std::memory_order_release);
        return nullptr;
      }
      // [newest]
      if (head_.compare_exchange_weak(word, head.changed(head.steal(), head.real()).word(), std::memory_order_release,
                                      std::memory_order_relaxed)) {
        return slot(newest).load(std::memory_order_relaxed);
      }
    }
  }

  /// Takes `item` if it is the newest. It must not be one that was in the ring before and has been taken since.
  [[nodiscard]] bool take_newest_if(const T* item) noexcept {
    const Index tail = tail_.load(std::memory_order_relaxed);
    return slot(index(tail - 1)).load(std::memory_order_relaxed) == item && take_newest() != nullptr;
  }

  /// Steals half of the items, rounded up, but at most kHalf, `most`, and what `thief` has room for. Returns the oldest;
  /// the others are moved to `thief`, the caller's own ring, which is not this one.
  template <std::size_t Other>
  [[nodiscard]] StealResult<T> steal_into(WorkStealQueue<T, Other>& thief, std::size_t most = kHalf) noexcept {
    std::uint64_t word = head_.load(std::memory_order_acquire);  // [newest]
    const Head head(word);
    if (head.stolen_from()) return StealResult<T>::lost();
    const std::size_t count = length(head.real(), tail_.load(std::memory_order_acquire));  // [item]
    if (count == 0) return StealResult<T>::empty();
    const std::size_t wanted = std::min({count - count / 2, kHalf, most, 1 + thief.room()});
    const Index end = index(head.real() + wanted);

    if (wanted == 1) {
      T* const item = slot(head.real()).load(std::memory_order_relaxed);  // Not written while the head stands still.
      if (!head_.compare_exchange_strong(word, head.changed(end, end).word(), std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
        return StealResult<T>::lost();
      }
      return StealResult<T>::of(item);
    }

    // Claim. Acquire keeps the copying behind it; release: whoever reads this head sees what this thread saw of the tail.
    if (!head_.compare_exchange_strong(word, head.changed(head.steal(), end).word(), std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
      return StealResult<T>::lost();
    }
    // Copy.
    T* const first = slot(head.real()).load(std::memory_order_relaxed);
    for (std::size_t i = 1; i < wanted; ++i) {
      thief.put_ahead(i - 1, slot(index(head.real() + i)).load(std::memory_order_relaxed));
    }
    thief.publish(wanted - 1);  // [moved]
    // Release: the slots are the owner's again.
    word = head_.load(std::memory_order_relaxed);
    for (;;) {
      const Head now(word);
      assert(now.steal() == head.steal());
      // [room] [moved]
      if (head_.compare_exchange_weak(word, now.changed(now.real(), now.real()).word(), std::memory_order_release,
                                      std::memory_order_relaxed)) {
        return StealResult<T>::of(first, static_cast<std::uint32_t>(wanted - 1));
      }
    }
  }

  /// How many items are there: exact for the owner while no thief is at work, and otherwise a moment's impression. What a
  /// thief has claimed does not count.
  [[nodiscard]] std::size_t size() const noexcept {
    const Head head(head_.load(std::memory_order_acquire));  // [moved] The head first: the tail belongs to it.
    return length(head.real(), tail_.load(std::memory_order_acquire));  // [item]
  }
  /// False if there is an item that nobody takes during this call.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  template <class, std::size_t>
  friend class WorkStealQueue;

  using Index = std::uint16_t;
  static constexpr std::size_t kCapacity = Capacity;

  /// One value of the head.
  class Head {
   public:
    constexpr explicit Head(std::uint64_t word) noexcept : word_(word) {}

    [[nodiscard]] constexpr Index real() const noexcept { return static_cast<Index>(word_); }
    [[nodiscard]] constexpr Index steal() const noexcept { return static_cast<Index>(word_ >> 16); }
    [[nodiscard]] constexpr bool stolen_from() const noexcept { return steal() != real(); }
    [[nodiscard]] constexpr std::uint64_t word() const noexcept { return word_; }

    /// The value that follows this one: other indices, and the next tag.
    [[nodiscard]] constexpr Head changed(Index steal, Index real) const noexcept {
      const std::uint64_t tag = (word_ >> 32) + 1;
      return Head(tag << 32 | std::uint64_t{steal} << 16 | real);
    }

   private:
    std::uint64_t word_;
  };

  [[nodiscard]] static constexpr Index index(std::size_t i) noexcept { return static_cast<Index>(i); }
  [[nodiscard]] static constexpr std::size_t distance(Index from, Index to) noexcept { return index(to - from); }
  /// As distance, of two that were not read at once: the tail may seem to be before the head.
  [[nodiscard]] static constexpr std::size_t length(Index real, Index tail) noexcept {
    const auto count = static_cast<std::int16_t>(index(tail - real));
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  }

  [[nodiscard]] Atomic<T*>& slot(Index i) noexcept { return slots_[i & (Capacity - 1)]; }

  void put(Index tail, T* item) noexcept {
    slot(tail).store(item, std::memory_order_relaxed);
    tail_.store(index(tail + 1), std::memory_order_release);  // [item]
  }

  // The owner's, as a thief.
  void put_ahead(std::size_t offset, T* item) noexcept {
    slot(index(tail_.load(std::memory_order_relaxed) + offset)).store(item, std::memory_order_relaxed);
  }
  void publish(std::size_t count) noexcept {
    tail_.store(index(tail_.load(std::memory_order_relaxed) + count), std::memory_order_release);  // [item]
  }

  template <class Sink>
  BLITZ_COLD std::size_t push_full(T* item, Head head, Sink& sink) noexcept {
    const Index tail = tail_.load(std::memory_order_relaxed);
    std::uint64_t word = head.word();
    for (;;) {
      head = Head(word);
      if (distance(head.steal(), tail) < kCapacity) {
        put(tail, item);
        return 0;
      }
      if (head.stolen_from()) {
        // The slots are not free before the thief is done, and it would be waited for here.
        sink.push_batch(std::span<T* const>(&item, 1));
        return 1;
      }
      const Index middle = index(head.real() + kHalf);
      // [newest] [room]
      if (!head_.compare_exchange_weak(word, head.changed(middle, middle).word(), std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
        continue;
      }
      std::array<T*, kHalf> older;
      for (std::size_t i = 0; i < kHalf; ++i) {
        older[i] = slot(index(head.real() + i)).load(std::memory_order_relaxed);
      }
      sink.push_batch(std::span<T* const>(older));
      put(tail, item);
      return kHalf;
    }
  }

  // Written by the owner when it pops, and by thieves: a line of its own, away from what every push writes.
  alignas(kCacheLine) Atomic<std::uint64_t> head_{0};
  // Written by the owner, read by thieves.
  alignas(kCacheLine) Atomic<Index> tail_{0};
  alignas(kCacheLine) std::array<Atomic<T*>, Capacity> slots_{};
};

}  // namespace blitz::detail
