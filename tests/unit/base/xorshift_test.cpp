#include "blitz/detail/base/xorshift.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include <doctest/doctest.h>

using blitz::detail::splitmix64;
using blitz::detail::XorShift64Star;

namespace {

/// Marsaglia's xorshift as a linear map, computed bit by bit over GF(2) instead of by shifting words: bit i of x ^ (x >> by) is
/// bit i of x plus bit i + by of x. A shift to the left uses bit i - by.
std::uint64_t xor_shifted(std::uint64_t x, int by) {
  std::uint64_t result = 0;
  for (int i = 0; i < 64; ++i) {
    const auto bit = [x](int k) { return k < 0 || k > 63 ? 0U : static_cast<unsigned>((x >> k) & 1); };
    result |= static_cast<std::uint64_t>((bit(i) + bit(i + by)) % 2) << i;
  }
  return result;
}

}  // namespace

TEST_CASE("xorshift: next gives the published sequence for the state 1234567 (upper halves)") {
  XorShift64Star random(1234567);
  for (const std::uint64_t expected : {3540625527U, 2750739987U, 4037983143U, 1993361440U, 3809424708U}) {
    CHECK((random.next() >> 32) == expected);
  }
}

TEST_CASE("xorshift: agrees with the definition over GF(2)") {
  XorShift64Star random(42);
  std::uint64_t state = 42;
  for (int i = 0; i < 1000; ++i) {
    state = xor_shifted(xor_shifted(xor_shifted(state, 12), -25), 27);
    REQUIRE(random.next() == state * 2685821657736338717U);
  }
}

TEST_CASE("xorshift: splitmix64 gives the published sequence for the seed 1234567") {
  CHECK(splitmix64(1234567) == 6457827717110365317U);
  CHECK(splitmix64(1234567 + blitz::detail::kGoldenGamma) == 3203168211198807973U);
}

TEST_CASE("xorshift: the state is never zero") {
  // splitmix64 returns zero for this seed.
  static_assert(splitmix64(0 - blitz::detail::kGoldenGamma) == 0);
  XorShift64Star random(0);
  CHECK(random.next() != random.next());
}

TEST_CASE("xorshift: seeds made by splitmix64 give unrelated streams") {
  // Two independent 64-bit words differ in 32 bits on average, with a standard deviation of 4.
  int differing = 0;
  constexpr int kPairs = 1000;
  for (std::uint64_t seed = 0; seed < kPairs; ++seed) {
    differing +=
        __builtin_popcountll(XorShift64Star(splitmix64(seed)).next() ^ XorShift64Star(splitmix64(seed + 1)).next());
  }
  CHECK(differing > 31 * kPairs);
  CHECK(differing < 33 * kPairs);

  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    XorShift64Star random(splitmix64(seed));
    for (int i = 0; i < 1000; ++i) seen.insert(random.next());
  }
  CHECK(seen.size() == 64000);
}

TEST_CASE("xorshift: bounded stays in range and reaches every value") {
  XorShift64Star random(7);
  for (const std::uint32_t n : {1U, 2U, 3U, 7U, 16U, 100U}) {
    std::vector<bool> seen(n);
    for (std::uint32_t i = 0; i < 100 * n; ++i) {
      const std::uint32_t value = random.bounded(n);
      REQUIRE(value < n);
      seen[value] = true;
    }
    for (std::uint32_t value = 0; value < n; ++value) CHECK(seen[value]);
  }
  for (int i = 0; i < 1000; ++i) REQUIRE(random.bounded(0xFFFFFFFF) < 0xFFFFFFFF);
}

TEST_CASE("xorshift: bounded is uniform (chi-square)") {
  constexpr std::uint32_t kValues = 101;
  constexpr int kDraws = 1'000'000;
  XorShift64Star random(2016);
  std::array<int, kValues> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[random.bounded(kValues)];

  const double expected = static_cast<double>(kDraws) / kValues;
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
  // 100 degrees of freedom: the 0.1 % and 99.9 % quantiles are 61.9 and 149.4.
  CHECK(chi_square > 61.9);
  CHECK(chi_square < 149.4);
}

TEST_CASE("xorshift: bounded rejects the surplus of a large bound") {
  // Without rejection, four draws would share three values, with each third value drawn twice as often: the residues modulo 3
  // would be drawn 1/2, 1/4 and 1/4 of the time.
  constexpr std::uint32_t kBound = 3U << 30;
  constexpr int kDraws = 300'000;
  XorShift64Star random(99);
  std::array<int, 3> residues{};
  for (int i = 0; i < kDraws; ++i) ++residues[random.bounded(kBound) % 3];
  for (const int count : residues) {
    CHECK(count > kDraws / 3 - 2000);
    CHECK(count < kDraws / 3 + 2000);
  }
}

TEST_CASE("xorshift: works at compile time") {
  constexpr std::uint32_t value = [] {
    XorShift64Star random(3);
    return random.bounded(10);
  }();
  static_assert(value < 10);
}
