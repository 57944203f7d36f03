/// Where a thread that is woken begins to run.
///
/// Linux likes to start a woken thread on the processor of the thread that wakes it, expecting that one to block soon.
/// A worker that wakes another in order to share its work with it has no such plans: the woken thread preempts it, and
/// the two take turns on one processor while another is idle. So the waker takes its own processor out of the sleeper's
/// affinity mask just before it wakes it, and the sleeper puts it back as soon as it runs.
///
/// The calls that change the mask may be refused, or find nothing else in it; then nothing happens. Nothing at all
/// happens outside Linux.
#pragma once

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"

namespace blitz::detail {

/// What the thread that wakes another does next: a busy one keeps its processor, so the woken thread is sent to another.
enum class Waker : bool { kBlocks, kStaysBusy };

#if defined(__linux__) && !defined(BLITZ_PORTABLE)

class Placement {
 public:
  /// The thread itself, once, before anybody wakes it.
  BLITZ_API void adopt() noexcept;

  /// Whoever is about to wake the thread, and nobody else until it has woken. Two system calls.
  BLITZ_API void keep_off_this_processor() noexcept;

  /// The thread itself, awake, after the one who woke it: two system calls if there is anything to undo. A mask that
  /// somebody else has set meanwhile stays.
  void restore() noexcept {
    if (narrowed_) undo();
  }

 private:
  static constexpr unsigned kProcessors = 1024;  // a larger machine's masks are refused by the kernel, and left alone

  BLITZ_API void undo() noexcept;

  Atomic<int> thread_{0};  // written by adopt
  // Handed from waker to thread by whatever wakes it.
  bool narrowed_ = false;
  int without_ = 0;  // the processor that was taken out of ...
  unsigned long mask_[kProcessors / (8 * sizeof(unsigned long))];
};

#else

class Placement {
 public:
  void adopt() noexcept {}
  void keep_off_this_processor() noexcept {}
  void restore() noexcept {}
};

#endif

}  // namespace blitz::detail
