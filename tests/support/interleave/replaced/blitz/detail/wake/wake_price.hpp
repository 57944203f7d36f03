/// Decisions do not depend on a clock here: every wake-up is worth its price, and no worker waits longer than the usual search.
#pragma once

#include <cstddef>
#include <cstdint>

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
  [[nodiscard]] static bool weigh(Ticks /*work*/, Ticks /*now*/) noexcept { return true; }
  [[nodiscard]] static bool is_crowded_out(Ticks /*work*/, std::size_t /*awake*/) noexcept { return false; }
  static void sleeps(Ticks /*now*/) noexcept {}
};

class Series {
 public:
  [[nodiscard]] static bool add(Ticks /*work*/, const WakePrice& /*price*/, std::uint64_t /*stolen*/,
                                Ticks /*now*/) noexcept {
    return false;
  }
  [[nodiscard]] static bool take_promise() noexcept { return false; }
};

class Patience {
 public:
  [[nodiscard]] static bool lasts(Ticks /*since*/, const WakePrice& /*price*/) noexcept { return false; }
  static void woken(Ticks /*since*/, Ticks /*began*/, bool /*for_series*/) noexcept {}
};

}  // namespace blitz::detail
