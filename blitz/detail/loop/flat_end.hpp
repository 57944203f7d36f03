/// The end of a loop whose parts have no values: how its caller learns that all of it has run.
///
/// A worker that takes a part copies it, and is counted from then on until it has run what it copied. So the worker that offered the
/// part does not wait for it. If it did, the loop would end by a chain of waits, one for each time that it was halved, and each
/// would end with a wake-up if its worker slept.
///
/// *The caller returns after all others have left.* The caller is counted from the beginning. A worker that takes a part is counted
/// before the part's owner learns of it, and until then the owner is counted, as the caller or for a part of its own. So the count
/// is 1 or less, with the caller not gone, only when no part is on offer or running; and it is 0 only once.
///
/// Pairs:
///   [left]  leave: fetch_sub (release)  ->  wait: load or fetch_sub (acquire), leave of the last: fetch_sub (acquire), then the latch
#pragma once

#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/job/latch.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

/// In the frame of the call. Who may call what: wait, the caller, once; enter, then leave, each worker that takes a part.
class FlatEnd {
 public:
  explicit FlatEnd(const WorkerBase& caller) noexcept : all_left_(caller.tag()) {}
  FlatEnd(const FlatEnd&) = delete;
  FlatEnd& operator=(const FlatEnd&) = delete;

  /// Before the owner of the part learns that it is taken. Relaxed: by what tells the owner, it comes before the owner leaves.
  void enter() noexcept { inside_.fetch_add(1, std::memory_order_relaxed); }
  /// After the last block of the part. The caller may return now.
  void leave() noexcept {
    if (inside_.fetch_sub(1, std::memory_order_acq_rel) == 1) all_left_.set();  // [left]
  }
  /// After the caller's own last block. Returns when all others have left, and what they have written is seen.
  void wait(WorkerBase& caller) noexcept {
    // Without the exchange if nobody else has come, or all have left.
    if (inside_.load(std::memory_order_acquire) == 1) return;           // [left]
    if (inside_.fetch_sub(1, std::memory_order_acquire) == 1) return;  // [left]
    caller.wait_until(all_left_.core());
  }

 private:
  // Written by the caller, and by each worker twice for each part that it takes.
  alignas(kCacheLine) Atomic<std::uint64_t> inside_{1};
  WorkerLatch all_left_;
};

}  // namespace blitz::detail
