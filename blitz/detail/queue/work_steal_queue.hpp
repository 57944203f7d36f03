/// The ring of the async backend: its owner pushes at the tail and pops at the head, oldest first. A thief moves half of it
/// into its own ring in one theft. A full ring overflows, half a ring at a time. It knows no pool.
///
/// Threads: steal_into (as the source), size and empty, any thread; all others, and steal_into as the destination, only the
/// owner.
///
/// The head is one word of three fields:
///
///   bits  0..15   real    the oldest item that no thread has claimed
///   bits 16..31   steal   the oldest slot that a thief may still read; equal to real if no theft is in progress
///   bits 32..63   tag     incremented by every change of the word, so that an exchange prepared from an old head fails,
///                         unless 2^32 changes came within one theft
///
/// Invariants: steal <= real <= tail <= steal + capacity, in arithmetic modulo 2^16, except that take_newest lowers the tail by
/// one for a moment. The items [real, tail) are in the ring, item i in slot `i mod capacity`. An item is taken once: by the
/// thread that moves real past it, or by the owner, which lowers the tail below it. Slots [steal, tail) are not written.
///
/// A theft of several items has three phases. An exchange of the head claims them: real moves, steal stays, which excludes a
/// second theft. Then they are copied. Another exchange lets steal follow. All items except the returned one are in the thief's
/// ring before the third phase. The owner takes the newest item with one exchange: it lowers the tail, then changes the tag.
/// detail/async/README.md proves that no item is taken twice.
///
/// Sources: the run queue of Tokio's multi-threaded scheduler, itself based on Go's. The tag and take_newest are additions.
///
/// Pairs:
///   [item]    push, steal_into: tail_.store(release)              ->  steal_into: tail_.load(acquire)
///   [newest]  take_newest: tail_ store, head_ exchange (release)  ->  steal_into: head_.load(acquire), then the tail_ load
///   [room]    steal_into: head_ exchange (release) after the copy ->  push, room: head_.load(acquire), before a slot is
///                                                                     used again
///   [moved]   steal_into: tail_ of the destination, then head_ exchange (release)  ->  size: head_.load(acquire)
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/queue/steal_result.hpp"

namespace blitz::detail {

/// The destination of a full ring's items. It gets them oldest first, in one call.
template <class S, class T>
concept OverflowSink = requires(S& sink, std::span<T* const> items) {
  { sink.push_batch(items) } noexcept;
};

template <class T, std::size_t Capacity = 256>
class WorkStealQueue {
  // Distances are signed 16-bit numbers, and a tail and a head read at different times may be two capacities apart.
  static_assert(std::has_single_bit(Capacity) && Capacity >= 2 && Capacity <= 1 << 14);

 public:
  static constexpr std::size_t kCapacity = Capacity;
  /// The maximum that one theft takes, and the number of items in an overflow.
  static constexpr std::size_t kHalf = Capacity / 2;

  /// Adds `item` as the newest. If there is no room, the older half goes to `sink`, or only `item` itself while a thief copies.
  /// Returns the number of items that went there. Wait-free, except for the sink and for races lost to thieves.
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

  /// The number of items that fit before the ring overflows; thieves may make room for more.
  [[nodiscard]] std::size_t room() const noexcept {
    const Head head(head_.load(std::memory_order_acquire));  // [room]
    return kCapacity - distance(head.steal(), tail_.load(std::memory_order_relaxed));
  }
  /// Adds `item` as the newest. Requires room() > 0.
  void push_into_room(T* item) noexcept {
    assert(room() > 0);
    put(tail_.load(std::memory_order_relaxed), item);
  }

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
        return slot(head.real()).load(std::memory_order_relaxed);  // Only the owner writes to its slots.
      }
    }
  }

  [[nodiscard]] T* take_newest() noexcept {
    const Index tail = tail_.load(std::memory_order_relaxed);
    std::uint64_t word = head_.load(std::memory_order_relaxed);
    if (Head(word).real() == tail) return nullptr;
    const Index newest = index(tail - 1);
    // [item] Release, like every store to tail_: a thief that reads this value must see the older items below it.
    tail_.store(newest, std::memory_order_release);
    for (;;) {
      const Head head(word);
      if (head.real() == tail) {  // A thief that had read the tail before has claimed it.
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

  /// Takes `item` if it is the newest. It must not have been taken from the ring before.
  [[nodiscard]] bool take_newest_if(const T* item) noexcept {
    const Index tail = tail_.load(std::memory_order_relaxed);
    return slot(index(tail - 1)).load(std::memory_order_relaxed) == item && take_newest() != nullptr;
  }

  /// Steals half of the items, rounded up, but at most kHalf, `most`, and the room in `thief` plus one. Returns the oldest. The
  /// others are moved to `thief`, which is the caller's own ring and not this one.
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
      T* const item = slot(head.real()).load(std::memory_order_relaxed);  // Not written while the head is unchanged.
      if (!head_.compare_exchange_strong(word, head.changed(end, end).word(), std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
        return StealResult<T>::lost();
      }
      return StealResult<T>::of(item);
    }

    // Claim. Acquire: the copies come after it. Release: a thread that reads this head sees the tail that this thread saw.
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
    // Release the slots to the owner.
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

  /// The number of items, without those that a thief has claimed: exact for the owner while no thief is active,
  /// otherwise a snapshot.
  [[nodiscard]] std::size_t size() const noexcept {
    const Head head(head_.load(std::memory_order_acquire));             // [moved] Before the tail, as in steal_into.
    return length(head.real(), tail_.load(std::memory_order_acquire));  // [item]
  }
  /// False if there is an item that no thread takes during this call.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  template <class, std::size_t>
  friend class WorkStealQueue;

  using Index = std::uint16_t;

  /// One value of the head.
  class Head {
   public:
    constexpr explicit Head(std::uint64_t word) noexcept : word_(word) {}

    [[nodiscard]] constexpr Index real() const noexcept { return static_cast<Index>(word_); }
    [[nodiscard]] constexpr Index steal() const noexcept { return static_cast<Index>(word_ >> 16); }
    [[nodiscard]] constexpr bool stolen_from() const noexcept { return steal() != real(); }
    [[nodiscard]] constexpr std::uint64_t word() const noexcept { return word_; }

    /// The next value: other indices, and the next tag.
    [[nodiscard]] constexpr Head changed(Index steal, Index real) const noexcept {
      const std::uint64_t tag = (word_ >> 32) + 1;
      return Head(tag << 32 | std::uint64_t{steal} << 16 | real);
    }

   private:
    std::uint64_t word_;
  };

  [[nodiscard]] static constexpr Index index(std::size_t i) noexcept { return static_cast<Index>(i); }
  [[nodiscard]] static constexpr std::size_t distance(Index from, Index to) noexcept { return index(to - from); }
  /// The distance, or 0 if the tail, read at another time, is before the head.
  [[nodiscard]] static constexpr std::size_t length(Index real, Index tail) noexcept {
    const auto count = static_cast<std::int16_t>(index(tail - real));
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  }

  [[nodiscard]] Atomic<T*>& slot(Index i) noexcept { return slots_[i & (Capacity - 1)]; }

  void put(Index tail, T* item) noexcept {
    slot(tail).store(item, std::memory_order_relaxed);
    tail_.store(index(tail + 1), std::memory_order_release);  // [item]
  }

  // Called by the owner as a thief.
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
        // The slots are not free before the thief is done, which may take long.
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

  // Written by the owner's pops and by thieves: in a separate cache line, because every push writes the tail.
  alignas(kCacheLine) Atomic<std::uint64_t> head_{0};
  // Written by the owner, read by thieves.
  alignas(kCacheLine) Atomic<Index> tail_{0};
  alignas(kCacheLine) std::array<Atomic<T*>, Capacity> slots_{};
};

}  // namespace blitz::detail
