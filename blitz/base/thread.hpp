/// A thread of a pool: named, with a stack of the size asked for, on a processor of its own where that is wanted, and
/// deaf to the signals meant for the program.
///
/// POSIX threads where there are any, std::thread elsewhere or where BLITZ_PORTABLE is defined; thread.cpp chooses.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "blitz/base/export.hpp"

namespace blitz::detail {

struct ThreadOptions {
  /// Cut to the 15 bytes that the Linux kernel keeps. Where threads have no names it is ignored.
  std::string name = {};
  /// In bytes, rounded up to whole pages; 0: the system's default.
  std::size_t stack_size = 0;
  /// The one processor to run on, from the first instruction; none: wherever the system likes.
  std::optional<unsigned> processor = {};
};

/// Joined by whoever started it, always: destroying a Thread that is joinable is a mistake of the caller's.
class BLITZ_API Thread {
 public:
  using Entry = void (*)(void*);

  Thread() noexcept;

  /// Runs entry(argument), which must not throw, in a new thread.
  ///
  /// The new thread blocks every signal, so that the program's own threads get them, except those which a fault of the
  /// thread itself raises (SIGSEGV and the like: a crash handler must still run) and SIGPROF (a sampling profiler must
  /// see the workers). The caller's signal mask is the same before and after.
  ///
  /// Throws std::system_error, saying which option to change, if the thread cannot be made as asked; std::bad_alloc.
  Thread(Entry entry, void* argument, const ThreadOptions& options);

  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  ~Thread();

  /// True from construction until join() or until moved from.
  [[nodiscard]] bool joinable() const noexcept { return impl_ != nullptr; }

  /// Waits for the entry function to return; joinable() before, and not called from the thread itself.
  void join() noexcept;

  /// Forgets a thread that does not exist: in a forked child, one of the parent's.
  void abandon() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// For tests of a pool that cannot start all its threads: while set, it is asked once for each thread to be made, and
/// where it answers true, the thread is not made, as if the system had said EAGAIN. Set it while no thread is being
/// made.
using ThreadCreateFault = bool (*)();
BLITZ_API extern constinit ThreadCreateFault thread_create_fault;

}  // namespace blitz::detail
