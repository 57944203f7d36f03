/// Where one thread of the async backend blocks until it is notified.
///
/// Three states: empty, parked, notified; see Parker, which has them. What is added is the time-out. It is off unless a
/// pool's maker asks for it, and nothing depends on it: a thread that was forgotten by the idle protocol would be a fault
/// of the protocol, which a time-out would hide.
///
/// One thread at a time calls park; anyone calls unpark. All that comes before an unpark happens before the return of the
/// park that it ends.
#pragma once

#include <chrono>

#include "blitz/base/parker.hpp"

namespace blitz::detail {

class ParkState {
 public:
  static constexpr std::chrono::nanoseconds kNoTimeout{0};

  enum class [[nodiscard]] Wake : bool { kTimedOut, kNotified };

  /// Blocks until notified, or until the time-out, if it is not kNoTimeout.
  Wake park(std::chrono::nanoseconds timeout) noexcept {
    if (timeout == kNoTimeout) {
      parker_.park();
      return Wake::kNotified;
    }
    return parker_.park_for(timeout) ? Wake::kNotified : Wake::kTimedOut;
  }
  void park() noexcept { parker_.park(); }

  /// Notifies. This object may be gone as soon as it has.
  void unpark() noexcept { parker_.unpark(); }

 private:
  Parker parker_;
};

}  // namespace blitz::detail
