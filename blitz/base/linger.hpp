/// Waiting for a moment for what another thread is about to do, on the processor that one has.
#pragma once

#include "blitz/base/atomic.hpp"
#include "blitz/base/ticks.hpp"

namespace blitz::detail {

/// Waits for about a microsecond. Not a yield, which may cost the processor for milliseconds where other programs run.
inline void linger() noexcept {
#if defined(BLITZ_INTERLEAVE_HEADER)
  yield_thread();
#else
  const Ticks begin = ticks_now();
  while (ticks_now() - begin < ticks_per_microsecond()) cpu_relax();
#endif
}

}  // namespace blitz::detail
