/// Control of the processor that a woken thread starts to run on.
///
/// Linux tends to start a woken thread on its waker's processor, expecting the waker to block soon. A worker that wakes another
/// to share its work does not block: the woken thread preempts it, and the two take turns on one processor while another is
/// idle. So the waker removes its own processor from the sleeper's affinity mask before it wakes it, and the sleeper restores
/// the mask as soon as it runs.
///
/// Nothing happens if the system refuses to change the mask, if the mask has no other processor, or outside Linux.
#pragma once

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// The next step of a waker. A waker that stays busy keeps its processor, so the woken thread is sent to another. A waker that
/// calls again wakes a worker for a series of calls.
enum class Waker : unsigned char { kBlocks, kStaysBusy, kCallsAgain };

#if defined(__linux__) && !defined(BLITZ_PORTABLE)

class Placement {
 public:
  /// Called by the thread itself, once, before any wake-up.
  BLITZ_API void adopt() noexcept;

  /// Called by the thread that is about to wake it, one at a time. Two system calls.
  BLITZ_API void keep_off_this_processor() noexcept;

  /// Called by the thread itself after it was woken. Two system calls if there is anything to undo. A mask that was changed in
  /// the meantime is kept.
  void restore() noexcept {
    if (narrowed_) undo();
  }

 private:
  static constexpr unsigned kProcessors = 1024;  // on larger machines the kernel refuses the mask, and nothing happens

  BLITZ_API void undo() noexcept;

  Atomic<int> thread_{0};  // written by adopt
  // Written by the waker; the wake-up publishes them to the thread.
  bool narrowed_ = false;
  int without_ = 0;  // the processor removed from mask_
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
