/// How a loop paces itself: how many items to run before it looks up, and when to offer half of what is left.
///
/// A loop that is alone on its pool should be as fast as the plain loop, and one that is not should share early and
/// evenly. So a worker runs blocks of items, at first of one item, then of as many as take a few microseconds, by its
/// own measurement. Between two blocks it offers the far half of what is left, if all that it offered before is gone
/// and some worker is idle. An offer that comes back untouched has cost a few nanoseconds for nothing: the next is not
/// made before a few microseconds of work have been done.
///
/// The idea of splitting on demand: A. Tzannes, G. C. Caragea, R. Barua, U. Vishkin, "Lazy binary-splitting", PPoPP
/// 2010.
///
/// For one worker; knows no scheduler.
#pragma once

#include <algorithm>
#include <cstdint>

#include "blitz/base/ticks.hpp"

namespace blitz::detail {

class Pace {
 public:
  explicit Pace(std::uint64_t grain) noexcept : grain_(grain) {}

  /// Whether an offer may be made now, if anybody wants one.
  [[nodiscard]] bool may_offer() const noexcept { return may_offer_; }
  /// An offer came back.
  void offer_refused() noexcept { may_offer_ = false; }

  /// The number of items to run next, of the `left` (at least 1) that are left.
  [[nodiscard]] std::uint64_t next_block(std::uint64_t left) const noexcept {
    if (left <= block_) return left;
    const std::uint64_t size = std::max(grain_, std::min(block_, left / 4));
    return left - size < grain_ ? left : size;
  }

  /// Whether the next block, of `size` items, is to be timed: not if it is the last, and not in a tiny loop, where
  /// reading the clock would cost more than it could save.
  [[nodiscard]] static bool worth_timing(std::uint64_t size, std::uint64_t left) noexcept {
    return size < left && left > kTinyLoop;
  }

  /// A block of `size` items took `ticks`.
  void ran(std::uint64_t size, Ticks ticks) noexcept {
    const Ticks target = kTargetMicroseconds * ticks_per_microsecond();
    if (4 * ticks > target) may_offer_ = true;
    // At most so many times the last block: its items may have been the cheap ones.
    const std::uint64_t growth = std::min<std::uint64_t>(target / (ticks + 1), kMaxGrowth);
    block_ = std::max(grain_, growth > 0 ? size * growth : size / (ticks / target + 1));
  }

 private:
  static constexpr std::uint64_t kTinyLoop = 8;
  static constexpr Ticks kTargetMicroseconds = 4;
  static constexpr std::uint64_t kMaxGrowth = 32;

  std::uint64_t grain_;
  std::uint64_t block_ = grain_;
  bool may_offer_ = true;
};

}  // namespace blitz::detail
