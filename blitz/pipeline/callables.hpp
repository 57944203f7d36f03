/// @file
/// The concepts of pipelines: ranges for par, callables for stages and terminals.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/pipeline/fold_items.hpp"
#include "blitz/detail/pipeline/run_stage.hpp"
#include "blitz/detail/pipeline/source.hpp"
#include "blitz/loop_range.hpp"
#include "blitz/parallel_reduce.hpp"

namespace blitz {
BLITZ_BEGIN_BY_OPTIMIZATION

/// A range that blitz::Pipeline can begin with: random access, of known size. An lvalue (the pipeline keeps a reference to it)
/// or a view.
template <class R>
concept PipelineRange = LoopRange<R> && std::ranges::viewable_range<R> && LoopRange<const std::views::all_t<R>> &&
                        (std::is_lvalue_reference_v<R> || std::ranges::view<std::remove_cvref_t<R>>);

/// A number that sum and product of a blitz::Pipeline accept.
template <class T>
concept PipelineNumber = std::is_arithmetic_v<T>;

/// A predicate of the items of a stage of a blitz::Pipeline.
template <class F, class S>
concept FilterFunction =
    StageFunction<F, S> && requires(detail::StageResult<F, S> answer) { static_cast<bool>(answer); };

/// The callable of `filter_map` of a blitz::Pipeline. Its result can be tested and dereferenced, such as a `std::optional` or a
/// pointer.
template <class F, class S>
concept FilterMapFunction = StageFunction<F, S> && requires(detail::StageResult<F, S> maybe) {
  static_cast<bool>(maybe);
  *std::forward<detail::StageResult<F, S>>(maybe);
};

/// The callable of `flat_map` of a blitz::Pipeline, which returns a range.
template <class F, class S>
concept FlatMapFunction = StageFunction<F, S> && std::ranges::range<detail::StageResult<F, S>>;

/// The operation that folds the items of a stage into a value of type T: see fold of blitz::Pipeline.
template <class F, class T, class S>
concept FoldFunction = std::copy_constructible<T> && detail::kFolds<const F&, T, typename S::Items>;

/// The operation that combines two values of type T: see fold of blitz::Pipeline.
template <class C, class T>
concept FoldCombineFunction = detail::kFolds<const C&, T, detail::Pack<T>>;

/// The operation of reduce of a blitz::Pipeline: it combines two items, or partial results, to a value of the items' type.
template <class Op, class S>
concept StageReduceFunction = std::movable<detail::PipelineValue<S>> &&
                              ReduceFunction<const Op, detail::PipelineValue<S>, detail::PipelineItem<S>>;

/// The operation of a scan, which combines items to sums of type T. A sum is constructed from an item and can be copied: see
/// scan of blitz::Pipeline.
template <class Op, class T, class S>
concept StageScanFunction =
    std::copyable<T> && std::same_as<detail::Pack<detail::PipelineItem<S>>, typename S::Items> &&
    std::constructible_from<T, detail::PipelineItem<S>> && ReduceFunction<const Op, T, detail::PipelineItem<S>> &&
    std::invocable<const Op&, T&, T>;

/// An order of the items of a stage of a blitz::Pipeline: `less(x, y)` returns whether x comes before y.
template <class Less, class S>
concept StageOrderFunction =
    std::movable<detail::PipelineValue<S>> &&
    std::predicate<const Less&, const std::remove_reference_t<detail::PipelineItem<S>>&,
                   const detail::PipelineValue<S>&> &&
    std::predicate<const Less&, const detail::PipelineValue<S>&, const detail::PipelineValue<S>&>;

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz
