/// The engine of the parallel reductions: folds [0, count) into one value, splitting as the loops do.
///
/// The values of neighbouring parts are combined in their order, so the operation need be associative only. A worker
/// carries one value from block to block, from left to right, and goes on with it in whatever comes back untaken; only
/// a part that another worker took begins with an identity, and is combined when it is done. Thus an adaptive reduction
/// combines as often as it was really shared.
///
/// Where the result must not depend on who ran what, the blocks are the leaves of a balanced tree that follows from the
/// number of items and the grain alone. Each leaf begins with an identity, and each node combines its two halves.
#pragma once

#include <algorithm>
#include <optional>
#include <stop_token>
#include <utility>

#include "blitz/core/latch.hpp"
#include "blitz/core/loop.hpp"
#include "blitz/core/loop_end.hpp"
#include "blitz/core/splitter.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

/// The part of a reduction that knows no worker. F says what is reduced, and is called by several workers at once:
///   F::Value                       movable
///   fold.identity() -> Value       where a part begins
///   fold.fold(value, first, last)  takes the items [first, last), which are not none, into the value
///   fold.combine(left, right)      takes `right`, an rvalue, into the value `left`
/// What one of these throws ends the reduction as it ends a loop.
template <class F>
class Reducer {
 public:
  using Value = typename F::Value;

  Reducer(const F& fold, const std::stop_token& stop) noexcept : fold_(fold), end_(stop) {}
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

 protected:
  /// The value of a part; none before its first block, and in a part that never began.
  using Slot = std::optional<Value>;

  /// Not inline, so that a program has one machine code of it, whichever worker runs it: compilers that fuse
  /// multiplications and additions may do so differently in each copy.
  [[gnu::noinline]] void run_block(LoopIndex first, LoopIndex last, Slot& slot) noexcept {
    try {
      if (!slot) slot.emplace(fold_.identity());
      fold_.fold(*slot, first, last);
    } catch (...) {
      end_.fail();
    }
  }

  /// Takes the value of the part to the right into that of the part to the left.
  void append(Slot& left, Slot& right) noexcept {
    if (!right || end_.failed()) return;
    try {
      if (left) {
        fold_.combine(*left, std::move(*right));
      } else {
        left.emplace(std::move(*right));
      }
    } catch (...) {
      end_.fail();
    }
  }

  /// Throws what was thrown. Nothing has run only if a stop was requested.
  [[nodiscard]] Value outcome(Slot& slot) {
    end_.rethrow();
    if (!slot) return fold_.identity();
    return std::move(*slot);
  }

  LoopEnd& end() noexcept { return end_; }

 private:
  const F& fold_;
  LoopEnd end_;
};

/// One reduction, of a fold as Reducer wants it.
///
/// W is the kind of worker it runs on; all workers of a reduction are of one pool.
template <class W, class F>
class Reduction : Reducer<F> {
 public:
  using typename Reducer<F>::Value;

  Reduction(const F& fold, LoopIndex grain, const std::stop_token& stop) noexcept
      : Reducer<F>(fold, stop), grain_(grain > 0 ? grain : 1) {}

  /// Splits while there are takers.
  Value run_adaptive(W& worker, LoopIndex count) {
    shared_ = worker.num_threads() > 1;
    Slot slot;
    if (shared_ || end().may_be_stopped()) {
      Pace pace(grain_);
      run(worker, 0, count, pace, shared_, slot);
    } else {
      run_block(0, count, slot);
    }
    return outcome(slot);
  }

  /// Cuts `count` into as many equal blocks as there are workers, or fewer, of at least the grain.
  Value run_fixed(W& worker, LoopIndex count) {
    const LoopIndex workers = worker.num_threads();
    const LoopIndex blocks = std::min(std::max<LoopIndex>(count / grain_, 1), workers);
    Slot slot;
    run_pieces(worker, Pieces(count, blocks), 0, blocks, slot);
    return outcome(slot);
  }

  /// Combines along the tree.
  Value run_deterministic(W& worker, LoopIndex count) {
    shared_ = worker.num_threads() > 1;
    const LoopIndex leaves = tree_leaves(count);
    Slot slot;
    run_tree(worker, Pieces(count, leaves), 0, leaves, slot);
    return outcome(slot);
  }

 private:
  using typename Reducer<F>::Slot;
  using Reducer<F>::append;
  using Reducer<F>::end;
  using Reducer<F>::outcome;
  using Reducer<F>::run_block;

  /// A far part, on offer.
  template <class Run>
  struct Part final : Job {
    Part(W& owner, Run& what) noexcept : Job(&execute_it), run(what), latch(owner) {}

    static void execute_it(Job* job, WorkerBase& worker) noexcept {
      auto& self = *static_cast<Part*>(job);
      self.run(static_cast<W&>(worker), self.slot);
      self.latch.set();
    }

    Run& run;  // called with the worker that took it, and with the slot
    Slot slot;
    WorkerLatch latch;
  };

  static constexpr LoopIndex kManyLeaves = 512;  // to share them evenly among many workers
  static constexpr LoopIndex kLargeLeaf = 2048;  // beside which the tree costs little, however cheap the items

  [[nodiscard]] LoopIndex tree_leaves(LoopIndex count) const noexcept {
    const LoopIndex size = std::max(grain_, std::clamp<LoopIndex>(count / kManyLeaves, 1, kLargeLeaf));
    return std::max<LoopIndex>(count / size, 1);
  }

  /// `eager`: the first offer is made to whoever will be idle soon; see Loop.
  void run(W& worker, LoopIndex first, const LoopIndex last, Pace& pace, bool eager, Slot& slot) noexcept {
    while (first < last && !end().ended()) {
      const LoopIndex left = last - first;
      if (left / 2 >= grain_ && pace.may_offer() && worker.queue_empty() && (eager || worker.somebody_idle())) {
        eager = false;
        const LoopIndex middle = first + left / 2;
        pace.offering();
        auto run_far = [this, middle, last, pace](W& taker, Slot& its) mutable noexcept {
          run(taker, middle, last, pace, shared_, its);
        };
        Part<decltype(run_far)> far(worker, run_far);
        const auto place = end().offer(worker, far);
        if (!place) return;
        run(worker, first, middle, pace, false, slot);
        if (!end().take_back(worker, *place, far, far.latch.core())) return append(slot, far.slot);
        first = middle;
        pace.offer_refused();
        continue;
      }
      first = pace.run_next(first, last, [this, &slot](LoopIndex from, LoopIndex to) { run_block(from, to, slot); });
    }
  }

  void run_pieces(W& worker, const Pieces& pieces, LoopIndex first, const LoopIndex last, Slot& slot) noexcept {
    while (last - first > 1) {
      const LoopIndex middle = first + (last - first) / 2;
      const auto run_far = [this, &pieces, middle, last](W& taker, Slot& its) noexcept {
        run_pieces(taker, pieces, middle, last, its);
      };
      Part<decltype(run_far)> far(worker, run_far);
      const auto place = end().offer(worker, far);
      if (!place) return;
      run_pieces(worker, pieces, first, middle, slot);
      if (!end().take_back(worker, *place, far, far.latch.core())) return append(slot, far.slot);
      first = middle;
    }
    if (!end().ended()) run_block(pieces.begin(first), pieces.begin(first + 1), slot);
  }

  /// Every far half is offered: leaves are few, and the oldest offer is the largest.
  void run_tree(W& worker, const Pieces& pieces, LoopIndex first, LoopIndex last, Slot& slot) noexcept {
    if (end().ended()) return;
    if (last - first == 1) return run_block(pieces.begin(first), pieces.begin(last), slot);
    const LoopIndex middle = first + (last - first) / 2;
    const auto run_far = [this, &pieces, middle, last](W& taker, Slot& its) noexcept {
      run_tree(taker, pieces, middle, last, its);
    };
    Part<decltype(run_far)> far(worker, run_far);
    if (!shared_) {
      run_tree(worker, pieces, first, middle, slot);
      far.run(worker, far.slot);
    } else {
      const auto place = end().offer(worker, far);
      if (!place) return;
      run_tree(worker, pieces, first, middle, slot);
      if (end().take_back(worker, *place, far, far.latch.core())) far.run(worker, far.slot);
    }
    append(slot, far.slot);
  }

  LoopIndex grain_;
  bool shared_ = false;  // there are other workers; written before anything is offered
};

}  // namespace blitz::detail
