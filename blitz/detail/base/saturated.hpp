/// Conversion from floating point to an integer. A plain conversion of a value that the integer cannot hold is undefined.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

namespace blitz::detail {

/// The integer part of `x`; the nearest integer of 64 bits if `x` is negative or too large, and 0 if it is not a number.
template <std::floating_point F>
[[nodiscard]] constexpr std::uint64_t saturated(F x) noexcept {
  constexpr F kEnd = static_cast<F>(std::uint64_t{1} << 63) * 2;
  if (!(x > 0)) return 0;
  return x < kEnd ? static_cast<std::uint64_t>(x) : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace blitz::detail
