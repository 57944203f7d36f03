/// As little patience as can be: more would multiply the interleavings and add nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blitz/base/atomic.hpp"

namespace blitz::detail {

inline constexpr unsigned kRoundsOfSearch = 1;
inline constexpr unsigned kRoundsOfCaller = 0;
inline constexpr std::size_t kSearchersBesidesHalf = 0;
inline constexpr int kLooksAtOthers = 0;
inline constexpr int kLooksBeforeTheft = 1;
inline constexpr std::uint32_t kPopsOnGuard = 1;
inline void linger() noexcept { yield_thread(); }

}  // namespace blitz::detail
