/// blitz/detail/sys/thread.hpp on the simulated threads, so that a pool can start its own: started by the body of a test, joined
/// by one of its threads. A run that is cut short leaves threads that nobody joins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/sys/futex.hpp"
#include "blitz/detail/sys/thread_options.hpp"
#include "tests/support/interleave/scheduler.hpp"

namespace blitz::detail {

class Thread {
 public:
  Thread() noexcept = default;
  Thread(void (*entry)(void*), void* argument, const ThreadOptions& options)
      : ended_(std::make_unique<Atomic<std::uint32_t>>(0)) {
    interleave::scheduler().add_thread(options.name, [entry, argument, &ended = *ended_] {
      entry(argument);
      ended.store(1, std::memory_order_release);
      futex_wake_one(&ended);
    });
  }

  void join() noexcept {
    while (ended_->load(std::memory_order_acquire) == 0) futex_wait(*ended_, 0);
    ended_.reset();
  }
  void abandon() noexcept { ended_.reset(); }

 private:
  /// 1 once the thread has ended. Written by it, read by the one that joins it.
  std::unique_ptr<Atomic<std::uint32_t>> ended_;
};

}  // namespace blitz::detail
