/// blitz/detail/sys/thread.hpp on the simulated threads, so that a pool can start its own: started by the body of a test, joined by
/// one of its threads.
#include "blitz/detail/sys/thread.hpp"

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/sys/futex.hpp"
#include "tests/support/interleave/scheduler.hpp"

namespace blitz::detail {

struct Thread::Impl {
  Atomic<std::uint32_t> ended{0};  // written by the thread, read by the one that joins it
};

Thread::Thread() noexcept = default;
Thread::Thread(Thread&& other) noexcept = default;
Thread& Thread::operator=(Thread&& other) noexcept = default;
Thread::~Thread() = default;

Thread::Thread(Entry entry, void* argument, const ThreadOptions& options) : impl_(std::make_unique<Impl>()) {
  interleave::scheduler().add_thread(options.name, [entry, argument, &ended = impl_->ended] {
    entry(argument);
    ended.store(1, std::memory_order_release);
    futex_wake_one(&ended);
  });
}

void Thread::join() noexcept {
  while (impl_->ended.load(std::memory_order_acquire) == 0) futex_wait(impl_->ended, 0);
  impl_.reset();
}

void Thread::abandon() noexcept { impl_.reset(); }

}  // namespace blitz::detail
