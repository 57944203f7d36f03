/// No clock decides here: a test says whether forks wake a worker.
#pragma once

#include "blitz/base/wake_price.hpp"

namespace blitz::detail {

class ForkHistory {
 public:
  /// For all forks: whether they wake nobody.
  static inline bool are_short = false;

  template <class Job>
  [[nodiscard]] static bool wakes(const Job* /*half*/, const WakePrice& /*prices*/, const Series& /*series*/) noexcept {
    return !are_short;
  }
  static void woke() noexcept {}
  [[nodiscard]] static bool running() noexcept { return false; }
  static void end(const WakePrice& /*prices*/) noexcept {}
};

}  // namespace blitz::detail
