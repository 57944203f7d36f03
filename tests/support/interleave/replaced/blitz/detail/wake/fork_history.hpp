/// Decisions do not depend on a clock here: a test sets whether forks wake a worker.
#pragma once

#include "blitz/detail/wake/wake_price.hpp"

namespace blitz::detail {

class ForkHistory {
 public:
  /// For all forks: they wake no worker; they are timed.
  static inline bool are_short = false;
  static inline bool are_timed = false;
  /// The number of forks after each one that do not ask.
  static inline unsigned skipped = 0;
  /// The number of forks that have ended.
  static inline int ended = 0;

  [[nodiscard]] static bool begin(const void* /*half*/, std::uintptr_t /*code*/, const WakePrice& /*prices*/,
                                  const Series& /*series*/, std::uint64_t /*stolen*/, Ticks /*now*/) noexcept {
    return !are_short;
  }
  [[nodiscard]] static unsigned skips() noexcept { return skipped; }
  [[nodiscard]] static bool is_timed(const void* /*half*/) noexcept { return are_timed; }
  static void end(const void* /*half*/, bool /*stolen*/) noexcept { ++ended; }
};

}  // namespace blitz::detail
