/// Random numbers for the choice of victims: XorShift64*, with Lemire's reduction.
///
/// Each object belongs to one worker; nothing is shared or synchronised. The seed is the state itself, so neighbouring seeds
/// must be passed through splitmix64, as Registry does.
///
/// S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", ACM TOMS 42(4), 2016.
/// D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
/// The seeding function is splitmix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014, with the constants of Stafford's mix 13.
#pragma once

#include <cassert>
#include <cstdint>

namespace blitz::detail {

inline constexpr std::uint64_t kGoldenGamma = 0x9E3779B97F4A7C15;

/// The first output of a splitmix64 generator with the state `seed`: a bijection that decorrelates neighbouring arguments.
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t seed) noexcept {
  std::uint64_t z = seed + kGoldenGamma;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// A uniform number in [0, n), without bias; n > 0. `next()` returns 64 random bits; the upper half is used.
///
/// The result is the upper half of the product of n and a draw of 32 bits. The lower half tells whether the draw is one of the
/// 2^32 mod n surplus draws, which are repeated. The division that computes their number is needed with probability n / 2^32
/// only.
template <class Next>
[[nodiscard]] constexpr std::uint32_t bounded(std::uint32_t n, const Next& next) noexcept {
  assert(n > 0);
  std::uint64_t product = (next() >> 32) * n;
  if (static_cast<std::uint32_t>(product) < n) [[unlikely]] {
    const std::uint32_t surplus = (0 - n) % n;
    while (static_cast<std::uint32_t>(product) < surplus) product = (next() >> 32) * n;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

class XorShift64Star {
 public:
  /// Starts at the state `seed`. State 0 would repeat indefinitely and is replaced by a constant.
  explicit constexpr XorShift64Star(std::uint64_t seed) noexcept : state_(seed != 0 ? seed : kGoldenGamma) {}

  /// The next 64 bits. The sequence visits every value except 0 before it repeats; the high bits are the better ones.
  constexpr std::uint64_t next() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1D;
  }

  /// A uniform number in [0, n), without bias; n > 0.
  constexpr std::uint32_t bounded(std::uint32_t n) noexcept {
    return detail::bounded(n, [this]() noexcept { return next(); });
  }

 private:
  std::uint64_t state_;
};

}  // namespace blitz::detail
