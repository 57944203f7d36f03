/// A clock for intervals of microseconds that takes nanoseconds to read.
///
/// Reads the processor's own counter if user code may. Its rate is known only roughly, which is enough to tell a microsecond
/// from ten. Counters of two processors may differ, and the counter of an emulator may not advance. So code that uses this
/// clock must be correct for any value, and no wait may depend only on its progress.
#pragma once

#include <cstdint>

#if !defined(__x86_64__) && !defined(__i386__) && !defined(__aarch64__)
#include <chrono>
#endif

namespace blitz::detail {

using Ticks = std::uint64_t;

#if defined(__x86_64__) || defined(__i386__)

[[nodiscard]] inline Ticks ticks_now() noexcept { return __builtin_ia32_rdtsc(); }
/// The counter runs at the processor's nominal rate, 2 to 4 GHz.
[[nodiscard]] constexpr Ticks ticks_per_microsecond() noexcept { return 3000; }

#elif defined(__aarch64__)

[[nodiscard]] inline Ticks ticks_now() noexcept {
  Ticks value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
[[nodiscard]] inline Ticks ticks_per_microsecond() noexcept {
  Ticks per_second;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(per_second));
  return per_second / 1'000'000 + 1;
}

#else

[[nodiscard]] inline Ticks ticks_now() noexcept {
  return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}
[[nodiscard]] constexpr Ticks ticks_per_microsecond() noexcept { return 1000; }

#endif

/// The time from `begin` to `end`; 0 if the clock went backwards.
[[nodiscard]] constexpr Ticks ticks_between(Ticks begin, Ticks end) noexcept { return end > begin ? end - begin : 0; }

}  // namespace blitz::detail
