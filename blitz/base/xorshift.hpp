/// The generator that chooses victims: XorShift64* with Lemire's reduction.
///
/// One object belongs to one worker; nothing here is shared or synchronised.
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

/// The first output of a splitmix64 generator whose state is `seed`: a bijection that leaves no likeness between
/// neighbouring arguments.
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t seed) noexcept {
  std::uint64_t z = seed + kGoldenGamma;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

class XorShift64Star {
 public:
  /// Any seed will do, 0 included; seeds 0, 1, 2, … give unrelated streams.
  explicit constexpr XorShift64Star(std::uint64_t seed) noexcept : XorShift64Star(from_state(splitmix64(seed))) {}

  /// Starts at exactly `state`. The all-zero state would repeat for ever, so it is replaced by a constant.
  [[nodiscard]] static constexpr XorShift64Star from_state(std::uint64_t state) noexcept {
    return XorShift64Star(State{state != 0 ? state : kGoldenGamma});
  }

  /// The next 64 bits. The sequence visits every value but 0 before it repeats; the high bits are the better ones.
  constexpr std::uint64_t next() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1D;
  }

  /// A uniform number in [0, n), without bias; n > 0.
  ///
  /// The product of 32 random bits and n has its answer in the upper half. The lower half tells whether this draw
  /// belongs to the 2^32 mod n surplus ones, which are drawn again: the division that finds out is needed with
  /// probability n / 2^32 only.
  constexpr std::uint32_t bounded(std::uint32_t n) noexcept {
    assert(n > 0);
    std::uint64_t product = (next() >> 32) * n;
    if (static_cast<std::uint32_t>(product) < n) [[unlikely]] {
      const std::uint32_t surplus = (0 - n) % n;
      while (static_cast<std::uint32_t>(product) < surplus) product = (next() >> 32) * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  struct State {
    std::uint64_t value;
  };
  explicit constexpr XorShift64Star(State state) noexcept : state_(state.value) {}

  std::uint64_t state_;
};

}  // namespace blitz::detail
