/// No clock decides here: every wake-up is worth its price, and no worker waits longer than the usual search.
#pragma once

#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/ticks.hpp"

namespace blitz::detail {

struct Price {
  [[nodiscard]] static constexpr Ticks delay() noexcept { return 1; }
};

class alignas(kCacheLine) WakePrice {
 public:
  [[nodiscard]] static Price at(Ticks /*now*/) noexcept { return {}; }
  static void learn(Ticks /*latency*/, Ticks /*slept*/) noexcept {}
  static void learn_cost(Ticks /*cost*/, Ticks /*now*/) noexcept {}
  [[nodiscard]] static bool covered_by(Ticks /*work*/, Ticks /*now*/) noexcept { return true; }
  static void sleeps(Ticks /*now*/) noexcept {}
  static void help_came() noexcept {}
};

class Series {
 public:
  [[nodiscard]] static bool add(Ticks /*work*/, const WakePrice& /*price*/, Ticks /*now*/) noexcept { return false; }
};

class Patience {
 public:
  [[nodiscard]] static bool lasts(Ticks /*since*/, const WakePrice& /*price*/) noexcept { return false; }
  static void woken(Ticks /*since*/, Ticks /*began*/, const WakePrice& /*price*/) noexcept {}
};

}  // namespace blitz::detail
