/// @file
/// par and Pipeline: chained stages, and terminals that run them in one pass.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/pipeline/collect_items.hpp"
#include "blitz/detail/pipeline/find_items.hpp"
#include "blitz/detail/pipeline/fold_items.hpp"
#include "blitz/detail/pipeline/refusals.hpp"
#include "blitz/detail/pipeline/run_stage.hpp"
#include "blitz/detail/pipeline/source.hpp"
#include "blitz/detail/pipeline/stage.hpp"
#include "blitz/pipeline/array.hpp"
#include "blitz/pipeline/callables.hpp"
#include "blitz/pipeline/groups.hpp"

namespace blitz {
BLITZ_BEGIN_BY_OPTIMIZATION

template <PipelineRange R, PipelineRange... More>
[[nodiscard]] auto par(R&& range, More&&... more);

/// A lazy sequence of items. A terminal, such as sum() or collect(), runs the pipeline: it visits the items once, on the pool's
/// threads.
///
/// Created by blitz::par. A stage (map, filter, ...) returns a new pipeline. Stages store their callables by value. Several
/// threads call them concurrently through const references, so they must not cause data races. A pipeline keeps a reference to
/// a range that is an lvalue; the range must live until the terminal has returned.
///
/// Terminals: free workers process blocks of items, each block in the order of its items. Partial results are combined in
/// order. An exception ends the terminal early: no new blocks start, the first exception is rethrown when the running blocks
/// have finished, and all partial results are destroyed. After a stop request no new blocks start: for_each then returns, and
/// terminals that return values throw Stopped. Complexity: as a parallel_for() over the same number of items. Memory: none,
/// except for collect and its relatives.
///
/// @code
///   const std::size_t words =
///       blitz::lines(text)
///           .flat_map([](std::string_view line) { return words_of(line); })
///           .filter([](std::string_view word) { return word.size() > 3; })
///           .count();
/// @endcode
///
/// Thread-safety: as for an int; terminals are const. Exception: all copies of a pipeline that begins with blitz::from, and all
/// stages after it, share one input. Run one of their terminals at a time, and do not chain such a pipeline with itself.
///
/// @par Sources
/// The interface follows Rayon's ParallelIterator; pushing items through sinks follows folly's Gen and Rust's internal
/// iteration.
template <PipelineStage S>
class Pipeline : detail::PipelineRefusals<S> {
  using Refusals = detail::PipelineRefusals<S>;

 public:
  /// For extensions: a pipeline that ends with this stage. Others use par, from, lines and split_at.
  explicit Pipeline(S stage, const AlgorithmOptions& options = {})
      : stage_(static_cast<S&&>(stage)), options_(options) {}

  /// The type of an item, as passed to the next callable; a tuple if there are several per position.
  using Item = detail::PipelineItem<S>;
  /// The type of an item without reference.
  using Value = detail::PipelineValue<S>;

  // --- stages ---

  /// Returns this pipeline with other options.
  [[nodiscard]] Pipeline with(const AlgorithmOptions& options) && {
    return Pipeline(static_cast<S&&>(stage_), options);
  }
  /// Returns this pipeline with other options.
  [[nodiscard]] Pipeline with(const AlgorithmOptions& options) const& { return Pipeline(stage_, options); }

  /// The items in order: the range is read completely before the next stage begins. Only directly after blitz::from.
  [[nodiscard]] auto ordered() const
    requires requires(const S& s) { s.ordered(); }
  {
    return Pipeline<decltype(stage_.ordered())>(stage_.ordered(), options_);
  }

  /// Replaces each item by `f(item)`.
  template <StageFunction<S> F>
  [[nodiscard]] auto map(F f) const {
    return then<detail::MapStage<S, F>>(std::move(f));
  }
  /// Keeps the items that satisfy `pred(item)`.
  template <FilterFunction<S> F>
  [[nodiscard]] auto filter(F pred) const {
    return then<detail::FilterStage<S, F>>(std::move(pred));
  }
  /// `*f(item)` for each item with a result that is not empty: `f` returns a `std::optional` or a pointer.
  template <FilterMapFunction<S> F>
  [[nodiscard]] auto filter_map(F f) const {
    return then<detail::FilterMapStage<S, F>>(std::move(f));
  }
  /// All items of the ranges `f(item)`. One thread iterates over each range.
  template <FlatMapFunction<S> F>
  [[nodiscard]] auto flat_map(F f) const {
    return then<detail::FlatMapStage<S, F>>(std::move(f));
  }
  /// Passes the items on unchanged, and calls `f(item)` for each item that the next stage requests.
  template <StageFunction<S> F>
  [[nodiscard]] auto inspect(F f) const {
    return then<detail::InspectStage<S, F>>(std::move(f));
  }
  /// The items with their positions: the next callable is called as `f(position, item)`.
  [[nodiscard]] auto enumerate() const
    requires IndexedStage<S>
  {
    return then<detail::EnumerateStage<S>>();
  }
  /// Pairs the items of both pipelines, up to the end of the shorter one: the next callable is called as `f(item, other)`.
  template <IndexedStage T>
  [[nodiscard]] auto zip(const Pipeline<T>& other) const
    requires IndexedStage<S>
  {
    return then<detail::Zip<S, T>>(other.stage());
  }
  /// The items of this, then the items of `next`, which must be of the same type. The terminal, or the next stage that counts
  /// the items, throws std::length_error if there are more than 2^64 - 1.
  template <PipelineStage T>
    requires std::same_as<typename S::Items, typename T::Items>
  [[nodiscard]] auto chain(const Pipeline<T>& next) const {
    return then<detail::ChainStage<S, T>>(next.stage());
  }
  /// The first `n` items, or all if there are fewer.
  [[nodiscard]] auto take(std::size_t n) const
    requires IndexedStage<S>
  {
    return then<detail::SliceStage<S>>(detail::LoopIndex{0}, std::min<detail::LoopIndex>(n, stage_.positions()));
  }
  /// All items except the first `n`.
  [[nodiscard]] auto skip(std::size_t n) const
    requires IndexedStage<S>
  {
    return then<detail::SliceStage<S>>(n, stage_.positions());
  }
  /// Items 0, step, 2 * step, ... Throws std::invalid_argument for a step of 0.
  [[nodiscard]] auto step_by(std::size_t step) const
    requires IndexedStage<S>
  {
    return then<detail::StepStage<S>>(not_zero(step));
  }
  /// The items from the last to the first.
  [[nodiscard]] auto rev() const
    requires IndexedStage<S>
  {
    return then<detail::ReversedStage<S>>();
  }
  /// Inclusive scan: replaces each item by the combination, by `op`, of all items up to it. `op` must be associative:
  /// `op(sum, item)` and `op(sum, sum)` return a sum, of the items' type. Two passes over the stages before it.
  template <StageScanFunction<Value, S> Op>
  [[nodiscard]] auto scan(Op op) const
    requires IndexedStage<S>
  {
    return then<detail::ScanStage<S, Value, Op, false>>(std::nullopt, std::move(op));
  }
  /// Exclusive scan: replaces each item by the combination, by `op`, of `init` and all items before it.
  template <class T, StageScanFunction<T, S> Op>
  [[nodiscard]] auto exclusive_scan(T init, Op op) const
    requires IndexedStage<S>
  {
    return then<detail::ScanStage<S, T, Op, true>>(std::move(init), std::move(op));
  }
  /// Sub-ranges of `size` neighbouring items each, the last possibly shorter. Only directly after par(range), take or skip.
  /// Throws std::invalid_argument for a size of 0.
  [[nodiscard]] auto chunks(std::size_t size) const
    requires SlicedStage<S>
  {
    return then<detail::GroupsStage<S>>(not_zero(size), size, false);
  }
  /// All sub-ranges of `size` consecutive items, one from each position that has enough items after it. Only directly after
  /// par(range), take or skip. Throws std::invalid_argument for a size of 0.
  [[nodiscard]] auto windows(std::size_t size) const
    requires SlicedStage<S>
  {
    return then<detail::GroupsStage<S>>(not_zero(size), detail::LoopIndex{1}, true);
  }

  // --- terminals ---

  /// Calls `f(item)` for each item.
  template <StageFunction<S> F>
  void for_each(F f) const {
    detail::for_stage(options_, stage_, detail::CallForEach<F>{f});
  }
  /// Calls `f(value, item)` for each item. `init()` creates one value for each part that a worker takes.
  template <std::invocable Init, class F>
  void for_each_with(Init init, F f) const {
    AlgorithmOptions options = options_;
    options.deterministic = false;  // There is no result, and each leaf of the tree would create a value.
    detail::fold_stage(options, stage_, detail::CallWithState<std::invoke_result_t<Init&>, Init, F>{init, f});
  }

  /// Combines all items by the associative operation `op`, in n - 1 calls.
  /// @return The result; empty if there is no item.
  template <StageReduceFunction<S> Op>
  [[nodiscard]] std::optional<Value> reduce(Op op) const {
    return detail::fold_stage(options_, stage_, detail::ReduceItems<Value, Op>{op});
  }
  /// The combination of all items by the associative operation `op`; `identity` if there is no item. `op(identity, x)` must
  /// equal x.
  template <class T, FoldFunction<T, S> Op>
    requires FoldCombineFunction<Op, T>
  [[nodiscard]] T reduce(T identity, Op op) const {
    return fold(std::move(identity), op, op);
  }
  /// `f(value, item)` folds the items of a part into a copy of `identity`, and `combine(left, right)` combines the values of
  /// neighbouring parts. Each returns the new value, or takes its first argument as an lvalue, modifies it and returns nothing,
  /// which is faster for large values:
  /// @code
  ///   const auto counts = blitz::par(words).fold(
  ///       Counts(), [](Counts& counts, std::string_view word) { ++counts[word]; },
  ///       [](Counts& left, const Counts& right) { left.merge_with(right); });
  /// @endcode
  template <class T, FoldFunction<T, S> F, FoldCombineFunction<T> Combine>
  [[nodiscard]] T fold(T identity, F f, Combine combine) const {
    return detail::fold_stage(options_, stage_, detail::FoldItems<T, F, Combine>{identity, f, combine});
  }
  /// The sum of the items, in their type; 0 for none. Floating-point numbers are not added from left to right. With
  /// `.deterministic` their order does not depend on the threads. Sums start from +0.0, so that a sum of only -0.0 is +0.0.
  [[nodiscard]] Value sum() const
    requires PipelineNumber<Value>
  {
    return detail::fold_numbers<std::plus<Value>, Value>(options_, stage_);
  }
  /// The sum without lanes: within each part, numbers are added from left to right, as in a serial loop.
  [[nodiscard]] Value ordered_sum() const
    requires PipelineNumber<Value>
  {
    return fold(Value{}, std::plus<Value>(), std::plus<Value>());
  }
  /// The product of the items, in their type; 1 for none. See sum for the order of floating-point operations.
  [[nodiscard]] Value product() const
    requires PipelineNumber<Value>
  {
    return detail::fold_numbers<std::multiplies<Value>, Value>(options_, stage_);
  }
  /// The number of items.
  [[nodiscard]] std::size_t count() const { return detail::count_items(options_, stage_); }
  /// The least item by `less`, the first of equal items; empty if there is no item. NaNs have no order: if there are any, min,
  /// max and minmax may return any item.
  template <StageOrderFunction<S> Less = std::ranges::less>
  [[nodiscard]] std::optional<Value> min(Less less = {}) const {
    return detail::least_item(options_, stage_, less);
  }
  /// The greatest item by `less`, the last of equal items; empty if there is no item.
  template <StageOrderFunction<S> Less = std::ranges::less>
  [[nodiscard]] std::optional<Value> max(Less less = {}) const {
    return detail::greatest_item(options_, stage_, less);
  }
  /// The results of min and max by `less`, in one pass; empty if there is no item.
  template <StageOrderFunction<S> Less = std::ranges::less>
  [[nodiscard]] std::optional<std::pair<Value, Value>> minmax(Less less = {}) const
    requires std::copy_constructible<Value>
  {
    return detail::least_and_greatest_item(options_, stage_, less);
  }

  /// Whether any item satisfies `pred`. After the first such item no new blocks start.
  template <FilterFunction<S> F>
  [[nodiscard]] bool any_of(F pred) const {
    return detail::any_item(options_, stage_, pred);
  }
  /// Whether all items satisfy `pred`.
  template <FilterFunction<S> F>
  [[nodiscard]] bool all_of(F pred) const {
    return !detail::any_item(options_, stage_, std::not_fn(std::ref(std::as_const(pred))));
  }
  /// Whether no item satisfies `pred`.
  template <FilterFunction<S> F>
  [[nodiscard]] bool none_of(F pred) const {
    return !any_of(std::move(pred));
  }
  /// The leftmost item that satisfies `pred`, by value. No new blocks start to the right of such an item.
  template <FilterFunction<S> F>
  [[nodiscard]] std::optional<Value> find_first(F pred) const {
    return detail::nearest_item<false>(options_, stage_, pred);
  }
  /// Any item that satisfies `pred`. After the first such item no new blocks start.
  template <FilterFunction<S> F>
  [[nodiscard]] std::optional<Value> find_any(F pred) const {
    return detail::some_item(options_, stage_, pred);
  }
  /// The rightmost item that satisfies `pred`. Visits positions from the last to the first. No new blocks start to the left of
  /// such an item.
  template <FilterFunction<S> F>
  [[nodiscard]] std::optional<Value> find_last(F pred) const {
    return detail::nearest_item<true>(options_, stage_, pred);
  }
  /// The position of the leftmost item that satisfies `pred`.
  template <FilterFunction<S> F>
  [[nodiscard]] std::optional<std::size_t> position_first(F pred) const
    requires IndexedStage<S>
  {
    return detail::position_of_first(options_, stage_, pred);
  }
  /// The first item; empty if there is no item.
  [[nodiscard]] std::optional<Value> first() const { return find_first(detail::AnyItem()); }
  /// The last item; empty if there is no item.
  [[nodiscard]] std::optional<Value> last() const { return find_last(detail::AnyItem()); }

  /// All items in order. Memory: the result. A second copy of it, unless the pipeline is indexed or a scan of trivially copied
  /// items. Room for all items, if a stage drops items and all items would take at most 256 MiB. Throws std::bad_alloc.
  [[nodiscard]] Array<Value> collect() const { return detail::collect_items<Value>(options_, stage_); }
  /// All items in order, in another container, which one thread fills from the array.
  template <class Container>
  [[nodiscard]] Container collect() const {
    auto items = collect();
    return Container(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  }
  /// Assigns the items in order to the items of `out`, up to the end of the shorter one. Memory: none if the pipeline is
  /// indexed; otherwise as for collect().
  /// @return The number of assigned items.
  template <LoopRange R>
    requires std::indirectly_writable<std::ranges::iterator_t<R>, Value>
  std::size_t collect_into(R&& out) const {
    if constexpr (S::kIndexed) {
      return detail::assign_items(options_, stage_, out);
    } else {
      auto items = collect();
      return move_into(items, out);
    }
  }
  /// Appends the items in order to `vector`. An exception leaves the vector unchanged, unless moving an item throws.
  template <class A>
  void append_to(std::vector<Value, A>& vector) const {
    auto items = collect();
    vector.insert(vector.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  }
  /// The items that satisfy `pred`, and the others, each in order. Memory: for each of the two as for collect() after a filter.
  template <FilterFunction<S> F>
  [[nodiscard]] std::pair<Array<Value>, Array<Value>> partition(F pred) const {
    return detail::collect_both<Value, Value>(options_, stage_, detail::AppendParted<Value, F>{pred});
  }
  /// Like partition by `pred`, but assigns the items to the ranges `kept` and `others`, as many as each has room for. Returns
  /// the two numbers of assigned items.
  template <FilterFunction<S> F, LoopRange Kept, LoopRange Others>
  std::pair<std::size_t, std::size_t> partition_into(Kept&& kept, Others&& others, F pred) const {
    auto [left, right] = partition(std::move(pred));
    return {move_into(left, kept), move_into(right, others)};
  }
  /// Two arrays: the first and the second component of each item, which is a pair or a position with two items. Memory: for
  /// each of the two as for collect().
  [[nodiscard]] auto unzip() const
    requires(std::tuple_size<Value>::value == 2)
  {
    using First = std::remove_cvref_t<std::tuple_element_t<0, Value>>;
    using Second = std::remove_cvref_t<std::tuple_element_t<1, Value>>;
    return detail::collect_both<First, Second>(options_, stage_, detail::AppendParts<First, Second>());
  }
  /// Like unzip, but assigns the components to the ranges `firsts` and `seconds`, as many as each has room for. Returns the two
  /// numbers of assigned components.
  template <LoopRange Firsts, LoopRange Seconds>
  std::pair<std::size_t, std::size_t> unzip_into(Firsts&& firsts, Seconds&& seconds) const
    requires(std::tuple_size<Value>::value == 2)
  {
    if constexpr (S::kIndexed) {
      return detail::assign_parts(options_, stage_, firsts, seconds);
    } else {
      auto [left, right] = unzip();
      return {move_into(left, firsts), move_into(right, seconds)};
    }
  }
  /// The items in groups with equal `key_of(item)`; see blitz::group_by. Memory: the result, and the memory of collect() and
  /// blitz::group_by.
  template <class F = std::identity>
    requires GroupKeyFunction<F, const Value*>
  [[nodiscard]] ItemGroups<Value> group_by(F key_of = {}) const {
    Array<Value> items = collect();
    Groups groups = blitz::group_by(options_, std::as_const(items), std::move(key_of));
    return ItemGroups<Value>(std::move(items), std::move(groups));
  }
  /// Calls `f(item)` for the items until a call returns an error: `f` returns a `std::optional` of the error, empty for
  /// success. Items to the right of an error may be skipped.
  /// @return The leftmost error.
  template <FilterMapFunction<S> F>
  [[nodiscard]] auto try_for_each(F f) const {
    return filter_map(std::move(f)).first();
  }

  /// Combines items that are `std::optional<T>` by `op`, which returns one as well: `op(value, value)`. `op(identity, x)` is x.
  /// After an empty item, or an empty result of `op`, no new blocks start.
  /// @return The result; empty if an item or a result of `op` is empty.
  template <class T, class Op>
  [[nodiscard]] std::optional<T> try_reduce(T identity, Op op) const {
    return detail::fold_stage(options_, stage_, detail::TryReduceItems<T, Op>{identity, op});
  }

  /// For extensions: `p | f` is `f(p)`.
  template <class F>
  decltype(auto) operator|(F&& f) const
    requires std::invocable<F, const Pipeline&>
  {
    return std::invoke(std::forward<F>(f), *this);
  }

  [[nodiscard]] const S& stage() const noexcept { return stage_; }                     ///< For extensions.
  [[nodiscard]] const AlgorithmOptions& options() const noexcept { return options_; }  ///< See with().

  /// @cond
  using Refusals::all_of, Refusals::any_of, Refusals::chain, Refusals::chunks, Refusals::enumerate,
      Refusals::exclusive_scan, Refusals::filter, Refusals::filter_map, Refusals::find_any, Refusals::find_first,
      Refusals::find_last, Refusals::flat_map, Refusals::fold, Refusals::for_each, Refusals::inspect, Refusals::map,
      Refusals::max, Refusals::min, Refusals::minmax, Refusals::none_of, Refusals::operator|, Refusals::partition,
      Refusals::position_first, Refusals::reduce, Refusals::rev, Refusals::scan, Refusals::skip, Refusals::step_by,
      Refusals::sum, Refusals::take, Refusals::try_for_each, Refusals::windows, Refusals::zip;
  /// @endcond

 private:
  template <PipelineStage T, class... A>
  [[nodiscard]] auto then(A&&... a) const {
    return Pipeline<T>(T(stage_, std::forward<A>(a)...), options_);
  }
  /// Moves the items, up to the end of the shorter range.
  template <class T, class R>
  std::size_t move_into(Array<T>& items, R& out) const {
    return par(items).map(detail::MoveOut<T>()).with(options_).collect_into(out);
  }
  [[nodiscard]] static std::size_t not_zero(std::size_t size) {
    if (size == 0) throw std::invalid_argument("blitz: the size of step_by, chunks or windows is 0; use at least 1");
    return size;
  }

  S stage_;
  AlgorithmOptions options_;
};

/// A pipeline of the items of a range. For several ranges, it zips their items up to the end of the shortest: the next callable
/// is called as `f(a, b, ...)`.
/// @code
///   const double dot = blitz::par(a, b).map([](double x, double y) { return x * y; }).sum();
/// @endcode
/// @param range  Random access; an lvalue must live until the terminal has returned.
/// @param more   More ranges to zip with `range`.
/// @return A Pipeline.
/// @throws The exceptions of copying a view. Complexity: O(1). Thread-safety: any thread.
template <PipelineRange R, PipelineRange... More>
[[nodiscard]] auto par(R&& range, More&&... more) {
  using First = detail::RangeSource<std::views::all_t<R>>;
  First first(std::views::all(std::forward<R>(range)));
  if constexpr (sizeof...(More) == 0) {
    return Pipeline(std::move(first));
  } else {
    using Source = detail::Zip<First, detail::RangeSource<std::views::all_t<More>>...>;
    return Pipeline(Source(std::move(first),
                           detail::RangeSource<std::views::all_t<More>>(std::views::all(std::forward<More>(more)))...));
  }
}

/// @cond
template <std::ranges::range R, class... More>
  requires(!(LoopRange<R> && ... && LoopRange<More>))
BLITZ_REFUSE(
    "par got a range without random access or size; use vector, array, span, deque or views::iota, or "
    "blitz::from(range)") par(R&& range, More&&... more) BLITZ_REFUSED;
template <LoopRange R, LoopRange... More>
  requires(!(PipelineRange<R> && ... && PipelineRange<More>))
BLITZ_REFUSE("the range of a pipeline is a temporary; store it in a variable, and pass that to par")
    par(R&& range, More&&... more) BLITZ_REFUSED;
/// @endcond

/// A pipeline of the integers in [first, last); empty if the interval is reversed.
/// @code
///   const long sum = blitz::par(1L, 101L).sum();  // 5050
/// @endcode
/// @param first  The first integer.
/// @param last   One after the last.
/// @return A Pipeline.
/// @throws Nothing. Complexity: O(1). Thread-safety: any thread.
template <LoopInteger First, LoopInteger Last>
[[nodiscard]] auto par(First first, Last last) {
  return Pipeline(detail::IntegerSource(detail::items_of(first, last)));
}

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz
