/// The cuts of a loop. Pieces: equal parts, cut in advance. Pace: the number of items to run before the next check, and the
/// times at which half of the remaining items is offered.
///
/// A loop that is alone on its pool should be as fast as the plain loop, and any other should be shared early and evenly. So a
/// worker runs blocks of items, at first of one item, then of as many as take a few microseconds, by its own measurement.
/// Between two blocks it offers the far half of the remaining items if all its earlier offers were taken and some worker is
/// idle. An offer that comes back untouched has cost a few nanoseconds for nothing: the next one is made only after a few
/// microseconds of work. A block of the minimum size may still take long, and while it runs its worker offers nothing. So
/// before such a block the worker offers all other items, half at a time.
///
/// The idea of splitting on demand: A. Tzannes, G. C. Caragea, R. Barua, U. Vishkin, "Lazy binary-splitting", PPoPP 2010.
///
/// For one worker; knows no scheduler.
#pragma once

#include <algorithm>
#include <cstdint>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/wake/handover.hpp"

namespace blitz::detail {

/// Equal pieces of [0, count). The first pieces may be longer by one item.
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

/// A better end for the positions [first, end), with at least `least` of them: a possible end of a cache line, because vectors
/// that cross one take longer. Moves the end by at most a sixteenth.
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

  /// Whether an offer may be made now, if there is a worker for it.
  [[nodiscard]] bool may_offer() const noexcept { return may_offer_; }
  /// An offer is about to be made. Its time is not part of the next block's time.
  void offering() noexcept { mark_ = 0; }
  /// The offer came back; the measurements made since then hold for its items too. Compared with long blocks an offer costs
  /// nothing.
  void offer_refused() noexcept {
    may_offer_ = slow_;
    mark_ = 0;
  }

  /// Times the next block unless it is the last, however few items are left.
  void time_next() noexcept { slow_ = true; }
  /// Whether the next block may take long although it has the minimum size. Until it ends, its worker offers nothing.
  [[nodiscard]] bool may_be_long() const noexcept {
    return slow_ && block_ == grain_ && (blocks_ > 0 || expected_ == Expected::kLong);
  }
  /// Whether expect_short and expect_long were not called. They set the expectation for the first block.
  [[nodiscard]] bool expects_nothing() const noexcept { return expected_ == Expected::kNothing; }
  void expect_short() noexcept { expected_ = Expected::kShort; }
  void expect_long() noexcept {
    expected_ = Expected::kLong;
    time_next();
  }
  /// time_next for a loop of `left` items that should end before help could save time: no offer is made until a block was slow.
  void expect_little(std::uint64_t left) noexcept {
    block_ = std::max(grain_, std::min(left / 4, kMaxGrowth));
    may_offer_ = false;
    if (expects_nothing()) expect_short();
    time_next();
  }
  /// Whether a block was timed.
  [[nodiscard]] bool timed() const noexcept { return blocks_ > 0; }
  /// Whether more blocks were timed than the first, which may have special items, or the first one took long.
  [[nodiscard]] bool timed_well() const noexcept {
    return blocks_ > 1 || ticks_ > kLongBlock * ticks_per_microsecond();
  }
  /// The ticks per item, if timed(). The first block counts only as long as it is the only one.
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

  /// The number of items in the next block of [first, last), which is not empty.
  [[nodiscard]] BLITZ_ALWAYS_INLINE std::uint64_t next_block(std::uint64_t first, std::uint64_t last) const noexcept {
    const std::uint64_t left = last - first;
    if (left <= block_) return left;
    const std::uint64_t size = std::max(grain_, std::min(block_, left / 4));
    return left - size < grain_ ? left : end_of_line(first, first + size, grain_) - first;
  }

  /// Whether the next block, of `size` items, must be timed. The last block is not timed, and the last items of a fast loop are
  /// not, because reading the clock would cost more than it could save.
  [[nodiscard]] bool worth_timing(std::uint64_t size, std::uint64_t left) const noexcept {
    return size < left && (left > kTinyLoop || slow_);
  }

  /// A block of `size` items took `ticks`. A negative difference is ignored: the clock went backwards.
  BLITZ_ALWAYS_INLINE void ran(std::uint64_t size, Ticks ticks) noexcept {
    const Ticks target = kTarget * ticks_per_microsecond();
    std::uint64_t next;
    if (ticks < target) {
      // At most kMaxGrowth times the last block: its items may have been the cheap ones.
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
  static constexpr Ticks kTarget = kLittleWork;        // of a block: too little to share
  static constexpr Ticks kSlow = kHandover;            // a block worth timing, with a rest worth offering
  static constexpr Ticks kLongBlock = 64 * kHandover;  // one such block is enough
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
  Ticks mark_ = 0;  // the end of the last block; 0: other code has run since
  bool may_offer_ = true;
  bool slow_ = false;  // the last timed block took more than kSlow, or time_next() was called
  Expected expected_ = Expected::kNothing;
  unsigned char blocks_ = 0;  // timed blocks; 2 for more
  Ticks ticks_ = 0;           // their time; of the first block only if it is the only one
  std::uint64_t items_ = 0;   // the number of their items, by the same rule
};

}  // namespace blitz::detail
