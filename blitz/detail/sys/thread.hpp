/// A thread of a pool: with a name, a stack size, optionally a processor of its own, and with the program's signals
/// blocked.
///
/// Uses the threads of POSIX or Windows if there are any, else (or if BLITZ_PORTABLE is defined) std::thread; thread.cpp
/// chooses. Windows has no signals to block.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

struct ThreadOptions {
  /// Truncated to the 15 bytes that the Linux kernel keeps. Ignored on systems whose threads have no names.
  std::string name = {};
  /// In bytes, rounded up to whole pages; Windows takes less than 4 GiB. 0: the system's default.
  std::size_t stack_size = 0;
  /// The one processor to run on, from the first instruction. None: any processor.
  std::optional<unsigned> processor = {};
};

/// Must be joined (or abandoned) before it is destroyed.
class BLITZ_API Thread {
 public:
  using Entry = void (*)(void*);

  Thread() noexcept;

  /// Runs entry(argument), which must not throw, in a new thread.
  ///
  /// The new thread blocks every signal, so that the program's own threads receive them, except those that a fault of
  /// the thread itself raises (SIGSEGV and the like: a crash handler must run) and SIGPROF (for sampling profilers).
  /// The caller's signal mask is the same before and after.
  ///
  /// Throws std::system_error, whose message names the option to change, if the thread cannot be started;
  /// std::bad_alloc.
  Thread(Entry entry, void* argument, const ThreadOptions& options);

  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  ~Thread();

  /// True from construction until join() or abandon(), or until moved from.
  [[nodiscard]] bool joinable() const noexcept { return impl_ != nullptr; }

  /// Requires joinable(); not to be called from the thread itself.
  void join() noexcept;

  /// Forgets the thread without joining it: for a forked child, where the parent's threads do not exist.
  void abandon() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The bytes of stack of a thread whose options name none; 0 where the system does not say.
[[nodiscard]] BLITZ_API std::size_t default_stack_size() noexcept;

}  // namespace blitz::detail
