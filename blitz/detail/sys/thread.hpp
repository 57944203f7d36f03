/// A thread of a pool: with a name, a stack size, optionally a fixed processor, and with the program's signals blocked.
///
/// Uses the threads of POSIX or Windows, and std::thread on other systems, or if BLITZ_PORTABLE is defined. Windows has no
/// signals to block.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/sys/thread_options.hpp"

namespace blitz::detail {

/// The function of a thread.
using ThreadEntry = void (*)(void*);

/// The system's part of Thread. A handle is a word that only the system interprets.
using ThreadHandle = std::uintptr_t;
[[nodiscard]] BLITZ_API ThreadHandle start_thread(ThreadEntry entry, void* argument, const ThreadOptions& options);
BLITZ_API void join_thread(ThreadHandle handle) noexcept;
/// Frees the handle; the thread continues.
BLITZ_API void forget_thread(ThreadHandle handle) noexcept;

/// Must be joined (or abandoned) before it is destroyed.
class Thread {
 public:
  Thread() noexcept = default;

  /// Runs entry(argument), which must not throw, in a new thread.
  ///
  /// The new thread blocks every signal, so that the program's own threads receive them, except those that a fault of the
  /// thread itself raises (SIGSEGV and the like: a crash handler must run) and SIGPROF (for sampling profilers). The caller's
  /// signal mask is the same before and after.
  ///
  /// Throws std::system_error if the thread cannot be started; its message names the option to change. Throws std::bad_alloc.
  Thread(ThreadEntry entry, void* argument, const ThreadOptions& options)
      : handle_(start_thread(entry, argument, options)), joinable_(true) {}

  Thread(Thread&& other) noexcept : handle_(other.handle_), joinable_(std::exchange(other.joinable_, false)) {}
  Thread& operator=(Thread&& other) noexcept {
    assert(!joinable_);
    handle_ = other.handle_;
    joinable_ = std::exchange(other.joinable_, false);
    return *this;
  }
  ~Thread() { assert(!joinable_); }

  /// True from construction until join() or abandon(), or until moved from.
  [[nodiscard]] bool joinable() const noexcept { return joinable_; }

  /// Requires joinable(). The thread itself must not call it.
  void join() noexcept {
    assert(joinable_);
    join_thread(handle_);
    joinable_ = false;
  }

  /// Detaches from the thread without joining it: for a forked child, where the parent's threads do not exist.
  void abandon() noexcept {
    forget_thread(handle_);
    joinable_ = false;
  }

 private:
  ThreadHandle handle_ = 0;
  bool joinable_ = false;
};

/// The stack size in bytes of a thread without that option; 0 if the system does not provide it.
[[nodiscard]] BLITZ_API std::size_t default_stack_size() noexcept;

}  // namespace blitz::detail
