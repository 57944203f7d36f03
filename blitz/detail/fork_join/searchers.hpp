/// How many slots search for work, in words of kSlotsOfWord slots: workers that begin or end searches at the same time wait only for
/// those of the same word.
///
/// All members are sequentially consistent except the hints: of two slots that leave at the same time, one sees no searcher. Any
/// thread may call them.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/wake/linger.hpp"

namespace blitz::detail {

class Searchers {
 public:
  /// None of `slots` slots searches. Throws std::bad_alloc.
  explicit Searchers(std::size_t slots)
      : count_((slots + kSlotsOfWord - 1) / kSlotsOfWord), words_(make_array<Word>(count_)) {}

  /// `slot` begins to search, or is being woken to search.
  void add(std::size_t slot) noexcept {
    [[maybe_unused]] const std::uint32_t old = word_of(slot).fetch_add(1, std::memory_order_seq_cst);
    assert(old < kSlotsOfWord);
  }
  /// `slot` ends its search.
  void sub(std::size_t slot) noexcept {
    [[maybe_unused]] const std::uint32_t old = word_of(slot).fetch_sub(1, std::memory_order_seq_cst);
    assert(old > 0);
  }
  /// Whether more than `others` slots search. O(slots).
  [[nodiscard]] bool more_than(std::size_t others) const noexcept {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      sum += words_[i].searching.load(std::memory_order_seq_cst);
      if (sum > others) return true;
    }
    return false;
  }
  /// Relaxed: a hint.
  [[nodiscard]] std::size_t hint() const noexcept {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += words_[i].searching.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  struct alignas(kCacheLine) Word {
    Atomic<std::uint32_t> searching{0};  // written by its slots, and by those that wake them; read by posters
  };

  [[nodiscard]] Atomic<std::uint32_t>& word_of(std::size_t slot) noexcept {
    return words_[slot / kSlotsOfWord].searching;
  }

  const std::size_t count_;
  OwnedArray<Word> words_;
};

}  // namespace blitz::detail
