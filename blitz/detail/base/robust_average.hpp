/// An average of measured times that is robust against outliers.
#pragma once

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/ticks.hpp"

namespace blitz::detail {

/// Exponentially weighted: each sample counts for a quarter. Samples are capped at twice the average, because other programs of
/// the machine cause outliers. Any thread may call the members. The value is a hint: one of two concurrent samples may be lost,
/// and no accesses are ordered by it.
class RobustAverage {
 public:
  constexpr explicit RobustAverage(Ticks first) noexcept : mean_(first) {}

  [[nodiscard]] Ticks value() const noexcept { return mean_.load(std::memory_order_relaxed); }

  /// Adds a sample, and limits the new average to [`least`, `most`]. `least` is at least 4, so that the average can rise again.
  void learn(Ticks sample, Ticks least, Ticks most) noexcept {
    const Ticks old = value();
    const Ticks next = old - old / 4 + (sample < 2 * old ? sample : 2 * old) / 4;
    mean_.store(next < least ? least : next < most ? next : most, std::memory_order_relaxed);
  }
  /// Lowers the average by 1/256.
  void fall() noexcept {
    const Ticks old = value();
    mean_.store(old - old / 256, std::memory_order_relaxed);
  }

 private:
  Atomic<Ticks> mean_;
};

}  // namespace blitz::detail
