/// Minimal patience: more would multiply the interleavings without benefit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"

namespace blitz::detail {

inline constexpr unsigned kRoundsOfSearch = 1;
inline constexpr std::size_t kSlotsOfWord = 1;
inline constexpr std::uint64_t kTicketsOfLoop = 2;
inline constexpr std::size_t kSearchersBesidesHalf = 0;
inline constexpr int kLooksBeforeTheft = 1;
inline constexpr std::uint32_t kPopsOnGuard = 1;
[[nodiscard]] constexpr unsigned rounds_of_search(std::size_t slot) noexcept { return slot != 0 ? 1 : 0; }
template <class Latch>
void pause_search(std::size_t /*slot*/, const Latch& /*latch*/) noexcept {
  yield_thread();
}
template <class Idle>
void wait_a_moment_until(Idle&& /*idle*/) noexcept {}

}  // namespace blitz::detail
