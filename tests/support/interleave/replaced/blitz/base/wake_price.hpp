/// No clock decides here: every wake-up is worth its price, and no worker waits longer than the usual search.
#pragma once

#include "blitz/base/ticks.hpp"

namespace blitz::detail {

class WakePrice {
 public:
  static void learn(Ticks /*latency*/) noexcept {}
  [[nodiscard]] static bool covered_by(Ticks /*work*/) noexcept { return true; }
};

class Series {
 public:
  [[nodiscard]] static bool add(Ticks /*work*/, const WakePrice& /*price*/) noexcept { return false; }
};

class Patience {
 public:
  struct Wait {
    bool in_vain = false;
  };
  [[nodiscard]] static bool lasts(Wait& /*wait*/, const WakePrice& /*price*/) noexcept { return false; }
  static void woken(Wait& /*wait*/, Ticks /*began*/, WakePrice& /*price*/) noexcept {}
  static void ended(const Wait& /*wait*/) noexcept {}
};

}  // namespace blitz::detail
