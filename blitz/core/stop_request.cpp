#include "blitz/core/stop_request.hpp"

namespace blitz::detail {

void StopRequest::request() noexcept {
  std::stop_source source(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    requested_.store(true, std::memory_order_relaxed);  // As requested().
    source = source_;
  }
  // Without the mutex: a callback may call members of this.
  source.request_stop();
}

std::stop_token StopRequest::token() {
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

}  // namespace blitz::detail
