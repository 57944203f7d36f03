/// A caller looks twice at another thread's fence: more would multiply the interleavings and add nothing.
#pragma once

#include "blitz/base/atomic.hpp"
#include "blitz/base/ticks.hpp"

namespace blitz::detail {

class FencePace {
 public:
  [[nodiscard]] static Ticks now() noexcept { return 0; }
  void note(Ticks /*begin*/) noexcept {}

  class Wait {
   public:
    [[nodiscard]] bool goes_on(const FencePace& /*pace*/) noexcept {
      cpu_relax();
      return ++looks_ < 2;
    }

   private:
    int looks_ = 0;
  };
};

}  // namespace blitz::detail
