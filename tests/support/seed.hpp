/// Reproducible random choices, and the duration of a stress test.
///
/// BLITZ_TEST_SEED is the seed, by default taken from the clock. BLITZ_STRESS_SECONDS is the duration of a test, possibly with
/// a fraction, by default 3. A seed reproduces the choices of a run, but not the order of its threads' steps.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/xorshift.hpp"

namespace blitz_test {

using Clock = std::chrono::steady_clock;

/// Returns the same seed at every call of a run. Throws std::runtime_error if the variable is not a number.
[[nodiscard]] std::uint64_t test_seed();

/// The duration of each test. Throws like test_seed.
[[nodiscard]] Clock::duration stress_time();

/// A number from the environment, or `otherwise`. Throws like test_seed.
[[nodiscard]] std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise);

/// The generator splitmix64. Each thread of a test has its own object with a separate stream.
class Random {
 public:
  explicit Random(std::uint64_t stream)
      : state_(blitz::detail::splitmix64(test_seed()) + blitz::detail::splitmix64(~stream)) {}

  std::uint64_t next() noexcept {
    const std::uint64_t value = blitz::detail::splitmix64(state_);
    state_ += blitz::detail::kGoldenGamma;
    return value;
  }
  /// In [0, n), n > 0; the bias is n / 2^64.
  std::uint64_t below(std::uint64_t n) noexcept { return next() % n; }
  /// In [low, high].
  std::uint64_t between(std::uint64_t low, std::uint64_t high) noexcept { return low + below(high - low + 1); }
  /// True once in n.
  bool one_in(std::uint64_t n) noexcept { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// The end of a test's duration.
class Deadline {
 public:
  explicit Deadline(Clock::duration length = stress_time()) : end_(Clock::now() + length) {}
  [[nodiscard]] bool passed() const noexcept { return Clock::now() >= end_; }

 private:
  Clock::time_point end_;
};

}  // namespace blitz_test
