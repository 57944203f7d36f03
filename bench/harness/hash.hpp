// Pseudo-random numbers for inputs, equal on all machines.
#pragma once

#include <cstdint>

namespace bench {

/// A one-to-one mapping of 64-bit numbers under which every bit of the result depends on all bits of `x`: the finaliser
/// of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
inline constexpr std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  x ^= x >> 31;
  return x;
}

/// The `i`-th number of the sequence with this seed.
inline constexpr std::uint64_t random_at(std::uint64_t seed, std::uint64_t i) {
  return mix(seed + (i + 1) * 0x9e3779b97f4a7c15u);
}

/// The share 0 <= share < 1 of all 64-bit numbers: a random number is below the result with this probability.
inline constexpr std::uint64_t below_with(double share) { return static_cast<std::uint64_t>(share * 0x1p64); }

}  // namespace bench
