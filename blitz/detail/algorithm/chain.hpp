/// @file
/// Chain: the engine of algorithms with blocks that depend on the items to their left, such as scans and filters. A block
/// takes one pass if the result of the items to its left is known, otherwise two.
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

/// The length of long runs of `count` items: 16 runs per thread. Only one worker at a time links runs, and a link takes as long
/// as about 64 items, because cache lines move between processors. So with many threads, the length r is such that all links,
/// 64 count / r, take as long as one run: r * r = 64 count. But there are at least four runs per thread, and at least 64.
[[nodiscard]] constexpr LoopIndex even_run(LoopIndex count, std::size_t threads) noexcept {
  constexpr LoopIndex kRunsOfThread = 16;
  constexpr LoopIndex kFewRunsOfThread = 4;
  constexpr LoopIndex kFewRuns = 64;
  const LoopIndex balanced = LoopIndex{8} << std::bit_width(count) / 2;
  return std::max(count / (kRunsOfThread * threads),
                  std::min(count / std::max(kFewRunsOfThread * threads, kFewRuns), balanced));
}

/// A derived class defines the work of a run. ChainedRuns describes the two ways to process a run.
///
/// Complexity for n items on p threads: work T1 = O(n), in one pass or two; span O(n / p + p + sqrt n), with one link per run.
///
/// The blocks of a loop are tickets here: a block of k positions claims the next k positions from the left. So pace and work
/// sharing are as in any loop, but the runs in progress are adjacent: the items of a run that was summed up are still in a
/// cache of this or a neighbouring worker when the run is finished.
class Chain {
 public:
  using Run = ChainedRuns::Run;

  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  /// Runs the whole chain. `derived` is a Chain; its type is the name of the loop in the history of loops. Throws the
  /// exceptions of the functions below. After an exception, and after a stop request, some runs have not started and others are
  /// unfinished.
  template <class C>
  static void run(C& derived, const AlgorithmOptions& options) {
    static constexpr char kName = 0;  // Its address is a unique number for this type.
    static_cast<Chain&>(derived).run(options, reinterpret_cast<std::uintptr_t>(&kName));
  }

  /// The minimum length of a run of a chain over `count` items of `bytes` bytes: the grain of the options, or 64 by default,
  /// which makes the overhead of a run small. With many items, runs have the length even_run(), because processors prefetch
  /// consecutive items; but a run must fit into a worker's own cache.
  [[nodiscard]] static LoopIndex least_run(const AlgorithmOptions& options, LoopIndex count, std::size_t bytes) {
    constexpr LoopIndex kLeast = 64;
    constexpr std::size_t kCache = std::size_t{1} << 19;
    return std::max(grain_of(options, kLeast),
                    std::min<LoopIndex>(even_run(count, threads_of(options)), kCache / bytes));
  }

 protected:
  /// All runs except the last have at least `grain` positions; slots() is one more than the maximum number of runs. If `alike`,
  /// each run has one position and is processed in parts, so that the result does not depend on the number of threads.
  Chain(LoopIndex positions, LoopIndex grain, bool alike) : runs_(positions, grain), grain_(grain), alike_(alike) {}
  ~Chain() = default;

  /// For derived classes: the index of the data that they store for the run at `first`, or for the total if `first` is the end.
  [[nodiscard]] std::size_t slot(LoopIndex first) const noexcept { return runs_.slot(first); }
  [[nodiscard]] std::size_t slots() const noexcept { return runs_.slots(); }

  /// The minimum number of positions of all runs except the last.
  [[nodiscard]] LoopIndex grain() const noexcept { return grain_; }
  /// All runs below this position are done.
  [[nodiscard]] LoopIndex done_below() const noexcept { return runs_.done_below(); }

  /// Claims runs with a total of `length` positions, and finishes all runs that can be finished. Returns whether to end the
  /// loop.
  bool use_ticket(LoopIndex length);

 private:
  // Several workers call these concurrently for different runs, each in the state that ChainedRuns describes. A result of true
  // ends the chain: no item further to the right is needed.
  virtual bool run_whole(const Run& run) = 0;
  virtual void sum_up(const Run& run) = 0;
  virtual void link(const Run& run) = 0;
  virtual bool finish(const Run& run) = 0;
  /// All runs below this position must be done before the run may write. At most run.first. The left of the run is known.
  [[nodiscard]] virtual LoopIndex needed(const Run& run) const noexcept = 0;

  BLITZ_API void run(const AlgorithmOptions& options, std::uintptr_t name);
  bool begin(const Run& run);
  void link_from(const Run& run);

  ChainedRuns runs_;
  const LoopIndex grain_;
  const bool alike_;
};

}  // namespace blitz::detail
