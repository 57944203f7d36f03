/// A request to stop: a flag, which jobs read before they begin, and a std::stop_token of the request, created on first use.
///
/// Any thread may call any member at any time.
#pragma once

#include <mutex>
#include <stop_token>

#include "blitz/detail/base/atomic.hpp"

namespace blitz::detail {

class StopRequest {
 public:
  /// A hint: it orders nothing.
  [[nodiscard]] bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

  /// When it returns, the flag is set, and the callbacks of the token have been called.
  void request() noexcept {
    std::stop_source source(std::nostopstate);
    {
      const std::lock_guard lock(mutex_);
      requested_.store(true, std::memory_order_relaxed);  // As requested().
      source = source_;
    }
    // Without the mutex: a callback may call members of this.
    source.request_stop();
  }

  /// The token of this request. Allocates at the first call; throws std::bad_alloc.
  [[nodiscard]] std::stop_token token() {
    std::stop_source source(std::nostopstate);
    bool stopped = false;
    {
      const std::lock_guard lock(mutex_);
      if (!source_.stop_possible()) source_ = std::stop_source();
      source = source_;
      stopped = requested();
    }
    if (stopped) source.request_stop();
    return source.get_token();
  }

  /// Withdraws a request if `test()` holds. The test sees all that the requesting thread did before the request. Tokens
  /// given out before stay stopped; later tokens are of the next request.
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
  Mutex mutex_;                    // guards source_
  std::stop_source source_{std::nostopstate};
};

}  // namespace blitz::detail
