/// A caller looks twice at another thread's fence: more looks would multiply the interleavings without benefit.
#pragma once

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/ticks.hpp"

namespace blitz::detail {

class FencePace {
 public:
  [[nodiscard]] static Ticks now() noexcept { return 0; }
  void note(Ticks /*begin*/) noexcept {}

  [[nodiscard]] bool worth_waiting(Ticks& looks) const noexcept {
    cpu_relax();
    return ++looks < 2;
  }
};

}  // namespace blitz::detail
