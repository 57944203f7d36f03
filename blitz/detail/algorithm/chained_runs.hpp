/// @file
/// ChainedRuns: runs of positions, claimed from left to right. A run can be finished only if its *left* is known: the sum of
/// all items before the run, or the number of them that are kept. This class decides which worker does which step, and when. It
/// depends neither on the contents of the runs nor on a scheduler.
///
/// A worker claims a run and processes it in one of two ways:
///   whole   Its left is already known. The worker processes the run in one pass. Its result is the left of the next run.
///   parts   Its left is not known. The worker sums the run up, and continues with other runs. When both the sum and the left
///           are known, the run is linked: left plus sum is the left of the next run. Then some worker finishes it.
///
/// No worker waits for another. Two workers complete a run's data: the one that sums it up, and the one that publishes its
/// left. The later of the two links the run. If that completes the next run, it links that one too. So one worker at a time
/// links, from left to right. Linked runs are finished in order, by the workers that ask next. A worker that has linked or
/// finished a run asks until no linked run is left, so all runs are finished.
///
/// An algorithm in place writes to the positions of items to the left of a run. Such a run is free, that is, it may be run
/// whole or finished, when all runs below a certain position are done.
///
/// Source: chained scan with decoupled look-back (D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled
/// look-back", NVIDIA 2016). There, a run waits for its left.
///
/// Pairs:
///   [chain]  the sum of a run, written before summed(), and the left of the next run, written before linked()
///            -> the worker that links sees both
///   [ready]  linked(): linked_.store  ->  take_linked(): linked_.load
///   [done]   done(): the reads and writes of a run, published by its state and then by done_  ->  done_below(), by the worker
///            that writes to the same positions
///   [rest]   done(): the run's state, then the state of the run before  <->  done() of the run before. A single total order:
///            if two workers have finished adjacent runs, the later one moves done_ past both.
///            linked(): linked_, then done_below()  <->  done(): done_, then linked_ in take_linked(). A single total order:
///            if one worker links a run and another one frees its place, the later one takes the run.
/// All members are const or atomic, except Slot::last. Its worker writes it before [chain] or [ready] publishes the run. Any
/// worker may call any member function.
#pragma once

#include <cstddef>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz::detail {

class ChainedRuns {
 public:
  /// Positions [first, last). Empty if there is no run.
  struct Run {
    LoopIndex first = 0;
    LoopIndex last = 0;

    [[nodiscard]] explicit operator bool() const noexcept { return first != last; }
  };

  /// For `positions` positions. All runs except the last must have at least `least`. Throws std::bad_alloc. If all positions
  /// fit into one run, nothing is allocated, and only positions(), slot() and slots() may be called.
  ChainedRuns(LoopIndex positions, LoopIndex least)
      : positions_(positions),
        least_(least),
        most_runs_(positions / least + 1),
        slots_(positions <= least ? OwnedArray<Slot>() : make_array<Slot>(most_runs_)) {
    if (slots_) slots_[0].state.store(kLeftKnown, std::memory_order_relaxed);  // No other thread has seen it.
  }

  [[nodiscard]] LoopIndex positions() const noexcept { return positions_; }

  /// A number below slots() for the run that starts at `first`. positions() also has a number.
  [[nodiscard]] std::size_t slot(LoopIndex first) const noexcept {
    return first == positions_ ? most_runs_ : first / least_;
  }
  [[nodiscard]] std::size_t slots() const noexcept { return most_runs_ + 1; }

  /// The next run, with `length` positions. The sum of all lengths must not exceed positions().
  [[nodiscard]] Run claim(LoopIndex length) noexcept {
    const LoopIndex first = next_.fetch_add(length, std::memory_order_relaxed);  // It gives out numbers, no data.
    at(first).last = first + length;
    return {first, first + length};
  }

  /// Whether the left of a run is known.
  [[nodiscard]] bool left_known(const Run& run) const noexcept {
    return (at(run.first).state.load(std::memory_order_acquire) & kLeftKnown) != 0;  // [chain]
  }

  /// The caller has summed the run up. If this returns true, the caller must link the run.
  [[nodiscard]] bool summed(const Run& run) noexcept { return tell(run.first, kSummed, kLeftKnown); }

  /// The caller has linked the run, or has run it whole and called done(). If this returns a run, the caller must link it next.
  [[nodiscard]] Run linked(const Run& run) noexcept {
    linked_.store(run.last, std::memory_order_seq_cst);  // [ready] [rest]
    if (run.last == positions_ || !tell(run.last, kLeftKnown, kSummed)) return {};
    return {run.last, at(run.last).last};
  }

  /// The first linked run that no worker has taken, if `is_free(run)`. The caller must finish it.
  template <class IsFree>
  [[nodiscard]] Run take_linked(const IsFree& is_free) noexcept {
    LoopIndex first = taken_.load(std::memory_order_relaxed);  // It gives out numbers; [ready] hands the run over.
    while (first < linked_.load(std::memory_order_seq_cst)) {  // [ready] [rest]
      const Run run{first, at(first).last};
      const bool whole = (at(first).state.load(std::memory_order_relaxed) & kDone) != 0;  // Set before it was linked.
      if (!whole && !is_free(run)) break;
      if (taken_.compare_exchange_weak(first, run.last, std::memory_order_relaxed, std::memory_order_relaxed)) {
        if (!whole) return run;
        first = run.last;
      }
    }
    return {};
  }

  /// The caller has finished the run, or has run it whole.
  void done(const Run& run) noexcept {
    at(run.first).state.fetch_or(kDone, std::memory_order_seq_cst);  // [done] [rest]
    // Relaxed, also if the exchange fails: from an old position the loop passes runs that are done up to the present position.
    LoopIndex below = done_.load(std::memory_order_relaxed);
    while (below < positions_ && (at(below).state.load(std::memory_order_seq_cst) & kDone) != 0) {  // [done] [rest]
      const LoopIndex next = at(below).last;
      if (done_.compare_exchange_weak(below, next, std::memory_order_seq_cst, std::memory_order_relaxed)) below = next;
    }
  }
  /// All runs below this position are done.
  [[nodiscard]] LoopIndex done_below() const noexcept {
    return done_.load(std::memory_order_seq_cst);
  }  // [done] [rest]

 private:
  static constexpr unsigned char kLeftKnown = 1;
  static constexpr unsigned char kSummed = 2;
  static constexpr unsigned char kDone = 4;

  struct Slot {
    Atomic<unsigned char> state{0};  // written by the run's worker, the linker of the run before, and the finisher
    LoopIndex last = 0;              // the end of the run; its worker writes it first
  };

  [[nodiscard]] Slot& at(LoopIndex first) const noexcept { return slots_[slot(first)]; }

  /// Sets `what`. Returns whether `other` was set before.
  bool tell(LoopIndex first, unsigned char what, unsigned char other) noexcept {
    return (at(first).state.fetch_or(what, std::memory_order_acq_rel) & other) != 0;  // [chain]
  }

  const LoopIndex positions_;
  const LoopIndex least_;
  const std::size_t most_runs_;
  const OwnedArray<Slot> slots_;
  Atomic<LoopIndex> next_{0};    // all below are claimed; written by claimers
  Atomic<LoopIndex> linked_{0};  // all below are linked; written by the linker
  Atomic<LoopIndex> taken_{0};   // all below are taken to be finished, or were run whole; written by finishers
  Atomic<LoopIndex> done_{0};    // all below are done; written by workers that finish a run
};

}  // namespace blitz::detail
