/// The engine of the parallel loops: runs a body over the blocks of [0, count), splitting on demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>

#include "blitz/base/atomic.hpp"
#include "blitz/base/ticks.hpp"
#include "blitz/core/latch.hpp"
#include "blitz/core/splitter.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

using LoopIndex = std::uint64_t;

/// One loop. Body is called as body(first, last), for blocks that are not empty and cover [0, count) once.
///
/// W is the kind of worker it runs on; all workers of a loop are of one pool. A block that throws ends the loop: no
/// block that has not begun will begin, and the first exception is kept for the caller. So does the stop request.
template <class W, class Body>
class Loop {
 public:
  Loop(Body& body, LoopIndex grain, const std::stop_token& stop) noexcept
      : body_(body), grain_(grain > 0 ? grain : 1), stop_(stop.stop_possible() ? &stop : nullptr) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Splits while there are takers.
  void run_adaptive(W& worker, LoopIndex count) {
    shared_ = worker.num_threads() > 1;
    run(worker, 0, count, Pace(grain_), shared_);
    rethrow();
  }

  /// Cuts `count` into as many equal blocks as there are workers, or fewer, of at least the grain.
  void run_fixed(W& worker, LoopIndex count) {
    const LoopIndex most = count / grain_ > 0 ? count / grain_ : 1;
    const LoopIndex workers = worker.num_threads();
    const LoopIndex blocks = most < workers ? most : workers;
    run_pieces(worker, Pieces{count / blocks, count % blocks}, 0, blocks);
    rethrow();
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

  /// Equal blocks, the first `longer` of them by one item longer.
  struct Pieces {
    LoopIndex size;
    LoopIndex longer;
    [[nodiscard]] LoopIndex begin(LoopIndex piece) const noexcept {
      return piece * size + (piece < longer ? piece : longer);
    }
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
  void run(W& worker, LoopIndex first, const LoopIndex last, Pace pace, bool eager) noexcept {
    Ticks mark = 0;       // when the last block ended, and ...
    bool marked = false;  // ... whether nothing but this loop has run since
    while (first < last && !ended()) {
      const LoopIndex left = last - first;
      if (left / 2 >= grain_ && pace.may_offer() && worker.queue_empty() && (eager || worker.somebody_idle())) {
        eager = false;
        const LoopIndex middle = first + left / 2;
        Half half(*this, worker, middle, last, pace);
        const auto place = offer(worker, half);
        if (!place) return;
        run(worker, first, middle, pace, false);
        if (!take_back(worker, *place, half)) return;
        first = middle;
        pace.offer_refused();
        marked = false;
        continue;
      }
      const LoopIndex size = pace.next_block(left);
      if (Pace::worth_timing(size, left)) {
        const Ticks start = marked ? mark : ticks_now();
        run_block(first, first + size);
        mark = ticks_now();
        marked = true;
        pace.ran(size, mark - start);
      } else {
        run_block(first, first + size);
      }
      first += size;
    }
  }

  void run_pieces(W& worker, const Pieces& pieces, LoopIndex first, LoopIndex last) noexcept {
    while (last - first > 1) {
      const LoopIndex middle = first + (last - first) / 2;
      FarPieces far(*this, worker, pieces, middle, last);
      const auto place = offer(worker, far);
      if (!place) return;
      run_pieces(worker, pieces, first, middle);
      if (!take_back(worker, *place, far)) return;
      first = middle;
    }
    if (!ended()) run_block(pieces.begin(first), pieces.begin(first + 1));
  }

  /// Nothing, with the loop ended, if the queue could not grow.
  [[nodiscard]] std::optional<typename W::Place> offer(W& worker, Job& job) noexcept {
    try {
      return worker.offer(&job);
    } catch (...) {
      fail();
      return std::nullopt;
    }
  }

  /// True: nobody took the job. False: somebody did, and has finished it.
  template <class J>
  [[nodiscard]] static bool take_back(W& worker, typename W::Place place, J& job) noexcept {
    CoreLatch& done = job.latch.core();
    if (!done.probe() && worker.take_back(place)) [[likely]]
      return true;
    return reclaim(worker, job, done);
  }

  void run_block(LoopIndex first, LoopIndex last) noexcept {
    try {
      body_(first, last);
    } catch (...) {
      fail();
    }
  }

  [[nodiscard]] bool ended() const noexcept {
    if (ended_.load(std::memory_order_relaxed)) return true;  // The sooner seen the better, but nothing hangs on it.
    return stop_ != nullptr && stop_->stop_requested();
  }

  /// In a handler: keeps the exception if it is the first.
  BLITZ_COLD void fail() noexcept {
    // Relaxed: the latches of the loop's jobs order error_ before rethrow().
    if (!ended_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
  }

  void rethrow() {
    if (ended_.load(std::memory_order_relaxed)) [[unlikely]]
      std::rethrow_exception(error_);
  }

  Body& body_;
  LoopIndex grain_;
  bool shared_ = false;  // there are other workers; written before anything is offered
  const std::stop_token* stop_;
  Atomic<bool> ended_{false};
  std::exception_ptr error_;  // written once, by whoever set ended_
};

}  // namespace blitz::detail
