/// How a loop is cut. Pieces: into equal parts, at once. Pace: how many items to run before looking up, and when to offer
/// half of what is left.
///
/// A loop that is alone on its pool should be as fast as the plain loop, and one that is not should share early and
/// evenly. So a worker runs blocks of items, at first of one item, then of as many as take a few microseconds, by its
/// own measurement. Between two blocks it offers the far half of what is left, if all that it offered before is gone
/// and some worker is idle. An offer that comes back untouched has cost a few nanoseconds for nothing: the next is not
/// made before a few microseconds of work have been done. A block of the least size may take long all the same, and while
/// it runs its worker offers nothing. Before such a block the worker offers all that is left, half at a time.
///
/// The idea of splitting on demand: A. Tzannes, G. C. Caragea, R. Barua, U. Vishkin, "Lazy binary-splitting", PPoPP
/// 2010.
///
/// For one worker; knows no scheduler.
#pragma once

#include <algorithm>
#include <cstdint>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/wake/handover.hpp"

namespace blitz::detail {

/// Equal pieces of [0, count), the first ones perhaps longer by one item.
class Pieces {
 public:
  Pieces() = default;
  Pieces(std::uint64_t count, std::uint64_t pieces) noexcept : size_(count / pieces), longer_(count % pieces) {}
  [[nodiscard]] std::uint64_t begin(std::uint64_t piece) const noexcept {
    return piece * size_ + std::min(piece, longer_);
  }

 private:
  std::uint64_t size_ = 0;
  std::uint64_t longer_ = 0;
};

/// Where positions [first, end) end better, and are at least `least` still: where a cache line may, for vectors that cross one
/// take longer. Moves the end by a sixteenth at most.
[[nodiscard]] constexpr std::uint64_t end_of_line(std::uint64_t first, std::uint64_t end,
                                                  std::uint64_t least) noexcept {
  constexpr std::uint64_t kLine = 64;
  if (end - first < 16 * kLine) return end;
  const std::uint64_t rounded = end - end % kLine;
  return rounded - first >= least ? rounded : end;
}

class Pace {
 public:
  explicit Pace(std::uint64_t grain) noexcept : grain_(grain) {}

  /// Whether an offer may be made now, if anybody wants one.
  [[nodiscard]] bool may_offer() const noexcept { return may_offer_; }
  /// An offer is about to be made. What it takes is not the next block's time.
  void offering() noexcept { mark_ = 0; }
  /// It came back, and what has been learnt meanwhile holds for it too. Beside long blocks an offer costs nothing.
  void offer_refused() noexcept {
    may_offer_ = slow_;
    mark_ = 0;
  }

  /// Has the next block timed, if it is not the last, however few items are left.
  void time_next() noexcept { slow_ = true; }
  /// Whether the next block may take long although it has as few items as it can. Until it ends, its worker offers nothing.
  [[nodiscard]] bool may_be_long() const noexcept {
    return slow_ && block_ == grain_ && (blocks_ > 0 || expected_ == Expected::kLong);
  }
  /// Whether neither of the next two has been called. They say what to expect of the first block.
  [[nodiscard]] bool expects_nothing() const noexcept { return expected_ == Expected::kNothing; }
  void expect_short() noexcept { expected_ = Expected::kShort; }
  void expect_long() noexcept {
    expected_ = Expected::kLong;
    time_next();
  }
  /// time_next in a loop of `left` items that should end before help could save anything: no offer is made before a block
  /// has shown otherwise.
  void expect_little(std::uint64_t left) noexcept {
    block_ = std::max(grain_, std::min(left / 4, kMaxGrowth));
    may_offer_ = false;
    if (expects_nothing()) expect_short();
    time_next();
  }
  /// Whether a block was timed.
  [[nodiscard]] bool timed() const noexcept { return blocks_ > 0; }
  /// Whether more than the first block was timed, whose items may be special, or that one took long.
  [[nodiscard]] bool timed_well() const noexcept {
    return blocks_ > 1 || ticks_ > kLongBlock * ticks_per_microsecond();
  }
  /// The ticks that an item took, if timed(). The first block counts only as long as there is no other.
  [[nodiscard]] float per_item() const noexcept { return static_cast<float>(ticks_) / static_cast<float>(items_); }

  /// Calls `run_block(first, end)` for the next block of [first, last), which is not empty. Returns its end.
  template <class RunBlock>
  std::uint64_t run_next(std::uint64_t first, std::uint64_t last, const RunBlock& run_block) {
    const std::uint64_t size = next_block(first, last);
    if (worth_timing(size, last - first)) {
      run_timed(first, size, run_block);
    } else {
      run_block(first, first + size);
    }
    return first + size;
  }
  /// run_next for a block that may be long. It is timed even if it is the last, because later blocks are on offer.
  template <class RunBlock>
  std::uint64_t run_long(std::uint64_t first, std::uint64_t last, const RunBlock& run_block) {
    const std::uint64_t size = next_block(first, last);
    run_timed(first, size, run_block);
    return first + size;
  }

  /// The number of items to run next, of [first, last), which is not empty.
  [[nodiscard]] BLITZ_ALWAYS_INLINE std::uint64_t next_block(std::uint64_t first, std::uint64_t last) const noexcept {
    const std::uint64_t left = last - first;
    if (left <= block_) return left;
    const std::uint64_t size = std::max(grain_, std::min(block_, left / 4));
    return left - size < grain_ ? left : end_of_line(first, first + size, grain_) - first;
  }

  /// Whether the next block, of `size` items, is to be timed: not if it is the last, and not among the last items of a
  /// fast loop, where reading the clock would cost more than it could save.
  [[nodiscard]] bool worth_timing(std::uint64_t size, std::uint64_t left) const noexcept {
    return size < left && (left > kTinyLoop || slow_);
  }

  /// A block of `size` items took `ticks`. A negative difference tells nothing: the clock went backwards.
  BLITZ_ALWAYS_INLINE void ran(std::uint64_t size, Ticks ticks) noexcept {
    const Ticks target = kTarget * ticks_per_microsecond();
    std::uint64_t next;
    if (ticks < target) {
      // At most so many times the last block: its items may have been the cheap ones.
      next = std::min(size, kMostToGrow) * std::min(target / (ticks + 1), kMaxGrowth);
    } else {
      if (static_cast<std::int64_t>(ticks) < 0) return;
      next = size / (ticks / target + 1);
    }
    block_ = std::max(grain_, next);
    slow_ = ticks > kSlow * ticks_per_microsecond();
    if (slow_) may_offer_ = true;
    if (blocks_ < 2) {
      ++blocks_;
      ticks_ = items_ = 0;
    }
    ticks_ += ticks;
    items_ += size;
  }

 private:
  enum class Expected : unsigned char { kNothing, kShort, kLong };

  static constexpr std::uint64_t kTinyLoop = 8;
  // Microseconds.
  static constexpr Ticks kTarget = kLittleWork;        // of a block: it is not worth sharing
  static constexpr Ticks kSlow = kHandover;            // a block that may be worth timing, and its rest offering
  static constexpr Ticks kLongBlock = 64 * kHandover;  // tells enough
  static constexpr std::uint64_t kMaxGrowth = 32;
  static constexpr std::uint64_t kMostToGrow = ~std::uint64_t{0} / kMaxGrowth;

  template <class RunBlock>
  BLITZ_ALWAYS_INLINE void run_timed(std::uint64_t first, std::uint64_t size, const RunBlock& run_block) {
    const Ticks start = mark_ != 0 ? mark_ : ticks_now();
    run_block(first, first + size);
    mark_ = ticks_now();
    ran(size, mark_ - start);
  }

  std::uint64_t grain_;
  std::uint64_t block_ = grain_;
  Ticks mark_ = 0;  // when the last block ended; 0: something else has run since
  bool may_offer_ = true;
  bool slow_ = false;  // The last block that was timed took a quarter of the target at least.
  Expected expected_ = Expected::kNothing;
  unsigned char blocks_ = 0;  // that were timed; 2 for more
  Ticks ticks_ = 0;           // what they took, the first only if it is alone
  std::uint64_t items_ = 0;   // in them
};

}  // namespace blitz::detail
