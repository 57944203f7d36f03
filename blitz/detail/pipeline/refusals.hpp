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
                      "the position of an item is not known behind filter, filter_map, flat_map and scan, nor of "    \
                      "what from, lines, split_at, split and walk_tree find: call enumerate, zip, take and the like " \
                      "before these, or begin a new pipeline with what collect() returns",                            \
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

#define BLITZ_REFUSE_UNSLICED(call)                                                                         \
  BLITZ_REFUSE_UNLESS(SlicedStage<S>,                                                                       \
                      "chunks and windows are of neighbouring items of a range: call them directly behind " \
                      "par(range), take or skip, or begin a new pipeline with what collect() returns",      \
                      call)
  BLITZ_REFUSE_UNSLICED(chunks(std::size_t size));
  BLITZ_REFUSE_UNSLICED(windows(std::size_t size));

#define BLITZ_REFUSE_CALLABLE(call)                                                                                    \
  template <class F>                                                                                                   \
  BLITZ_REFUSE_UNLESS((StageFunction<F, S>),                                                                           \
                      "the callable of a stage is called with one item of the stage before, by several threads at "    \
                      "once: let it take that type, or const auto&; behind enumerate and zip it takes two arguments, " \
                      "and it is no mutable lambda",                                                                   \
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
#define BLITZ_REFUSE_PREDICATE(call) \
  BLITZ_REFUSE_RESULT(FilterFunction, "a predicate returns a bool, or what can be tested as one", call)
  BLITZ_REFUSE_PREDICATE(filter(F pred));
  BLITZ_REFUSE_PREDICATE(any_of(F pred));
  BLITZ_REFUSE_PREDICATE(all_of(F pred));
  BLITZ_REFUSE_PREDICATE(none_of(F pred));
  BLITZ_REFUSE_PREDICATE(find_first(F pred));
  BLITZ_REFUSE_PREDICATE(find_any(F pred));
  BLITZ_REFUSE_PREDICATE(find_last(F pred));
  BLITZ_REFUSE_PREDICATE(partition(F pred));
  BLITZ_REFUSE_RESULT(FilterMapFunction,
                      "the callable of filter_map returns a std::optional or a pointer, empty where an item is "
                      "dropped; map takes one that returns anything else",
                      filter_map(F f));
  BLITZ_REFUSE_RESULT(FilterMapFunction,
                      "the callable of try_for_each returns a std::optional of an error, empty for success",
                      try_for_each(F f));
  BLITZ_REFUSE_RESULT(FlatMapFunction,
                      "the callable of flat_map returns a range, whose items come next; map takes one that returns "
                      "anything else",
                      flat_map(F f));

#define BLITZ_REFUSE_SCAN(condition, call)                                                                         \
  BLITZ_REFUSE_UNLESS((!IndexedStage<S> || condition),                                                             \
                      "the operation of a scan takes a sum and an item, or two sums, and returns a sum; sums are " \
                      "of the items' type, or that of the first argument of exclusive_scan (for doubles 0.0, not " \
                      "0), and can be copied",                                                                     \
                      call)
  template <class Op>
  BLITZ_REFUSE_SCAN((StageScanFunction<Op, Value, S>), scan(Op op));
  template <class T, class Op>
  BLITZ_REFUSE_SCAN((StageScanFunction<Op, T, S>), exclusive_scan(T init, Op op));

  template <class Op>
  BLITZ_REFUSE_UNLESS((StageReduceFunction<Op, S>),
                      "reduce(op) combines two items to one of their type, which can be moved; for another type give a "
                      "fold: fold(identity, f, combine)",
                      reduce(Op op));
  template <class T, class Op>
  BLITZ_REFUSE_UNLESS((FoldFunction<Op, T, S> && FoldCombineFunction<Op, T>),
                      "reduce(identity, op) combines a value with an item, and two values, to a value of the type of "
                      "`identity`: for doubles start from 0.0, not from 0, and for another type than the items' give a "
                      "fold: fold(identity, f, combine)",
                      reduce(T identity, Op op));
  template <class T, class F, class Combine>
  BLITZ_REFUSE_UNLESS((FoldFunction<F, T, S> && FoldCombineFunction<Combine, T>),
                      "fold(identity, f, combine) calls f(value, item) and combine(value, value); each returns the new "
                      "value, of the type of `identity` (for doubles 0.0, not 0), or takes the first by reference and "
                      "changes it, and is no mutable lambda",
                      fold(T identity, F f, Combine combine));

#define BLITZ_REFUSE_ORDER(call)                                                                                      \
  template <class Less = std::ranges::less>                                                                           \
  BLITZ_REFUSE_UNLESS((StageOrderFunction<Less, S>),                                                                  \
                      "the least and the greatest item need an order: an operator< of the items, or a comparison of " \
                      "two of them",                                                                                  \
                      call)
  BLITZ_REFUSE_ORDER(min(Less less = {}));
  BLITZ_REFUSE_ORDER(max(Less less = {}));
  BLITZ_REFUSE_ORDER(minmax(Less less = {}));

  template <PipelineStage T>
  BLITZ_REFUSE_UNLESS((std::same_as<typename S::Items, typename T::Items>),
                      "chain needs two pipelines of the same items: map one of them to the other's type",
                      chain(const Pipeline<T>& next));
  template <std::ranges::range R>
  BLITZ_REFUSE("zip takes another pipeline: zip(blitz::par(range))")
  zip(const R& range) const BLITZ_REFUSED;
  template <std::ranges::range R>
  BLITZ_REFUSE("chain takes another pipeline: chain(blitz::par(range))")
  chain(const R& range) const BLITZ_REFUSED;
  template <class F>
  BLITZ_REFUSE_UNLESS((std::invocable<F, const Pipeline<S>&>),
                      "p | f is f(p), with a pipeline p; views are of ranges, and go before par: blitz::par(range | "
                      "view)",
                      operator|(F&& f));
  BLITZ_REFUSE_UNLESS(PipelineNumber<Value>,
                      "sum adds numbers; other items are added by reduce(identity, std::plus<>{})", sum());
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
