/// The end of a loop without values: its caller learns that each block has run.
///
/// A worker that takes a part copies it. It is counted until it has run the copy. So the worker that offered the part does not
/// wait for it. If it did, the loop would end by a chain of waits, one for each time that it was halved, and each wait would
/// need a wake-up if its worker slept.
///
/// *The caller returns after all other workers have left.* The caller is counted from the beginning. A worker that takes a part
/// is counted before the part's owner learns of it. The owner is counted until then, as the caller or for another part. So
/// while a part is on offer or runs, at least one worker is counted in addition to the caller, or the caller has not yet begun
/// to wait. The count reaches 0 once, and only after the last block.
///
/// Pairs:
///   [left]  leave: fetch_sub (release)  ->  wait: load or fetch_sub (acquire),
///                                           leave of the last: fetch_sub (acquire), then the latch
#pragma once

#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/job/latch.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

/// Lives in the frame of the call. The caller calls wait, once. Each worker that takes a part calls enter, then leave.
class FlatEnd {
 public:
  explicit FlatEnd(const WorkerBase& caller) noexcept : all_left_(caller.tag()) {}
  FlatEnd(const FlatEnd&) = delete;
  FlatEnd& operator=(const FlatEnd&) = delete;

  /// Before the part's latch is set. Relaxed: the latch orders it before the owner leaves.
  void enter() noexcept { inside_.fetch_add(1, std::memory_order_relaxed); }
  /// After the last block of the part. The caller may return now.
  void leave() noexcept {
    if (inside_.fetch_sub(1, std::memory_order_acq_rel) == 1) all_left_.set();  // [left]
  }
  /// After the caller's own last block. Returns after all others have left, and sees their results.
  void wait(WorkerBase& caller) noexcept {
    // Usually no other worker has come, or all have left.
    if (inside_.load(std::memory_order_acquire) == 1) return;          // [left]
    if (inside_.fetch_sub(1, std::memory_order_acquire) == 1) return;  // [left]
    caller.wait_until(all_left_.core());
  }

 private:
  // Written by the caller, and by each worker twice for each part that it takes.
  alignas(kCacheLine) Atomic<std::uint64_t> inside_{1};
  WorkerLatch all_left_;
};

}  // namespace blitz::detail
