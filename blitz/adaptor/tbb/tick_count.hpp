/// @file
/// oneTBB's clock, implemented by the standard library's.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <chrono>

#include "blitz/adaptor/tbb/tbb_version.hpp"

namespace tbb {

/// A time point of a monotonic clock.
class tick_count {
 public:
  class interval_t {
   public:
    interval_t() = default;
    explicit interval_t(double seconds) : length_(seconds) {}
    [[nodiscard]] double seconds() const noexcept { return length_.count(); }
    interval_t& operator+=(const interval_t& other) noexcept { return length_ += other.length_, *this; }
    interval_t& operator-=(const interval_t& other) noexcept { return length_ -= other.length_, *this; }
    friend interval_t operator+(interval_t a, const interval_t& b) noexcept { return a += b; }
    friend interval_t operator-(interval_t a, const interval_t& b) noexcept { return a -= b; }

   private:
    std::chrono::duration<double> length_{0};
  };

  tick_count() = default;
  [[nodiscard]] static tick_count now() noexcept {
    tick_count moment;
    moment.at_ = std::chrono::steady_clock::now();
    return moment;
  }
  [[nodiscard]] static double resolution() noexcept {
    using Period = std::chrono::steady_clock::period;
    return static_cast<double>(Period::num) / static_cast<double>(Period::den);
  }
  friend interval_t operator-(const tick_count& a, const tick_count& b) noexcept {
    return interval_t(std::chrono::duration<double>(a.at_ - b.at_).count());
  }

 private:
  std::chrono::steady_clock::time_point at_{};
};

}  // namespace tbb
