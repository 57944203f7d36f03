/// The engine of the parallel loops: runs a body over the blocks of [0, count), splitting on demand.
#pragma once

#include <algorithm>
#include <stop_token>
#include <type_traits>

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

  /// Cuts `count` into as many equal blocks as there are workers, or fewer, of at least the grain.
  void run_fixed(W& worker, LoopIndex count) {
    const LoopIndex workers = worker.num_threads();
    const LoopIndex blocks = std::min(std::max<LoopIndex>(count / grain_, 1), workers);
    run_pieces(worker, Pieces(count, blocks), 0, blocks);
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

  /// The far half of a fixed cut.
  struct FarPieces final : Job {
    FarPieces(Loop& the_loop, W& owner, const Pieces& all, LoopIndex from, LoopIndex to) noexcept
        : Job(&execute_it), loop(the_loop), pieces(all), first(from), last(to), latch(owner) {}

    static void execute_it(Job* job, WorkerBase& worker) noexcept {
      auto& self = *static_cast<FarPieces*>(job);
      self.loop.run_pieces(static_cast<W&>(worker), self.pieces, self.first, self.last);
      self.latch.set();
    }

    Loop& loop;
    Pieces pieces;
    LoopIndex first;
    LoopIndex last;
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

  void run_pieces(W& worker, const Pieces& pieces, LoopIndex first, LoopIndex last) noexcept {
    while (last - first > 1) {
      const LoopIndex middle = first + (last - first) / 2;
      FarPieces far(*this, worker, pieces, middle, last);
      const auto place = end_.offer(worker, far);
      if (!place) return;
      run_pieces(worker, pieces, first, middle);
      if (!end_.take_back(worker, *place, far, far.latch.core())) return;
      first = middle;
    }
    if (!end_.ended()) run_block(pieces.begin(first), pieces.begin(first + 1));
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
