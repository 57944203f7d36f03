/// An average of measured times that one outlier changes little.
#pragma once

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/ticks.hpp"

namespace blitz::detail {

/// Exponentially weighted: each sample counts for a quarter. A sample far above the average, because of the machine's other
/// programs, counts as twice the average. Any thread. A hint: of two concurrent samples one may be lost, and nothing is ordered
/// by it.
class RobustAverage {
 public:
  constexpr explicit RobustAverage(Ticks first) noexcept : mean_(first) {}

  [[nodiscard]] Ticks value() const noexcept { return mean_.load(std::memory_order_relaxed); }

  /// The new average is from `least` to `most`. `least` is at least 4, so that the average can rise again.
  void learn(Ticks sample, Ticks least, Ticks most) noexcept {
    const Ticks old = value();
    const Ticks next = old - old / 4 + (sample < 2 * old ? sample : 2 * old) / 4;
    mean_.store(next < least ? least : next < most ? next : most, std::memory_order_relaxed);
  }
  /// Falls by a 256th.
  void fall() noexcept {
    const Ticks old = value();
    mean_.store(old - old / 256, std::memory_order_relaxed);
  }

 private:
  Atomic<Ticks> mean_;
};

}  // namespace blitz::detail
