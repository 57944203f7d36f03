/// blitz/detail/sys/thread.hpp on simulated threads, so that a pool can start its threads. The body of a test starts them, and
/// one of its threads joins them. An execution that is cut short leaves threads unjoined.
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
  /// 1 once the thread has ended. The thread writes it, the joining thread reads it.
  std::unique_ptr<Atomic<std::uint32_t>> ended_;
};

}  // namespace blitz::detail
