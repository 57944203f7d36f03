/// The end of a loop without values: its caller learns that each block has run.
///
/// A worker that takes a part copies it, and the worker that offered it does not wait. If it did, the loop would end by a chain of
/// waits, one for each time that it was halved, and each wait would need a wake-up if its worker slept.
///
/// The caller begins with all *tickets*. Each part on offer has half of its owner's, and gets them back to the owner if no worker
/// takes it. A worker that takes it has its tickets, and returns its own when it has run its last block. So to take a part writes no
/// shared word, and to finish it writes one, once. A share with a single ticket issues new ones before it divides them.
///
/// *The caller returns after all other workers have left.* The tickets that are issued and not returned are those of the caller, of
/// the parts on offer and of the workers that run a part: a part and its tickets have one owner at any time. Each of these has at
/// least one. So the number is 0 only after the caller has begun to wait, no part is on offer or runs, and no more can be issued.
///
/// `tests/model/flat_end.pml` searches small loops exhaustively, `tests/interleave/loop_test.cpp` runs this header.
///
/// Source: the credits of F. Mattern, "Global quiescence detection based on credit distribution and recovery", Information
/// Processing Letters 30, 1989.
///
/// Pairs:
///   [left]  leave: fetch_sub (release)  ->  wait: load or fetch_sub (acquire),
///                                           leave of the last: fetch_sub (acquire), then the latch
#pragma once

#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/job/latch.hpp"
#include "blitz/detail/wake/linger.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

/// Lives in the frame of the call. The caller calls wait, once. Each worker that takes a part calls leave.
class FlatEnd {
 public:
  using Tickets = std::uint64_t;
  static constexpr Tickets kAll = kTicketsOfLoop;

  explicit FlatEnd(const WorkerBase& caller) noexcept : all_left_(caller.tag()) {}
  FlatEnd(const FlatEnd&) = delete;
  FlatEnd& operator=(const FlatEnd&) = delete;

  /// Returns half of a share's tickets, for a part that it offers. Both have at least one then.
  [[nodiscard]] Tickets divide(Tickets& tickets) noexcept {
    if (tickets == 1) [[unlikely]] {
      issued_.fetch_add(kAll, std::memory_order_relaxed);  // Relaxed: the ticket that is left returns later.
      tickets += kAll;
    }
    const Tickets half = tickets / 2;
    tickets -= half;
    return half;
  }
  /// After the last block of a part, with the tickets that its share has left. The caller may return now.
  void leave(Tickets tickets) noexcept {
    if (issued_.fetch_sub(tickets, std::memory_order_acq_rel) == tickets) all_left_.set();  // [left]
  }
  /// After the caller's own last block. Returns after all others have left, and sees their results.
  void wait(WorkerBase& caller, Tickets tickets) noexcept {
    // Usually no other worker has come, or all have left.
    if (issued_.load(std::memory_order_acquire) == tickets) return;                // [left]
    if (issued_.fetch_sub(tickets, std::memory_order_acquire) == tickets) return;  // [left]
    caller.wait_until(all_left_.core());
  }

 private:
  // Not yet returned. Written by the caller, and by each worker for each part that it takes.
  alignas(kCacheLine) Atomic<Tickets> issued_{kAll};
  WorkerLatch all_left_;
};

}  // namespace blitz::detail
