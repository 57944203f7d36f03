/// @file
/// Loops and folds over the positions of a stage, on the engine of loops and reductions. Terminals consist of them.
///
/// The functions of these loops are named classes, not lambdas. The name of a lambda contains the names of all enclosing
/// functions, and each of their arguments may contain the stage's type: debuggers and profilers would show pages for one
/// symbol.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/loop.hpp"
#include "blitz/detail/pipeline/source.hpp"
#include "blitz/detail/pipeline/stage.hpp"

namespace blitz::detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// The item of a stage as a value.
template <class S>
using PipelineItem = typename ItemOf<typename S::Items>::Item;
template <class S>
using PipelineValue = typename ItemOf<typename S::Items>::Value;

/// The arguments of a sink, as one item.
template <class T, class... X>
BLITZ_ALWAYS_INLINE decltype(auto) as_item(X&&... x) {
  if constexpr (sizeof...(X) == 1) {
    return (std::forward<X>(x), ...);
  } else {
    return T(std::forward<X>(x)...);
  }
}

/// The arguments of a sink, for the construction of a T: see to_copy.
template <class T, class... X>
BLITZ_ALWAYS_INLINE decltype(auto) item_to_copy(X&&... x) {
  if constexpr (sizeof...(X) == 1) {
    return (to_copy<T>(std::forward<X>(x)), ...);
  } else {
    return std::forward_as_tuple(to_copy<std::remove_cvref_t<X>>(std::forward<X>(x))...);
  }
}

/// Whether a stage has at most one item for each position.
template <class S>
inline constexpr bool kAtMostOne = S::kIndexed;
template <class S, class F>
inline constexpr bool kAtMostOne<MapStage<S, F>> = kAtMostOne<S>;
template <class S, class F>
inline constexpr bool kAtMostOne<InspectStage<S, F>> = kAtMostOne<S>;
template <class S, class P>
inline constexpr bool kAtMostOne<FilterStage<S, P>> = kAtMostOne<S>;
template <class S, class F>
inline constexpr bool kAtMostOne<FilterMapStage<S, F>> = kAtMostOne<S>;

/// Whether a predicate holds for the item. As a sink it ends the block there.
template <class P>
struct HoldsSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    return static_cast<bool>(invoke_inline(pred, std::as_const(x)...));
  }
  const P& pred;
};

/// A stage that is ready for for_each and at.
template <class S>
class ReadyStage {
 public:
  ReadyStage(const AlgorithmOptions& options, const S& stage) : stage_(stage) {
    if constexpr (S::kTwoPasses) stage_.first_pass(options);
  }
  [[nodiscard]] const S& operator*() const noexcept { return stage_; }

 private:
  std::conditional_t<S::kTwoPasses, S, const S&> stage_;
};

/// A call in a loop over a stage. Tells the stage if the call ends the loop, by an exception or by end(true).
template <class S>
class LoopPart {
 public:
  explicit LoopPart(const S& stage) noexcept : stage_(stage) {}
  LoopPart(const LoopPart&) = delete;
  LoopPart& operator=(const LoopPart&) = delete;
  ~LoopPart() {
    if constexpr (S::kTwoPasses) {
      if (ends_loop_) stage_.end_early();
    }
  }

  /// The call has returned.
  bool end(bool ends_loop = false) noexcept { return ends_loop_ = ends_loop; }

 private:
  const S& stage_;
  bool ends_loop_ = true;
};

/// A loop over the positions of a stage. Calls `body(stage, first, last)` for its blocks; a block that returns true ends the
/// loop.
template <class S, class Body>
class StageLoop final : public Loop {
 public:
  StageLoop(const AlgorithmOptions& options, const S& stage, const Body& body)
      : Loop(&run_block_of, stage.positions(), LoopCut::kAdaptive, grain_of(options, 1), options.stop),
        stage_(stage),
        body_(body) {}

 private:
  static bool run_block_of(const Loop& self, void* /*value*/, LoopIndex first, LoopIndex last) {
    const auto& loop = static_cast<const StageLoop&>(self);
    LoopPart<S> part(loop.stage_);
    return part.end(loop.body_(loop.stage_, first, last));
  }

  const S& stage_;
  const Body& body_;
};

/// Runs a StageLoop. Always inlined, like all functions between a terminal and its sink, so that gdb shows no types of
/// arguments.
template <class S, class Body>
BLITZ_ALWAYS_INLINE void for_stage(const AlgorithmOptions& options, const S& stage, const Body& body) {
  const ReadyStage<S> ready(options, stage);
  const StageLoop<S, Body> loop(options, *ready, body);
  if (loop.count > 0) loop.run(options.pool.base());
}

/// A terminal as the fold of a Reduction.
template <class S, class Terminal>
class StageFold {
 public:
  using Value = typename Terminal::Value;

  StageFold(const S& stage, const Terminal& terminal) noexcept : stage_(stage), terminal_(terminal) {}

  [[nodiscard]] Value identity() const {
    LoopPart<S> part(stage_);
    Value value = terminal_.identity();
    part.end();
    return value;
  }
  BLITZ_ALWAYS_INLINE bool fold(Value& value, LoopIndex first, LoopIndex last) const {
    LoopPart<S> part(stage_);
    return part.end(terminal_.fold(value, stage_, first, last));
  }
  void combine(Value& left, Value&& right) const {
    LoopPart<S> part(stage_);
    terminal_.combine(left, std::move(right));
    part.end();
  }

 private:
  const S& stage_;
  const Terminal& terminal_;
};

/// Calls fold_blocks over the positions of a stage. The terminal is the fold:
///   Terminal::Value
///   terminal.identity()                        the initial value of a part
///   terminal.fold(value, stage, first, last)   combines the items of these positions into it; ends the loop if it returns true
///   terminal.combine(left, right)              combines `right`, an rvalue, into `left`
template <class S, class Terminal>
BLITZ_ALWAYS_INLINE auto fold_stage(const AlgorithmOptions& options, const S& stage, const Terminal& terminal) {
  const ReadyStage<S> ready(options, stage);
  return fold_blocks(options, (*ready).positions(), 1, StageFold<S, Terminal>(*ready, terminal));
}

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz::detail
