/// The word of the async idle protocol: how many workers search, and which slots are parked. It serves up to kSlots
/// slots; a larger pool has several words.
///
///   bits  0..15   parked     a bit for each slot that may be claimed; the thread that clears the bit has the slot
///   bits 16..63   searching  workers that search for work, and those that were claimed for that and are being woken
///
/// Its workers write the word whenever they begin or end a search, and so contend for its cache line. With 48 slots in each
/// word, loops on many workers are slower (bench/simulation/README.md).
///
/// No slot is in both fields. Parking, waking and giving up a search each change both fields in one step, so the count is
/// always exact.
///
/// Every transition is a method, and sequentially consistent. Any thread may call any of them, in the states that their
/// comments name.
///
/// Source: the idle state of Tokio's multi-threaded scheduler, with a bitmap instead of its list of sleepers.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"

namespace blitz::detail {

/// One value of the word.
class IdleWord {
 public:
  static constexpr std::size_t kSlots = 16;

  constexpr explicit IdleWord(std::uint64_t word) noexcept : word_(word) {}

  [[nodiscard]] constexpr std::size_t searching() const noexcept { return word_ >> kSlots; }
  [[nodiscard]] constexpr std::size_t parked() const noexcept {
    return static_cast<std::size_t>(std::popcount(word_ & kParked));
  }
  [[nodiscard]] constexpr bool any_searching() const noexcept { return word_ > kParked; }
  [[nodiscard]] constexpr bool any_parked() const noexcept { return (word_ & kParked) != 0; }
  /// The union of both, for any_searching() and any_parked(); its searching() and parked() are meaningless.
  [[nodiscard]] constexpr IdleWord operator|(IdleWord other) const noexcept { return IdleWord(word_ | other.word_); }
  [[nodiscard]] constexpr bool is_parked(std::size_t bit) const noexcept { return (word_ >> bit & 1) != 0; }
  /// The lowest parked bit. Requires any_parked().
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

  /// A worker begins to search, unless `most` workers search already; `others` of them are counted in other words.
  [[nodiscard]] bool try_search(std::size_t most, std::size_t others) noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (IdleWord(word).searching() + others < most) {
      if (word_.compare_exchange_weak(word, word + kOneSearching, std::memory_order_seq_cst)) return true;
    }
    return false;
  }

  void stop_searching() noexcept {
    [[maybe_unused]] const IdleWord old(word_.fetch_sub(kOneSearching, std::memory_order_seq_cst));
    assert(old.any_searching());
  }

  /// The runner of a slot parks it. `searching`: the runner is counted as searching.
  void park(std::size_t bit, bool searching) noexcept {
    const std::uint64_t change = mask(bit) - (searching ? kOneSearching : 0);
    [[maybe_unused]] const IdleWord old(word_.fetch_add(change, std::memory_order_seq_cst));
    assert(!old.is_parked(bit) && (!searching || old.any_searching()));
  }

  /// Claims the lowest parked slot, to have it search. None if no slot is parked, or if `enough` workers search.
  [[nodiscard]] std::optional<std::size_t> claim_any(std::size_t enough) noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (IdleWord(word).any_parked() && IdleWord(word).searching() < enough) {
      const std::size_t bit = IdleWord(word).first_parked();
      if (word_.compare_exchange_weak(word, word - mask(bit) + kOneSearching, std::memory_order_seq_cst)) return bit;
    }
    return std::nullopt;
  }

  /// Claims this slot, to have it search. False if it is not parked.
  [[nodiscard]] bool claim(std::size_t bit) noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (IdleWord(word).is_parked(bit)) {
      if (word_.compare_exchange_weak(word, word - mask(bit) + kOneSearching, std::memory_order_seq_cst)) return true;
    }
    return false;
  }

  /// Claims this slot for a thread that runs a job in it, or for its own runner. False if it is not parked.
  [[nodiscard]] bool unpark(std::size_t bit) noexcept {
    return IdleWord(word_.fetch_and(~mask(bit), std::memory_order_seq_cst)).is_parked(bit);
  }

  void add_searching() noexcept { word_.fetch_add(kOneSearching, std::memory_order_seq_cst); }

 private:
  static constexpr std::uint64_t kOneSearching = IdleWord::kOneSearching;
  [[nodiscard]] static constexpr std::uint64_t mask(std::size_t bit) noexcept { return std::uint64_t{1} << bit; }

  // Read by every push; written by workers that go idle or are woken.
  alignas(kCacheLine) Atomic<std::uint64_t> word_{0};
};

}  // namespace blitz::detail
