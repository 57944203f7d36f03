/// The price of work that is handed to a worker that searches: the other thresholds of loops are multiples of it.
#pragma once

#include "blitz/detail/base/ticks.hpp"

namespace blitz::detail {

/// In microseconds: a thief begins so much later than the owner offers, and the owner learns so much later that it has ended.
/// Cache lines travel three to four times, which takes 0.2 us on one socket and up to 1 us between two processors of a guest.
inline constexpr Ticks kHandover = 1;
/// In microseconds. Two workers end work of this length no sooner than one does: each takes half, and one hand-over at the
/// beginning and at the end leave no gain.
inline constexpr Ticks kLittleWork = 4 * kHandover;

}  // namespace blitz::detail
