/// Replaces the library's ticks.hpp with a clock that the test controls. A program has this folder first in its include path,
/// and compiles the library's sources itself.
#pragma once

#include <atomic>
#include <cstdint>

namespace blitz_test {

enum class Clock : unsigned char {
  kStandsStill,
  kBack,        ///< Each reading is a tick before the last.
  kBackForth,   ///< Every second reading is a tick before the last.
  kJumps,       ///< Readings have nothing to do with each other.
  kStartsOver,  ///< It counts up to 2^64 ticks, and then from 0.
};
inline constexpr Clock kClocks[] = {Clock::kStandsStill, Clock::kBack, Clock::kBackForth, Clock::kJumps,
                                    Clock::kStartsOver};

inline std::atomic<Clock> clock_kind{Clock::kStandsStill};
inline std::atomic<std::uint64_t> clock_readings{0};

}  // namespace blitz_test

namespace blitz::detail {

using Ticks = std::uint64_t;

[[nodiscard]] inline Ticks ticks_now() noexcept {
  using blitz_test::Clock;
  const std::uint64_t n = blitz_test::clock_readings.fetch_add(1, std::memory_order_relaxed);
  constexpr Ticks kSome = Ticks{1} << 50;
  switch (blitz_test::clock_kind.load(std::memory_order_relaxed)) {
    case Clock::kBack:
      return kSome - n;
    case Clock::kBackForth:
      return kSome + n - 2 * (n % 2);
    case Clock::kJumps:
      return (n + 1) * 0x9e3779b97f4a7c15;
    case Clock::kStartsOver:
      return (n - 100) * 5000;
    default:
      return kSome;
  }
}
[[nodiscard]] constexpr Ticks ticks_per_microsecond() noexcept { return 3000; }

[[nodiscard]] constexpr Ticks ticks_between(Ticks begin, Ticks end) noexcept { return end > begin ? end - begin : 0; }

}  // namespace blitz::detail
