#include "blitz/detail/base/saturated.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

using blitz::detail::saturated;

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TEST_CASE_TEMPLATE("saturated: returns the integer part of a value that 64 bits hold", F, float, double, long double) {
  for (const std::uint64_t x : {0U, 1U, 2U, 3000U, 16'777'216U}) {
    CHECK(saturated(static_cast<F>(x)) == x);
    CHECK(saturated(static_cast<F>(x) + F{0.25}) == x);
  }
  for (int bit = 0; bit < 64; ++bit)
    CHECK(saturated(static_cast<F>(std::uint64_t{1} << bit)) == std::uint64_t{1} << bit);
}

TEST_CASE_TEMPLATE("saturated: returns the nearest integer for all other values and 0 for NaN", F, float, double,
                   long double) {
  using Limits = std::numeric_limits<F>;
  constexpr F kEnd = static_cast<F>(std::uint64_t{1} << 63) * 2;
  for (const F x : {kEnd, 2 * kEnd, kEnd * kEnd, Limits::infinity()}) CHECK(saturated(x) == kMost);
  for (const F x : {F{-0.0}, F{-0.5}, F{-1}, -kEnd, Limits::lowest(), -Limits::infinity(), Limits::denorm_min()})
    CHECK(saturated(x) == 0);
  CHECK(saturated(Limits::quiet_NaN()) == 0);
}
