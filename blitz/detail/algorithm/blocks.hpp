/// @file
/// The building blocks of algorithms: loops and folds over blocks of positions, and the search for the first matching position.
///
/// All run on the engine of parallel_for, in the pool of the options. A block is a nonempty range [first, last) of positions.
/// Several threads call the functions concurrently, through references. An exception ends the algorithm: no new blocks start,
/// and the first exception is rethrown when all running blocks have finished. After a stop request no new blocks start; see
/// throw_if_stopped.
#pragma once

#include <iterator>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/loop/loop.hpp"
#include "blitz/detail/loop/reduction.hpp"

namespace blitz::detail {

/// The iterator to position `i` of the range that starts at `first`.
template <std::random_access_iterator I>
[[nodiscard]] constexpr I at(const I& first, LoopIndex i) {
  return first + static_cast<std::iter_difference_t<I>>(i);
}

/// The minimum length of a block: the grain of the options if it is set, otherwise `grain`, the choice of the algorithm.
[[nodiscard]] constexpr LoopIndex grain_of(const AlgorithmOptions& options, LoopIndex grain) noexcept {
  return options.min_grain > 0 ? options.min_grain : grain;
}

/// A loop that calls `f(first, last)` for its blocks.
template <class F>
class BlockLoop final : public Loop {
 public:
  BlockLoop(LoopIndex positions, LoopIndex least_block, const std::stop_token& stop_token, F& f)
      : Loop(&run_block_of, positions, LoopCut::kAdaptive, least_block, stop_token), f_(f) {}

 private:
  static bool run_block_of(const Loop& self, void* /*value*/, LoopIndex first, LoopIndex last) {
    F& f = static_cast<const BlockLoop&>(self).f_;
    if constexpr (std::is_void_v<std::invoke_result_t<F&, LoopIndex, LoopIndex>>) {
      f(first, last);
      return false;
    } else {
      return f(first, last);
    }
  }

  F& f_;
};

/// Calls `f(first, last)` for blocks that cover [0, count). An `f` that returns true ends the loop, as Flow::kStop does.
template <class F>
void for_blocks(const AlgorithmOptions& options, LoopIndex count, LoopIndex grain, F&& f) {
  if (count > 0)
    BlockLoop<std::remove_reference_t<F>>(count, grain_of(options, grain), options.stop, f).run(options.pool.base());
}

/// Folds [0, count) into one value by the functions of `whole`: see Reduction. Returns whole.identity() for no positions.
/// Throws Stopped after a stop request.
template <class Whole>
BLITZ_ALWAYS_INLINE auto fold_blocks(const AlgorithmOptions& options, LoopIndex count, LoopIndex grain,
                                     const Whole& whole) {
  const LoopCut cut = options.deterministic ? LoopCut::kTree : LoopCut::kAdaptive;
  auto value = count == 0
                   ? whole.identity()
                   : Reduction(whole, count, cut, grain_of(options, grain), options.stop).run(options.pool.base());
  throw_if_stopped(options);
  return value;
}

/// A fold of a Reduction that consists of three functions.
template <class Identity, class F, class Combine>
struct BlockFold {
  using Value = std::invoke_result_t<Identity&>;
  [[nodiscard]] Value identity() const { return its_identity(); }
  auto fold(Value& value, LoopIndex first, LoopIndex last) const { return its_fold(value, first, last); }
  void combine(Value& left, Value&& right) const { its_combine(left, std::move(right)); }
  Identity& its_identity;
  F& its_fold;
  Combine& its_combine;
};

/// Folds [0, count) by functions. `identity()` creates the value of a part. `fold(value, first, last)` adds a block to it, and
/// ends the loop if it returns true. `combine(left, right)` adds `right`, an rvalue, to `left`; parts are combined in order.
template <class Identity, class F, class Combine>
auto fold_blocks(const AlgorithmOptions& options, LoopIndex count, LoopIndex grain, Identity&& identity, F&& fold,
                 Combine&& combine) {
  using Whole =
      BlockFold<std::remove_reference_t<Identity>, std::remove_reference_t<F>, std::remove_reference_t<Combine>>;
  return fold_blocks(options, count, grain, Whole{identity, fold, combine});
}

/// A block of find_first.
template <class Probe>
struct ProbeBlock {
  void operator()(LoopIndex first, LoopIndex last) const {
    // Relaxed, here and below: the end of the loop orders the last write before the caller's read, and an old value only costs
    // a needless probe.
    LoopIndex seen = best.load(std::memory_order_relaxed);
    if (first >= seen) return;
    const LoopIndex end = last < seen ? last : seen;
    const LoopIndex found = probe(first, end);
    if (found == end) return;
    while (found < seen &&
           !best.compare_exchange_weak(seen, found, std::memory_order_relaxed, std::memory_order_relaxed)) {
    }
  }
  const Probe& probe;
  Atomic<LoopIndex>& best;  // the best position so far
};

/// The first position that `probe` finds, or `count`. `probe(first, last)` returns the first match in the block, or `last`.
///
/// The workers share the best position so far. A block to the right of it is not probed. A block that contains it is probed
/// only up to it.
template <class Probe>
[[nodiscard]] LoopIndex find_first(const AlgorithmOptions& options, LoopIndex count, LoopIndex grain,
                                   const Probe& probe) {
  Atomic<LoopIndex> best{count};  // written by blocks that find a better one, read by all before each block
  for_blocks(options, count, grain, ProbeBlock<Probe>{probe, best});
  return best.load(std::memory_order_relaxed);
}

}  // namespace blitz::detail
