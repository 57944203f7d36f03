/// A request to stop: a flag for those who ask before they begin something, and a token, for those who want one, that
/// tells of the same request.
///
/// Any thread may call anything at any time.
#pragma once

#include <mutex>
#include <stop_token>

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"

namespace blitz::detail {

class StopRequest {
 public:
  StopRequest() = default;
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  /// A hint, which orders nothing.
  [[nodiscard]] bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

  /// The flag is up, and the callbacks of the token have been called, when it returns.
  BLITZ_API void request() noexcept;

  /// Allocates at the first call; throws std::bad_alloc.
  [[nodiscard]] BLITZ_API std::stop_token token();

  /// Takes a request back if `test()` holds, which sees all that its thread did before it made the request. Tokens that
  /// have been told remain so; later ones are others.
  template <class Test>
  void forget_if(Test&& test) noexcept {
    if (!requested()) return;
    const std::lock_guard lock(mutex_);
    if (!test()) return;
    requested_.store(false, std::memory_order_relaxed);  // As requested().
    source_ = std::stop_source(std::nostopstate);
  }

 private:
  Atomic<bool> requested_{false};  // written under the mutex, read by all
  Mutex mutex_;                    // guards ...
  std::stop_source source_{std::nostopstate};
};

}  // namespace blitz::detail
