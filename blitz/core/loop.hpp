/// The engine of the parallel loops: runs a body over the blocks of [0, count), splitting on demand.
#pragma once

#include <algorithm>
#include <stop_token>
#include <type_traits>

#include "blitz/core/claims.hpp"
#include "blitz/core/items.hpp"
#include "blitz/core/latch.hpp"
#include "blitz/core/loop_end.hpp"
#include "blitz/core/splitter.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

/// One loop. Body is called as body(first, last), for blocks that are not empty and cover [0, count) once. It returns
/// nothing, or whether it wants the loop to end.
///
/// W is the kind of worker it runs on; all workers of a loop are of one pool. How it ends before its time: see LoopEnd.
template <class W, class Body>
class Loop {
 public:
  Loop(Body& body, LoopIndex grain, const std::stop_token& stop) noexcept
      : body_(body), grain_(grain > 0 ? grain : 1), end_(stop) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Splits while there are takers. Where there cannot be any, and nobody can stop it, it is the plain loop.
  void run_adaptive(W& worker, LoopIndex count) {
    shared_ = worker.num_threads() > 1;
    if (shared_ || end_.may_be_stopped()) {
      Pace pace(grain_);
      run(worker, 0, count, pace, shared_);
    } else {
      run_block(0, count);
    }
    end_.rethrow();
  }

  /// Cuts `count` into as many equal blocks as there are workers, or fewer, of at least the grain. What is offered is a
  /// call to run any one block: each worker that takes it begins with the block of its own index.
  void run_fixed(W& worker, LoopIndex count) {
    const LoopIndex workers = std::min<LoopIndex>(worker.num_threads(), Claims::kMost);
    const LoopIndex blocks = std::min(std::max<LoopIndex>(count / grain_, 1), workers);
    Cut cut{Pieces(count, blocks), Claims(blocks)};
    run_pieces(worker, cut, blocks, cut.claims.claim(worker.index()));
    end_.rethrow();
  }

 private:
  /// The far half of what a worker had left, on offer.
  struct Half final : Job {
    Half(Loop& the_loop, W& owner, LoopIndex from, LoopIndex to, const Pace& the_pace) noexcept
        : Job(&execute_it), loop(the_loop), first(from), last(to), pace(the_pace), latch(owner) {}

    static void execute_it(Job* job, WorkerBase& worker) noexcept {
      auto& self = *static_cast<Half*>(job);
      self.loop.run(static_cast<W&>(worker), self.first, self.last, self.pace, self.loop.shared_);
      self.latch.set();
    }

    Loop& loop;
    LoopIndex first;
    LoopIndex last;
    Pace pace;
    WorkerLatch latch;
  };

  struct Cut {
    const Pieces pieces;
    Claims claims;
  };

  /// Half of the pieces of a fixed cut, whichever these will be.
  struct HalfOfPieces final : Job {
    HalfOfPieces(Loop& the_loop, W& owner, Cut& the_cut, LoopIndex how_many) noexcept
        : Job(&execute_it), loop(the_loop), cut(the_cut), count(how_many), latch(owner) {}

    static void execute_it(Job* job, WorkerBase& worker) noexcept {
      auto& self = *static_cast<HalfOfPieces*>(job);
      self.loop.run_pieces(static_cast<W&>(worker), self.cut, self.count, self.cut.claims.claim(worker.index()));
      self.latch.set();
    }

    Loop& loop;
    Cut& cut;
    LoopIndex count;
    WorkerLatch latch;
  };

  /// `eager`: the first offer is made to whoever will be idle soon. A worker that is about to be would otherwise miss a
  /// loop of few and long blocks altogether.
  void run(W& worker, LoopIndex first, const LoopIndex last, Pace& pace, bool eager) noexcept {
    while (first < last && !end_.ended()) {
      const LoopIndex left = last - first;
      if (left / 2 >= grain_ && pace.may_offer() && worker.queue_empty() && (eager || worker.somebody_idle())) {
        eager = false;
        const LoopIndex middle = first + left / 2;
        pace.offering();
        Half half(*this, worker, middle, last, pace);
        const auto place = end_.offer(worker, half);
        if (!place) return;
        run(worker, first, middle, pace, false);
        if (!end_.take_back(worker, *place, half, half.latch.core())) return;
        first = middle;
        pace.offer_refused();
        continue;
      }
      first = pace.run_next(first, last, [this](LoopIndex from, LoopIndex to) { run_block(from, to); });
    }
  }

  /// Runs, or has others run, `count` pieces of the cut, among them `mine`, which was claimed before others could be asked
  /// to help.
  void run_pieces(W& worker, Cut& cut, LoopIndex count, LoopIndex mine) noexcept {
    while (count > 1) {
      const LoopIndex half = count / 2;
      HalfOfPieces other(*this, worker, cut, count - half);
      const auto place = end_.offer(worker, other);
      if (!place) return;
      run_pieces(worker, cut, half, mine);
      if (!end_.take_back(worker, *place, other, other.latch.core())) return;
      count -= half;
      mine = cut.claims.claim(worker.index());
    }
    if (!end_.ended()) run_block(cut.pieces.begin(mine), cut.pieces.begin(mine + 1));
  }

  void run_block(LoopIndex first, LoopIndex last) noexcept {
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Body&, LoopIndex, LoopIndex>>) {
        body_(first, last);
      } else if (body_(first, last)) {
        end_.stop();
      }
    } catch (...) {
      end_.fail();
    }
  }

  Body& body_;
  LoopIndex grain_;
  bool shared_ = false;  // there are other workers; written before anything is offered
  LoopEnd end_;
};

}  // namespace blitz::detail
