/// @file
/// ChainedRuns: runs of positions that are claimed from left to right, each of which needs to know what lies to its left
/// before it can be finished: the sum of the items before it, or how many of them are kept. Says which worker does what, and
/// when; it knows neither what the runs hold nor any scheduler.
///
/// A worker claims a run, and then one of two things happens to it:
///   whole   What lies to its left is known already: the worker runs it in one pass. That tells the next run its left.
///   parts   It is not known: the worker sums the run up, and goes on with other runs. When both the sum and the left are
///           there, the run is linked: its left and its sum make the left of the next run. Then some worker finishes it.
///
/// No worker waits for another. Of the worker that sums a run up and the one that tells it its left, the later one links
/// it, and if that completes the next run, links that one too. So one worker at a time links, from left to right. Linked
/// runs are finished in their order, by the workers that ask next. A worker that has linked or finished a run asks until
/// it gets none, so the last worker leaves none behind.
///
/// An algorithm in place writes where items to the left of a run were. Such a run is free, to be run whole or finished,
/// when all runs below a certain position are done.
///
/// After the chained scan with decoupled look-back (D. Merrill, M. Garland, "Single-pass parallel prefix scan with
/// decoupled look-back", NVIDIA 2016), in which a run waits for its left.
///
/// Pairs:
///   [chain]  the sum of a run, written before summed(), and the left of the next one, written before linked()
///            -> both are seen by the worker that links
///   [ready]  linked(): linked_.store  ->  take_linked(): linked_.load
///   [done]   done(): what a run has read and written, by its state and then by done_  ->  done_below(), by the worker
///            that writes there
///   [rest]   done(): the run's state, then that of the run before  <->  the same for that run. In one total order, so
///            that of two workers whose runs are done the later one moves done_ past both.
///            linked(): linked_, then done_below()  <->  done(): done_, then linked_ in take_linked(). In one total order,
///            so that of a worker that links a run and one that frees its place the later one takes it.
/// All are const or atomic; any worker may call any member.
#pragma once

#include <cstddef>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz::detail {

class ChainedRuns {
 public:
  /// Positions [first, last). What is no run has none.
  struct Run {
    LoopIndex first = 0;
    LoopIndex last = 0;

    [[nodiscard]] explicit operator bool() const noexcept { return first != last; }
  };

  /// For `positions` positions. No run but the last may have fewer than `least`. Throws std::bad_alloc. If all fit into one
  /// run it has no memory, and only positions(), slot() and slots() may be called.
  ChainedRuns(LoopIndex positions, LoopIndex least)
      : positions_(positions),
        least_(least),
        most_runs_(positions / least + 1),
        slots_(positions <= least ? OwnedArray<Slot>() : make_array<Slot>(most_runs_)) {
    if (slots_) slots_[0].state.store(kLeftKnown, std::memory_order_relaxed);  // Nobody else has seen it.
  }

  [[nodiscard]] LoopIndex positions() const noexcept { return positions_; }

  /// A number for the run that begins at `first`, below slots(). positions() has one too.
  [[nodiscard]] std::size_t slot(LoopIndex first) const noexcept {
    return first == positions_ ? most_runs_ : first / least_;
  }
  [[nodiscard]] std::size_t slots() const noexcept { return most_runs_ + 1; }

  /// The next run, of `length` positions. All lengths together are no more than positions().
  [[nodiscard]] Run claim(LoopIndex length) noexcept {
    const LoopIndex first = next_.fetch_add(length, std::memory_order_relaxed);  // It gives out numbers, no data.
    at(first).last = first + length;
    return {first, first + length};
  }

  /// Whether what lies to the left of a run is known.
  [[nodiscard]] bool left_known(const Run& run) const noexcept {
    return (at(run.first).state.load(std::memory_order_acquire) & kLeftKnown) != 0;  // [chain]
  }

  /// The run is summed up. If this returns true the caller links it.
  [[nodiscard]] bool summed(const Run& run) noexcept { return tell(run.first, kSummed, kLeftKnown); }

  /// The run is linked, or was run whole and is done. If this returns a run the caller links that one next.
  [[nodiscard]] Run linked(const Run& run) noexcept {
    linked_.store(run.last, std::memory_order_seq_cst);  // [ready] [rest]
    if (run.last == positions_ || !tell(run.last, kLeftKnown, kSummed)) return {};
    return {run.last, at(run.last).last};
  }

  /// The first linked run that nobody has taken, to be finished by the caller, if `is_free(run)`.
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

  /// The run was finished, or run whole.
  void done(const Run& run) noexcept {
    at(run.first).state.fetch_or(kDone, std::memory_order_seq_cst);  // [done] [rest]
    // Relaxed, and so if the exchange fails: from an old position the way leads over runs that are done to the present one.
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
    LoopIndex last = 0;              // where the run ends; written by its worker before all else
  };

  [[nodiscard]] Slot& at(LoopIndex first) const noexcept { return slots_[slot(first)]; }

  /// Returns whether the other of the two was there before.
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
  Atomic<LoopIndex> done_{0};    // all below are done; written by those that finish a run
};

}  // namespace blitz::detail
