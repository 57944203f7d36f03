// The engine of loops and reductions: runs a Loop on the workers of one pool, and splits it on demand.
//
// A worker carries one value from block to block, from left to right, and goes on with it in each far part that no worker took.
// Only a part that another worker took begins with a new value, which is combined when the part is done. So values of
// neighbours are combined in their order, and an adaptive reduction combines once for each part that was taken.
//
// A loop with values ends part by part, because values are combined in their order: a worker waits for the parts that it has
// offered. Without values only the caller waits (flat_end.hpp).
//
// Early end: if a block throws, or a queue cannot grow, no new blocks start, running blocks finish, and the caller receives the
// first exception. A stop request, or a block that returns true, ends the loop without an exception. If a running block throws
// after that, the caller still receives the exception.
#include "blitz/detail/loop/loop.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/saturated.hpp"
#include "blitz/detail/job/latch.hpp"
#include "blitz/detail/loop/claims.hpp"
#include "blitz/detail/loop/flat_end.hpp"
#include "blitz/detail/loop/pace.hpp"
#include "blitz/detail/wake/handover.hpp"
#include "blitz/detail/worker/worker.hpp"
#include "blitz/stopped.hpp"

namespace blitz::detail {
namespace {

/// One run of a loop, in the frame of the call.
class LoopDriver {
 public:
  LoopDriver(const Loop& loop, const WorkerBase& caller) noexcept
      : loop_(loop), shared_(caller.num_threads() > 1), end_(caller) {}
  LoopDriver(const LoopDriver&) = delete;
  LoopDriver& operator=(const LoopDriver&) = delete;

  /// Runs the loop on the caller's `worker`. Throws the first exception.
  void run(WorkerBase& worker, void* value) {
    if (!by_pieces()) {
      begin(worker, value, loop_.count);
    } else if (loop_.cut == LoopCut::kTree) {
      cut_into(worker, value, leaves());
    } else {
      cut_for_workers(worker, value);
    }
    // Relaxed: the end of the loop, or the latches of its parts, order error_ before this.
    if (state() == State::kFailed) [[unlikely]]
      std::rethrow_exception(std::move(error_));
  }

 private:
  static constexpr LoopIndex kManyLeaves = 512;  // to share them evenly among many workers
  static constexpr LoopIndex kLargeLeaf = 2048;  // The tree costs little compared with it, however cheap the positions.
  static constexpr LoopIndex kFewBlocks = 1024;  // All are offered before one that may be long, in ten nested frames.
  static constexpr LoopIndex kNoPiece = ~LoopIndex{0};
  static constexpr float kNotAsked = -1;

  enum class State : unsigned char { kRunning, kStopped, kFailed };  // It only advances.

  /// One worker's part of the loop, which it runs from left to right.
  struct Share {
    WorkerBase& worker;
    void* value;
    Pace pace;
    bool eager;                             // Make the first offer even if no worker is idle yet: see may_split.
    Audience audience = Audience::kNobody;  // of the next offer
    LoopIndex ahead = 0;        // half of this worker's lead, in positions, over the one that takes the next offer
    float usual = kNotAsked;    // ticks that an item took the last time; 0: not known
    Ticks asked = 0;            // the time of the look-up, if it was not known
    LoopIndex mine = kNoPiece;  // the piece that this worker has claimed to run next
    FlatEnd::Tickets tickets = FlatEnd::kAll;  // in a loop without values
  };

  /// A far part on offer. [first, last) are positions, or pieces.
  struct Part final : Job {
    Part(LoopDriver& the_driver, const Share& share, LoopIndex from, LoopIndex to, void* its_value,
         FlatEnd::Tickets tickets_for_it) noexcept
        : Job(&execute_it),
          driver(the_driver),
          first(from),
          last(to),
          value(its_value),
          pace(share.pace),
          usual(share.usual),
          tickets(tickets_for_it),
          latch(share.worker.tag()) {}

    static void execute_it(Job* job, WorkerBase& worker) noexcept {
      auto& self = *static_cast<Part*>(job);
      LoopDriver& driver = self.driver;
      const LoopIndex first = self.first, last = self.last;
      Share share{worker, self.value, self.pace, driver.shared_};
      share.usual = self.usual;
      share.tickets = self.tickets;
      if (driver.has_values()) {
        driver.work_on(share, first, last);
        return self.latch.set();
      }
      self.latch.set();  // The part belongs to its owner again.
      driver.work_on(share, first, last);
      driver.end_.leave(share.tickets);
    }

    LoopDriver& driver;
    LoopIndex first;
    LoopIndex last;
    void* value;
    Pace pace;
    float usual;  // see Share
    FlatEnd::Tickets tickets;
    WorkerLatch latch;
  };

  // --- cutting ---

  /// Whether the loop is cut into pieces at its beginning, not on demand.
  [[nodiscard]] bool by_pieces() const noexcept { return loop_.cut != LoopCut::kAdaptive; }
  [[nodiscard]] bool has_values() const noexcept { return loop_.with_value != nullptr; }

  [[gnu::noinline]] void cut_for_workers(WorkerBase& worker, void* value) noexcept {
    const LoopIndex most = value == nullptr ? Claims::kMost : loop_.count;
    const LoopIndex workers = std::min<LoopIndex>(worker.num_threads(), most);
    const LoopIndex blocks = std::min(std::max<LoopIndex>(loop_.count / loop_.grain, 1), workers);
    if (value != nullptr) return cut_into(worker, value, blocks);
    Claims claims(blocks);
    claims_ = &claims;
    cut_into(worker, value, blocks);
  }

  [[nodiscard]] LoopIndex leaves() const noexcept {
    const LoopIndex size = std::max(loop_.grain, std::clamp<LoopIndex>(loop_.count / kManyLeaves, 1, kLargeLeaf));
    return std::max<LoopIndex>(loop_.count / size, 1);
  }

  void cut_into(WorkerBase& worker, void* value, LoopIndex count) noexcept {
    pieces_ = Pieces(loop_.count, count);
    begin(worker, value, count);
  }

  void begin(WorkerBase& worker, void* value, LoopIndex count) noexcept {
    Share share{worker, value, Pace(loop_.grain), shared_};
    work_on(share, 0, count);
    if (!has_values()) end_.wait(worker, share.tickets);
    if (share.usual != kNotAsked && (share.pace.timed() || share.asked != 0)) learn(share);
  }

  /// At the end of the loop. If at most the first block was timed, the time of the whole loop is more accurate.
  BLITZ_COLD void learn(const Share& share) const noexcept {
    const float taken =
        share.asked == 0 || share.pace.timed_well()
            ? share.pace.per_item()
            : static_cast<float>(ticks_between(share.asked, ticks_now())) / static_cast<float>(loop_.count);
    // 0 means unknown, and a block may take no tick of a clock with 24 ticks a microsecond.
    share.worker.history()[loop_.name] = std::max(taken, 1e-6F);
  }

  // --- the algorithm ---

  void work_on(Share& share, LoopIndex first, const LoopIndex last) noexcept {
    while (first < last && !ended()) {
      // Before an offer is made: another worker could take that piece.
      if (claims_ != nullptr && share.mine == kNoPiece) share.mine = claims_->claim(share.worker.index());
      if (may_split(share, last - first)) {
        LoopIndex middle = first + (last - first) / 2 + std::exchange(share.ahead, 0);
        if (!by_pieces()) middle = end_of_line(first, middle, loop_.grain);
        if (!split(share, first, middle, last)) return;
        first = middle;
      } else {
        first = next_block(share, first, last);
      }
    }
  }

  /// Pieces are few, and all are offered, so that the oldest offer is the largest. Positions are offered if they are wanted,
  /// and if nothing is on offer or an idle worker would take one part more. The first offer of a share is made even if no
  /// worker is idle yet, and, in a loop of few blocks, even if one must be woken: otherwise nobody would help with few and long
  /// blocks. Before a block that may be long all others are offered, unless they are many: a worker may become idle while it
  /// runs.
  [[nodiscard]] bool may_split(Share& share, LoopIndex left) const noexcept {
    if (by_pieces()) {
      if (left > 1) share.audience = share.worker.audience(0);
      return left > 1;
    }
    if (left / 2 < loop_.grain || !share.pace.may_offer()) return false;
    const std::size_t offered = share.worker.offered();
    share.audience = share.worker.audience(offered);
    if (offered > 0 && share.audience == Audience::kNobody && (left / kFewBlocks >= loop_.grain || !may_be_long(share)))
      return false;
    return is_wanted(share, left);
  }
  /// Whether the next block may take longer than it costs to share the loop, as far as the pace knows.
  [[nodiscard]] bool may_be_long(Share& share) const noexcept {
    if (share.pace.expects_nothing()) look_up(share);
    return share.pace.may_be_long();
  }
  /// Gives the pace this worker's experience with the loop. A part of another worker brings a better one.
  void look_up(Share& share) const noexcept {
    find_usual(share);
    if (!share.pace.expects_nothing()) return;
    share.pace.expect_short();
    if (share.usual == 0 || !is_little(work(share.usual, loop_.grain))) [[unlikely]]
      expect_long(share);
  }
  void find_usual(Share& share) const noexcept {
    if (share.usual == kNotAsked) share.usual = share.worker.history()[loop_.name];
  }
  BLITZ_COLD static void expect_long(Share& share) noexcept {
    share.pace.expect_long();
    if (share.usual == 0) share.asked = ticks_now();
  }
  /// Whether to offer half of the `left` positions: to a worker that searches, if they take longer than it costs to share them,
  /// or to one that sleeps, if they are worth a wake-up. Decides by the time of the positions so far, or of the last call.
  [[nodiscard]] bool is_wanted(Share& share, LoopIndex left) const noexcept {
    if (share.audience == Audience::kNobody) {
      // The look-up comes first: an offered part inherits its result. The near half of fewer than four blocks is not split.
      return (left / 4 >= loop_.grain ? may_be_long(share) : share.pace.may_be_long()) || share.eager;
    }
    if (!share.pace.timed_well()) return is_wanted_untimed(share, left);
    return is_worth(share, share.pace.per_item(), left);
  }
  /// Like is_wanted, before blocks of this call were timed.
  [[nodiscard]] bool is_wanted_untimed(Share& share, LoopIndex left) const noexcept {
    find_usual(share);
    if (share.usual != 0 && is_little(work(share.usual, left))) {
      share.pace.expect_little(left);
      return refuse_little(share);
    }
    if (share.pace.expects_nothing()) look_up(share);
    const bool first_may_be_long = share.pace.may_be_long() && !share.pace.timed();
    share.pace.time_next();
    if (share.usual != 0) return is_worth(share, share.usual, left);
    // A loop that is not known yet may have long items.
    return share.eager || first_may_be_long || share.audience == Audience::kSearches;
  }
  [[nodiscard]] bool is_worth(Share& share, float per_item, LoopIndex left) const noexcept {
    const float its_work = work(per_item, left);
    if (is_little(its_work)) return refuse_little(share);
    const Ticks delay = share.audience == Audience::kSearches ? kHandover * ticks_per_microsecond()
                                                              : share.worker.weigh_help(saturated(its_work));
    // Ahead by at most half of the positions, so that at least a quarter is on offer, and no less than the grain.
    share.ahead = std::min({saturated(static_cast<float>(delay) / per_item), left / 2, left - 2 * loop_.grain}) / 2;
    return delay != 0;
  }
  static bool refuse_little(Share& share) noexcept {
    if (share.audience == Audience::kSearches) share.worker.count_part_too_short();
    return false;
  }
  /// In ticks.
  [[nodiscard]] static float work(float per_item, LoopIndex left) noexcept {
    return per_item * static_cast<float>(left);
  }
  [[nodiscard]] static bool is_little(float work) noexcept {
    return work <= static_cast<float>(kLittleWork * ticks_per_microsecond());
  }

  /// Runs [first, middle), with [middle, last) on offer. Returns whether the caller must run [middle, last) as part of this
  /// share.
  [[nodiscard]] bool split(Share& share, LoopIndex first, LoopIndex middle, LoopIndex last) noexcept {
    if (!has_values()) return split(share, first, middle, last, nullptr);
    bool back = false;
    auto run = [&](void* value) noexcept { back = split(share, first, middle, last, value); };
    try {
      loop_.with_value([](void* f, void* value) noexcept { (*static_cast<decltype(run)*>(f))(value); }, &run);
    } catch (...) {
      fail();
    }
    return back;
  }

  [[nodiscard]] bool split(Share& share, LoopIndex first, LoopIndex middle, LoopIndex last, void* value) noexcept {
    share.eager = false;
    share.pace.offering();
    Part far(*this, share, middle, last, value, has_values() ? 0 : end_.divide(share.tickets));
    const bool tree = loop_.cut == LoopCut::kTree;
    if (tree && !shared_) {
      work_on(share, first, middle);
    } else {
      if (!offer(share, far)) {
        share.tickets += far.tickets;
        return false;
      }
      work_on(share, first, middle);
      if (!came_back(share.worker, far)) {
        append(share.value, value);
        return false;
      }
      share.tickets += far.tickets;
      share.pace.offer_refused();
      if (!tree) return true;
    }
    Share other{share.worker, value, share.pace, false};
    work_on(other, middle, last);
    append(share.value, value);
    return false;
  }

  /// Runs the next block of positions, or the next piece. Returns its end.
  LoopIndex next_block(Share& share, LoopIndex first, LoopIndex last) noexcept {
    const auto run = [&](LoopIndex from, LoopIndex to) { call_block(share.value, from, to); };
    if (share.pace.may_be_long()) [[unlikely]]
      return next_long_block(share, first, last);
    if (!by_pieces()) return share.pace.run_next(first, last, run);
    const LoopIndex piece = claims_ != nullptr ? std::exchange(share.mine, kNoPiece) : first;
    run(pieces_.begin(piece), pieces_.begin(piece + 1));
    return first + 1;
  }

  /// Like next_block, for a block of positions that may be long.
  [[gnu::noinline]] LoopIndex next_long_block(Share& share, LoopIndex first, LoopIndex last) noexcept {
    return share.pace.run_long(first, last, [&](LoopIndex from, LoopIndex to) { call_block(share.value, from, to); });
  }

  /// Returns false, and ends the loop, if the queue could not grow.
  [[nodiscard]] bool offer(const Share& share, Part& part) noexcept {
    try {
      share.worker.push_part(&part, share.audience, part.pace.may_be_long());
      return true;
    } catch (...) {
      fail();
      return false;
    }
  }

  /// Returns true if no worker took the part. Otherwise a worker has finished it, or, in a loop without values, begun it.
  [[nodiscard]] static bool came_back(WorkerBase& worker, Part& part) noexcept {
    CoreLatch& done = part.latch.core();
    if (!done.probe() && worker.take_back(&part)) return true;
    return reclaim(worker, part, done);
  }

  void call_block(void* value, LoopIndex first, LoopIndex last) noexcept {
    try {
      if (loop_.run_block(loop_, value, first, last)) [[unlikely]]
        stop();
    } catch (...) {
      fail();
    }
  }

  /// Combines the value of the right part into the value of the left part.
  void append(void* left, void* right) noexcept {
    if (right == nullptr || state() == State::kFailed) return;
    try {
      loop_.combine(loop_, left, right);
    } catch (...) {
      fail();
    }
  }

  // --- the end ---

  /// Relaxed: no block waits for another to see it.
  [[nodiscard]] State state() const noexcept { return state_.load(std::memory_order_relaxed); }
  /// Whether no further block may begin.
  [[nodiscard]] bool ended() const noexcept {
    return state() != State::kRunning || (loop_.stop != nullptr && loop_.stop->stop_requested());
  }
  BLITZ_COLD void stop() noexcept {
    State expected = State::kRunning;  // A failure is not forgotten.
    state_.compare_exchange_strong(expected, State::kStopped, std::memory_order_relaxed, std::memory_order_relaxed);
  }
  /// Call it in a catch block: keeps the exception if it is the first.
  BLITZ_COLD void fail() noexcept {
    // Relaxed: see run.
    if (state_.exchange(State::kFailed, std::memory_order_relaxed) != State::kFailed) error_ = std::current_exception();
  }

  const Loop& loop_;
  const bool shared_;  // The pool has other workers.
  Pieces pieces_;
  Claims* claims_ = nullptr;  // the claimed pieces, if each worker begins with its own piece
  Atomic<State> state_{
      State::kRunning};       // written by a worker when its block ends the loop, read by all before each block
  std::exception_ptr error_;  // written once, by the worker that made the state kFailed
  FlatEnd end_;               // for a loop without values
};

/// Runs a loop that can be stopped, on the only worker of a pool.
[[gnu::noinline]] void run_alone(const Loop& loop, void* value) {
  Pace pace(loop.grain);
  bool ended = false;
  for (LoopIndex next = 0; next < loop.count && !ended && !loop.stop->stop_requested();) {
    next = pace.run_next(next, loop.count,
                         [&](LoopIndex first, LoopIndex last) { ended = loop.run_block(loop, value, first, last); });
  }
}

[[gnu::noinline]] void run_shared(WorkerBase& worker, const Loop& loop, void* value) {
  LoopDriver(loop, worker).run(worker, value);
}

}  // namespace

// In a pool of one thread a loop that cannot be stopped is one block.
void run_loop_on(WorkerBase& worker, const Loop& loop, void* value) {
  if (loop.cut != LoopCut::kTree && worker.num_threads() == 1) {
    if (loop.stop != nullptr) return run_alone(loop, value);
    static_cast<void>(loop.run_block(loop, value, 0, loop.count));
  } else {
    run_shared(worker, loop, value);
  }
}

void throw_stopped() { throw Stopped(); }

}  // namespace blitz::detail

namespace blitz {

const char* Stopped::what() const noexcept { return "blitz: a stop was requested before the call was complete"; }

}  // namespace blitz
