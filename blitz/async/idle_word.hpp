/// The word on which idle workers agree: how many search, and which ones are parked. It serves up to kSlots slots of a
/// pool; a larger pool has several.
///
///   bits  0..47   parked     slots that a waker may claim, by clearing the bit: whoever clears it has the slot
///   bits 48..63   searching  workers that look for work, and those that were claimed for it and are on their way
///
/// A slot is never in both. That parking, waking and giving up a search each change both fields in one step is what
/// keeps the count right: it neither drops below zero nor keeps a searcher that is none.
///
/// Every transition is a method, and sequentially consistent. Any thread may call any of them, in the states their
/// comments name.
///
/// Source: the idle state of Tokio's multi-threaded scheduler, with a bitmap in the place of its list of sleepers.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"

namespace blitz::detail {

/// One value of the word.
class IdleWord {
 public:
  static constexpr std::size_t kSlots = 48;

  constexpr explicit IdleWord(std::uint64_t word) noexcept : word_(word) {}

  [[nodiscard]] constexpr std::size_t searching() const noexcept { return word_ >> kSlots; }
  [[nodiscard]] constexpr std::size_t parked() const noexcept {
    return static_cast<std::size_t>(std::popcount(word_ & kParked));
  }
  [[nodiscard]] constexpr bool any_searching() const noexcept { return word_ > kParked; }
  [[nodiscard]] constexpr bool any_parked() const noexcept { return (word_ & kParked) != 0; }
  [[nodiscard]] constexpr bool is_parked(std::size_t bit) const noexcept { return (word_ >> bit & 1) != 0; }
  /// The lowest bit; there must be one.
  [[nodiscard]] constexpr std::size_t first_parked() const noexcept {
    assert(any_parked());
    return static_cast<std::size_t>(std::countr_zero(word_));
  }

 private:
  friend class AtomicIdleWord;
  static constexpr std::uint64_t kParked = (std::uint64_t{1} << kSlots) - 1;
  static constexpr std::uint64_t kOneSearching = std::uint64_t{1} << kSlots;

  std::uint64_t word_;
};

class AtomicIdleWord {
 public:
  /// Parks `slots` slots, before the word is shared.
  void begin(std::size_t slots) noexcept {
    assert(slots <= IdleWord::kSlots);
    word_.store((std::uint64_t{1} << slots) - 1, std::memory_order_relaxed);
  }

  [[nodiscard]] IdleWord load(std::memory_order order) const noexcept { return IdleWord(word_.load(order)); }

  /// A worker that runs begins to search, unless `most` do already.
  ///
  /// `others`: how many search by other words.
  [[nodiscard]] bool try_search(std::size_t most, std::size_t others) noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (IdleWord(word).searching() + others < most) {
      if (word_.compare_exchange_weak(word, word + kOneSearching, std::memory_order_seq_cst)) return true;
    }
    return false;
  }

  /// A worker stops searching: it has found something.
  void stop_searching() noexcept {
    [[maybe_unused]] const IdleWord old(word_.fetch_sub(kOneSearching, std::memory_order_seq_cst));
    assert(old.any_searching());
  }

  /// The runner of a slot parks it; `searching`: it has been searching. Returns the value after it.
  IdleWord park(std::size_t bit, bool searching) noexcept {
    const std::uint64_t change = mask(bit) - (searching ? kOneSearching : 0);
    const IdleWord old(word_.fetch_add(change, std::memory_order_seq_cst));
    assert(!old.is_parked(bit) && (!searching || old.any_searching()));
    return IdleWord(old.word_ + change);
  }

  /// Claims a slot to have it search: the lowest that is parked. None if none is, or if somebody searches.
  [[nodiscard]] std::optional<std::size_t> claim_any() noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (IdleWord(word).any_parked() && !IdleWord(word).any_searching()) {
      const std::size_t bit = IdleWord(word).first_parked();
      if (word_.compare_exchange_weak(word, word - mask(bit) + kOneSearching, std::memory_order_seq_cst)) return bit;
    }
    return std::nullopt;
  }

  /// Claims this slot to have it search. False if it is not parked.
  [[nodiscard]] bool claim(std::size_t bit) noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (IdleWord(word).is_parked(bit)) {
      if (word_.compare_exchange_weak(word, word - mask(bit) + kOneSearching, std::memory_order_seq_cst)) return true;
    }
    return false;
  }

  /// Claims this slot, for a thread that runs a job in it, or, if its own runner calls this, takes it back. False if it
  /// is not parked.
  [[nodiscard]] bool unpark(std::size_t bit) noexcept {
    return IdleWord(word_.fetch_and(~mask(bit), std::memory_order_seq_cst)).is_parked(bit);
  }

  /// A slot that nobody else can claim is sent to search.
  void add_searching() noexcept { word_.fetch_add(kOneSearching, std::memory_order_seq_cst); }

 private:
  static constexpr std::uint64_t kOneSearching = IdleWord::kOneSearching;
  [[nodiscard]] static constexpr std::uint64_t mask(std::size_t bit) noexcept { return std::uint64_t{1} << bit; }

  alignas(kCacheLine) Atomic<std::uint64_t> word_{
      0};  // read by every push, written by workers that go idle or are woken
};

}  // namespace blitz::detail
