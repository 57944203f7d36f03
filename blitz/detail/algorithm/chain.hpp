/// @file
/// Chain: the engine of algorithms whose blocks need to know what lies to their left, in one pass where it is known and in
/// two where it is not. Scans, and the filters.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/chained_runs.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// Long runs of `count` items: 16 for each thread. One worker at a time links runs, and a link takes as long as about 64 items,
/// because some cache lines go from one processor to another. So runs r of many threads have about as many items as make
/// count / r links as long as a run, r * r = 64 count, unless that makes fewer than four for each thread, or 64.
[[nodiscard]] constexpr LoopIndex even_run(LoopIndex count, std::size_t threads) noexcept {
  constexpr LoopIndex kRunsOfThread = 16;
  constexpr LoopIndex kFewRunsOfThread = 4;
  constexpr LoopIndex kFewRuns = 64;
  const LoopIndex balanced = LoopIndex{8} << std::bit_width(count) / 2;
  return std::max(count / (kRunsOfThread * threads),
                  std::min(count / std::max(kFewRunsOfThread * threads, kFewRuns), balanced));
}

/// What is derived from it says what a run is. See ChainedRuns for the two ways of a run.
///
/// Of n items on p threads: T1 = O(n), in one pass or two; the longest chain is O(n / p + p + sqrt n), with one link for
/// each run.
///
/// The blocks of a loop are tickets here: a block of k positions claims the next k positions from the left, whichever
/// these are. So the loop's pace and its calls for help are those of any loop, and yet the runs that several workers have
/// in hand at a time lie side by side: what was read to be summed up is in the cache still when it is finished, or in that
/// of a neighbour.
class Chain {
 public:
  using Run = ChainedRuns::Run;

  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  /// Runs the whole chain; `derived` is a Chain, whose type gives the loop a name of its own in the history of loops.
  /// Throws what the functions below throw: then some runs have not begun, and others not been finished. So it is after a
  /// stop request.
  template <class C>
  static void run(C& derived, const AlgorithmOptions& options) {
    static constexpr char kName = 0;  // Its address is a number of this type's own.
    static_cast<Chain&>(derived).run(options, reinterpret_cast<std::uintptr_t>(&kName));
  }

  /// The least run of a chain over `count` items of so many bytes: unless the options say less, 64, beside which the cost
  /// of a run is small. Of many items runs are long, as processors fetch what lies in a row: as even_run says, unless
  /// these would not stay in a worker's own cache.
  [[nodiscard]] static LoopIndex least_run(const AlgorithmOptions& options, LoopIndex count, std::size_t bytes) {
    constexpr LoopIndex kLeast = 64;
    constexpr std::size_t kCache = std::size_t{1} << 19;
    return std::max(grain_of(options, kLeast),
                    std::min<LoopIndex>(even_run(count, threads_of(options)), kCache / bytes));
  }

 protected:
  /// No run but the last has fewer positions than `grain`, and slots are as many as runs can be. If `alike`, runs have one
  /// position each and go the way of parts: what is computed does not depend on the number of threads.
  Chain(LoopIndex positions, LoopIndex grain, bool alike) : runs_(positions, grain), grain_(grain), alike_(alike) {}
  ~Chain() = default;

  /// For derived classes: a place for what they keep of a run that begins at `first`, or of all if that is the end.
  [[nodiscard]] std::size_t slot(LoopIndex first) const noexcept { return runs_.slot(first); }
  [[nodiscard]] std::size_t slots() const noexcept { return runs_.slots(); }

  /// No run but the last has fewer positions.
  [[nodiscard]] LoopIndex grain() const noexcept { return grain_; }
  /// All runs below this position are done.
  [[nodiscard]] LoopIndex done_below() const noexcept { return runs_.done_below(); }

  /// Claims runs of `length` positions together, and finishes what can be finished. Returns whether to end.
  bool use_ticket(LoopIndex length);

 private:
  // Called by several workers at once for different runs, each in the state that ChainedRuns says. Those that return true
  // end the chain: nothing to the right is needed any more.
  virtual bool run_whole(const Run& run) = 0;
  virtual void sum_up(const Run& run) = 0;
  virtual void link(const Run& run) = 0;
  virtual bool finish(const Run& run) = 0;
  /// The position below which all must be done before the run, whose left is known, may write: at most run.first.
  [[nodiscard]] virtual LoopIndex needed(const Run& run) const noexcept = 0;

  BLITZ_API void run(const AlgorithmOptions& options, std::uintptr_t name);
  bool begin(const Run& run);
  void link_from(const Run& run);

  ChainedRuns runs_;
  const LoopIndex grain_;
  const bool alike_;
};

}  // namespace blitz::detail
