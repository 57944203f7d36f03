/// @file
/// Invalid calls on pipelines: they are refused, with advice.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/pipeline/run_stage.hpp"
#include "blitz/detail/pipeline/source.hpp"
#include "blitz/pipeline/callables.hpp"

namespace blitz {
BLITZ_BEGIN_BY_OPTIMIZATION

template <PipelineStage S>
class Pipeline;

BLITZ_END_BY_OPTIMIZATION
namespace detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// The refused calls of Pipeline<S>, which adopts them by using-declarations.
template <PipelineStage S>
class PipelineRefusals {
  using Value = PipelineValue<S>;

 public:
#define BLITZ_REFUSE_UNLESS(condition, message, call) \
  BLITZ_REFUSE(message)                               \
  call const                                          \
    requires(!(condition))                            \
  BLITZ_REFUSED
#define BLITZ_REFUSE_UNINDEXED(condition, call)                                                                       \
  BLITZ_REFUSE_UNLESS(condition,                                                                                      \
                      "the position of an item is unknown after filter, filter_map, flat_map and scan, and in from, " \
                      "lines, split_at, split and walk_tree; call enumerate, zip, take and similar stages before "    \
                      "these, or begin a new pipeline with the result of collect()",                                  \
                      call)
  BLITZ_REFUSE_UNINDEXED(IndexedStage<S>, enumerate());
  template <PipelineStage T>
  BLITZ_REFUSE_UNINDEXED(IndexedStage<S>&& IndexedStage<T>, zip(const Pipeline<T>& other));
  BLITZ_REFUSE_UNINDEXED(IndexedStage<S>, take(std::size_t n));
  BLITZ_REFUSE_UNINDEXED(IndexedStage<S>, skip(std::size_t n));
  BLITZ_REFUSE_UNINDEXED(IndexedStage<S>, step_by(std::size_t step));
  BLITZ_REFUSE_UNINDEXED(IndexedStage<S>, rev());
  template <class Op>
  BLITZ_REFUSE_UNINDEXED(IndexedStage<S>, scan(Op op));
  template <class T, class Op>
  BLITZ_REFUSE_UNINDEXED(IndexedStage<S>, exclusive_scan(T init, Op op));
  template <class F>
  BLITZ_REFUSE_UNINDEXED(IndexedStage<S>, position_first(F pred));

#define BLITZ_REFUSE_UNSLICED(call)                                                                              \
  BLITZ_REFUSE_UNLESS(SlicedStage<S>,                                                                            \
                      "chunks and windows have no neighbouring items of a range here; call them directly after " \
                      "par(range), take or skip, or begin a new pipeline with the result of collect()",          \
                      call)
  BLITZ_REFUSE_UNSLICED(chunks(std::size_t size));
  BLITZ_REFUSE_UNSLICED(windows(std::size_t size));

#define BLITZ_REFUSE_CALLABLE(call)                                                                     \
  template <class F>                                                                                    \
  BLITZ_REFUSE_UNLESS(                                                                                  \
      (StageFunction<F, S>),                                                                            \
      "the callable of a stage cannot be called with one item of the previous stage by several "        \
      "threads; let it take that type, or const auto&, and two arguments after enumerate and zip, and " \
      "do not use a mutable lambda",                                                                    \
      call)
  BLITZ_REFUSE_CALLABLE(map(F f));
  BLITZ_REFUSE_CALLABLE(filter(F pred));
  BLITZ_REFUSE_CALLABLE(filter_map(F f));
  BLITZ_REFUSE_CALLABLE(flat_map(F f));
  BLITZ_REFUSE_CALLABLE(inspect(F f));
  BLITZ_REFUSE_CALLABLE(for_each(F f));
  BLITZ_REFUSE_CALLABLE(any_of(F pred));
  BLITZ_REFUSE_CALLABLE(all_of(F pred));
  BLITZ_REFUSE_CALLABLE(none_of(F pred));
  BLITZ_REFUSE_CALLABLE(find_first(F pred));
  BLITZ_REFUSE_CALLABLE(find_any(F pred));
  BLITZ_REFUSE_CALLABLE(find_last(F pred));
  BLITZ_REFUSE_CALLABLE(partition(F pred));
  BLITZ_REFUSE_CALLABLE(try_for_each(F f));

#define BLITZ_REFUSE_RESULT(condition, message, call) \
  template <StageFunction<S> F>                       \
  BLITZ_REFUSE_UNLESS((condition<F, S>), message, call)
#define BLITZ_REFUSE_PREDICATE(call)                                                                                 \
  BLITZ_REFUSE_RESULT(FilterFunction, "a predicate returns no bool; return a bool, or a value that converts to one", \
                      call)
  BLITZ_REFUSE_PREDICATE(filter(F pred));
  BLITZ_REFUSE_PREDICATE(any_of(F pred));
  BLITZ_REFUSE_PREDICATE(all_of(F pred));
  BLITZ_REFUSE_PREDICATE(none_of(F pred));
  BLITZ_REFUSE_PREDICATE(find_first(F pred));
  BLITZ_REFUSE_PREDICATE(find_any(F pred));
  BLITZ_REFUSE_PREDICATE(find_last(F pred));
  BLITZ_REFUSE_PREDICATE(partition(F pred));
  BLITZ_REFUSE_RESULT(FilterMapFunction,
                      "the callable of filter_map returns neither a std::optional nor a pointer; return one of them, "
                      "empty to drop the item, or use map",
                      filter_map(F f));
  BLITZ_REFUSE_RESULT(
      FilterMapFunction,
      "the callable of try_for_each returns no std::optional of an error; return one, empty for success",
      try_for_each(F f));
  BLITZ_REFUSE_RESULT(
      FlatMapFunction,
      "the callable of flat_map returns no range; return a range of the items that come next, or use map",
      flat_map(F f));

#define BLITZ_REFUSE_SCAN(condition, call)                                                              \
  BLITZ_REFUSE_UNLESS(                                                                                  \
      (!IndexedStage<S> || condition),                                                                  \
      "the operation of a scan cannot combine a sum with an item and two sums to a sum; let sums have " \
      "the items' type, or the type of the first argument of exclusive_scan (for doubles 0.0, not 0), " \
      "which can be copied",                                                                            \
      call)
  template <class Op>
  BLITZ_REFUSE_SCAN((StageScanFunction<Op, Value, S>), scan(Op op));
  template <class T, class Op>
  BLITZ_REFUSE_SCAN((StageScanFunction<Op, T, S>), exclusive_scan(T init, Op op));

  template <class Op>
  BLITZ_REFUSE_UNLESS(
      (StageReduceFunction<Op, S>),
      "the operation of reduce(op) does not combine two items to one of their type, which can be moved; for "
      "another type use fold(identity, f, combine)",
      reduce(Op op));
  template <class T, class Op>
  BLITZ_REFUSE_UNLESS(
      (FoldFunction<Op, T, S> && FoldCombineFunction<Op, T>),
      "the operation of reduce(identity, op) does not combine a value with an item, and two values, to a value "
      "of the type of `identity`; for doubles start from 0.0, not from 0, and for another type than the "
      "items' use fold(identity, f, combine)",
      reduce(T identity, Op op));
  template <class T, class F, class Combine>
  BLITZ_REFUSE_UNLESS(
      (FoldFunction<F, T, S> && FoldCombineFunction<Combine, T>),
      "fold(identity, f, combine) cannot call f(value, item) and combine(value, value); let each return the new "
      "value, of the type of `identity` (for doubles 0.0, not 0), or take the first by reference and "
      "change it, and do not use a mutable lambda",
      fold(T identity, F f, Combine combine));

#define BLITZ_REFUSE_ORDER(call)                                                                                    \
  template <class Less = std::ranges::less>                                                                         \
  BLITZ_REFUSE_UNLESS((StageOrderFunction<Less, S>),                                                                \
                      "the items have no order, which the least and the greatest need; define an operator< of the " \
                      "items, or pass a comparison of two of them",                                                 \
                      call)
  BLITZ_REFUSE_ORDER(min(Less less = {}));
  BLITZ_REFUSE_ORDER(max(Less less = {}));
  BLITZ_REFUSE_ORDER(minmax(Less less = {}));

  template <PipelineStage T>
  BLITZ_REFUSE_UNLESS((std::same_as<typename S::Items, typename T::Items>),
                      "chain got two pipelines of different items; map one of them to the type of the other",
                      chain(const Pipeline<T>& next));
  template <std::ranges::range R>
  BLITZ_REFUSE("zip got a range instead of a pipeline; use zip(blitz::par(range))")
  zip(const R& range) const BLITZ_REFUSED;
  template <std::ranges::range R>
  BLITZ_REFUSE("chain got a range instead of a pipeline; use chain(blitz::par(range))")
  chain(const R& range) const BLITZ_REFUSED;
  template <class F>
  BLITZ_REFUSE_UNLESS(
      (std::invocable<F, const Pipeline<S>&>),
      "p | f cannot call f with the pipeline p; apply views to the range: blitz::par(range | view)", operator|(F&& f));
  BLITZ_REFUSE_UNLESS(PipelineNumber<Value>, "the items of sum are no numbers; use reduce(identity, std::plus<>{})",
                      sum());
#undef BLITZ_REFUSE_ORDER
#undef BLITZ_REFUSE_SCAN
#undef BLITZ_REFUSE_PREDICATE
#undef BLITZ_REFUSE_RESULT
#undef BLITZ_REFUSE_CALLABLE
#undef BLITZ_REFUSE_UNSLICED
#undef BLITZ_REFUSE_UNINDEXED
#undef BLITZ_REFUSE_UNLESS
};

BLITZ_END_BY_OPTIMIZATION
}  // namespace detail
}  // namespace blitz
