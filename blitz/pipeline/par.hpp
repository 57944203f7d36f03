/// @file
/// par and Pipeline: stages that are chained, and terminals that run them in one pass.
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

/// A lazy sequence of items: nothing runs before a terminal, such as sum() or collect(), which goes through the items once,
/// on the pool's threads.
///
/// Made by blitz::par. A stage (map, filter, ...) returns a new pipeline. Stages keep their callables by value; these are
/// called through const references, by several threads at once, and must not change what others read. Ranges that are
/// lvalues are referred to, and must live until the terminal has returned.
///
/// Terminals: blocks of items are gone through by whichever worker is free, in the order of the items within a block; what
/// combines parts does so in their order. An exception ends it early: no block that has not begun will begin, and the first
/// one thrown arrives when the running blocks are done; everything made until then is destroyed. A stop request leaves out
/// blocks that have not begun: for_each then returns, and terminals that return values throw Stopped. A terminal costs as
/// much as a parallel_for over as many items. Memory: none, except for collect and its relatives.
///
/// @code
///   const std::size_t words = blitz::lines(text)
///                                 .flat_map([](std::string_view line) { return words_of(line); })
///                                 .filter([](std::string_view word) { return word.size() > 3; })
///                                 .count();
/// @endcode
///
/// Thread-safety: as an int; terminals are const. But all copies of a pipeline that begins with blitz::from, and all stages behind
/// it, read one input: one terminal at a time, and no such pipeline is chained with itself.
///
/// The manner of the calls: Rayon's ParallelIterator. Pushing through sinks: as folly's Gen and Rust's internal iteration.
template <PipelineStage S>
class Pipeline : detail::PipelineRefusals<S> {
  using Refusals = detail::PipelineRefusals<S>;

 public:
  /// For extensions: a pipeline that ends with this stage. Others use par, from, lines and split_at.
  explicit Pipeline(S stage, const AlgorithmOptions& options = {})
      : stage_(static_cast<S&&>(stage)), options_(options) {}

  /// The items' type: as the next callable gets it; a tuple where there are several at a position.
  using Item = detail::PipelineItem<S>;
  /// The same without reference.
  using Value = detail::PipelineValue<S>;

  // --- stages ---

  /// The same with these options.
  [[nodiscard]] Pipeline with(const AlgorithmOptions& options) && {
    return Pipeline(static_cast<S&&>(stage_), options);
  }
  /// The same with these options.
  [[nodiscard]] Pipeline with(const AlgorithmOptions& options) const& { return Pipeline(stage_, options); }

  /// The items in their order, read to the end before the next stage begins. Directly behind blitz::from.
  [[nodiscard]] auto ordered() const
    requires requires(const S& s) { s.ordered(); }
  {
    return Pipeline<decltype(stage_.ordered())>(stage_.ordered(), options_);
  }

  /// f(item) in place of each item.
  template <StageFunction<S> F>
  [[nodiscard]] auto map(F f) const {
    return then<detail::MapStage<S, F>>(std::move(f));
  }
  /// The items for which `pred(item)` holds.
  template <FilterFunction<S> F>
  [[nodiscard]] auto filter(F pred) const {
    return then<detail::FilterStage<S, F>>(std::move(pred));
  }
  /// `*f(item)` for each item for which that is not empty: f returns a std::optional or a pointer.
  template <FilterMapFunction<S> F>
  [[nodiscard]] auto filter_map(F f) const {
    return then<detail::FilterMapStage<S, F>>(std::move(f));
  }
  /// All items of the range `f(item)`, which one thread goes through.
  template <FlatMapFunction<S> F>
  [[nodiscard]] auto flat_map(F f) const {
    return then<detail::FlatMapStage<S, F>>(std::move(f));
  }
  /// The same items; f(item) is called for each of them that the next stage asks for.
  template <StageFunction<S> F>
  [[nodiscard]] auto inspect(F f) const {
    return then<detail::InspectStage<S, F>>(std::move(f));
  }
  /// The items with their positions: the next callable is called as f(position, item).
  [[nodiscard]] auto enumerate() const
    requires IndexedStage<S>
  {
    return then<detail::EnumerateStage<S>>();
  }
  /// The items of both pipelines, as far as both have some: the next callable is called as f(item, other).
  template <IndexedStage T>
  [[nodiscard]] auto zip(const Pipeline<T>& other) const
    requires IndexedStage<S>
  {
    return then<detail::Zip<S, T>>(other.stage());
  }
  /// The items of this, then the items of `next`, which must be of the same type. The terminal, or the next stage that counts the
  /// items, throws std::length_error if they are more than 2^64 - 1.
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
  /// All but the first `n` items.
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
  /// In place of each item what the items up to it come to, combined by `op`, which is associative: op(sum, item) and
  /// op(sum, sum) return a sum, of the items' type. Two passes over the stages before it.
  template <StageScanFunction<Value, S> Op>
  [[nodiscard]] auto scan(Op op) const
    requires IndexedStage<S>
  {
    return then<detail::ScanStage<S, Value, Op, false>>(std::nullopt, std::move(op));
  }
  /// The same, by `op`, of the items before each, from `init` on.
  template <class T, StageScanFunction<T, S> Op>
  [[nodiscard]] auto exclusive_scan(T init, Op op) const
    requires IndexedStage<S>
  {
    return then<detail::ScanStage<S, T, Op, true>>(std::move(init), std::move(op));
  }
  /// Sub-ranges of `size` neighbouring items each, the last perhaps shorter. Directly behind par(range), take or skip.
  /// Throws std::invalid_argument for a size of 0.
  [[nodiscard]] auto chunks(std::size_t size) const
    requires SlicedStage<S>
  {
    return then<detail::GroupsStage<S>>(not_zero(size), size, false);
  }
  /// Sub-ranges of `size` neighbouring items, one that begins at each item that has as many behind it. As chunks.
  [[nodiscard]] auto windows(std::size_t size) const
    requires SlicedStage<S>
  {
    return then<detail::GroupsStage<S>>(not_zero(size), detail::LoopIndex{1}, true);
  }

  // --- terminals ---

  /// Calls f(item) for each item.
  template <StageFunction<S> F>
  void for_each(F f) const {
    detail::for_stage(options_, stage_, detail::CallForEach<F>{f});
  }
  /// Calls f(value, item) for each item. `init()` makes a value once for each part that a worker takes.
  template <std::invocable Init, class F>
  void for_each_with(Init init, F f) const {
    AlgorithmOptions options = options_;
    options.deterministic = false;  // There is no result; but each leaf of the tree would have a value of its own.
    detail::fold_stage(options, stage_, detail::CallWithState<std::invoke_result_t<Init&>, Init, F>{init, f});
  }

  /// Combines all items by `op`, which is associative: n - 1 calls.
  /// @return The result; none if there is no item.
  template <StageReduceFunction<S> Op>
  [[nodiscard]] std::optional<Value> reduce(Op op) const {
    return detail::fold_stage(options_, stage_, detail::ReduceItems<Value, Op>{op});
  }
  /// The same; for no items `identity`, with which op(identity, x) is x.
  template <class T, FoldFunction<T, S> Op>
    requires FoldCombineFunction<Op, T>
  [[nodiscard]] T reduce(T identity, Op op) const {
    return fold(std::move(identity), op, op);
  }
  /// `f`(value, item) takes the items of a part into a value that begins as a copy of `identity`, combine(left, right)
  /// combines the values of neighbours. Each returns the new value, or takes the first as an lvalue, changes it and
  /// returns nothing, which is faster for large values:
  /// @code
  ///   const auto counts = blitz::par(words).fold(Counts(), [](Counts& counts, std::string_view word) { ++counts[word]; },
  ///                                              [](Counts& left, const Counts& right) { left.merge_with(right); });
  /// @endcode
  template <class T, FoldFunction<T, S> F, FoldCombineFunction<T> Combine>
  [[nodiscard]] T fold(T identity, F f, Combine combine) const {
    return detail::fold_stage(options_, stage_, detail::FoldItems<T, F, Combine>{identity, f, combine});
  }
  /// The sum of the items, in their type; 0 for none. The additions of floating-point numbers are made in another order,
  /// and with `.deterministic` in one that does not depend on the threads; they begin with +0.0, so that a sum of nothing but
  /// -0.0 is +0.0.
  [[nodiscard]] Value sum() const
    requires PipelineNumber<Value>
  {
    return detail::fold_numbers<std::plus<Value>, Value>(options_, stage_);
  }
  /// The sum without lanes: within each part, numbers are added from left to right, as a serial loop does.
  [[nodiscard]] Value ordered_sum() const
    requires PipelineNumber<Value>
  {
    return fold(Value{}, std::plus<Value>(), std::plus<Value>());
  }
  /// The product of the items; 1 for none. Otherwise as sum.
  [[nodiscard]] Value product() const
    requires PipelineNumber<Value>
  {
    return detail::fold_numbers<std::multiplies<Value>, Value>(options_, stage_);
  }
  /// The number of items.
  [[nodiscard]] std::size_t count() const { return detail::count_items(options_, stage_); }
  /// The least item by `less`, the first of equal ones; none if there is no item. NaNs are in no order: with them any item may be
  /// returned, here and by max and minmax.
  template <StageOrderFunction<S> Less = std::ranges::less>
  [[nodiscard]] std::optional<Value> min(Less less = {}) const {
    return detail::least_item(options_, stage_, less);
  }
  /// The greatest item by `less`, the last of equal ones; none if there is no item.
  template <StageOrderFunction<S> Less = std::ranges::less>
  [[nodiscard]] std::optional<Value> max(Less less = {}) const {
    return detail::greatest_item(options_, stage_, less);
  }
  /// Both at once, by `less`; none if there is no item.
  template <StageOrderFunction<S> Less = std::ranges::less>
  [[nodiscard]] std::optional<std::pair<Value, Value>> minmax(Less less = {}) const
    requires std::copy_constructible<Value>
  {
    return detail::least_and_greatest_item(options_, stage_, less);
  }

  /// Whether `pred` holds for any item; no block begins once it has.
  template <FilterFunction<S> F>
  [[nodiscard]] bool any_of(F pred) const {
    return detail::any_item(options_, stage_, pred);
  }
  /// Whether `pred` holds for all.
  template <FilterFunction<S> F>
  [[nodiscard]] bool all_of(F pred) const {
    return !detail::any_item(options_, stage_, std::not_fn(std::ref(std::as_const(pred))));
  }
  /// Whether `pred` holds for none.
  template <FilterFunction<S> F>
  [[nodiscard]] bool none_of(F pred) const {
    return !any_of(std::move(pred));
  }
  /// The leftmost item for which `pred` holds, by value. Blocks to the right of one that was found do not begin.
  template <FilterFunction<S> F>
  [[nodiscard]] std::optional<Value> find_first(F pred) const {
    return detail::nearest_item<false>(options_, stage_, pred);
  }
  /// An item for which `pred` holds: whichever is found first; no block begins once one has been.
  template <FilterFunction<S> F>
  [[nodiscard]] std::optional<Value> find_any(F pred) const {
    return detail::some_item(options_, stage_, pred);
  }
  /// The rightmost item for which `pred` holds. Positions are gone through from the last to the first, and blocks to the left of
  /// one that was found do not begin.
  template <FilterFunction<S> F>
  [[nodiscard]] std::optional<Value> find_last(F pred) const {
    return detail::nearest_item<true>(options_, stage_, pred);
  }
  /// The position of the leftmost item for which `pred` holds.
  template <FilterFunction<S> F>
  [[nodiscard]] std::optional<std::size_t> position_first(F pred) const
    requires IndexedStage<S>
  {
    return detail::position_of_first(options_, stage_, pred);
  }
  /// The first item; none if there is none.
  [[nodiscard]] std::optional<Value> first() const { return find_first(detail::AnyItem()); }
  /// The last item; none if there is none.
  [[nodiscard]] std::optional<Value> last() const { return find_last(detail::AnyItem()); }

  /// All items in their order. Memory: the result, and, if the pipeline is neither indexed nor a scan of items that are copied
  /// as bytes, once more as much; where a stage drops items, and all of them would take 256 MiB at most, room for all. Throws
  /// std::bad_alloc.
  [[nodiscard]] Array<Value> collect() const { return detail::collect_items<Value>(options_, stage_); }
  /// The same as another container, made from the array's items by one thread.
  template <class Container>
  [[nodiscard]] Container collect() const {
    auto items = collect();
    return Container(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  }
  /// Assigns the items, in their order, to those of `out`, as many as both have. Memory: if the pipeline is not
  /// indexed, what collect() needs.
  /// @return How many.
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
  /// Appends the items, in their order, to `vector`. After an exception it is as it was, unless moving an item throws.
  template <class A>
  void append_to(std::vector<Value, A>& vector) const {
    auto items = collect();
    vector.insert(vector.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  }
  /// The items for which `pred` holds, and the others, each in their order. Memory: for each of both what collect() needs behind
  /// a filter.
  template <FilterFunction<S> F>
  [[nodiscard]] std::pair<Array<Value>, Array<Value>> partition(F pred) const {
    return detail::collect_both<Value, Value>(options_, stage_, detail::AppendParted<Value, F>{pred});
  }
  /// The same by `pred`, assigned to the ranges `kept` and `others`, as many as each has room for. Returns how many went to each.
  template <FilterFunction<S> F, LoopRange Kept, LoopRange Others>
  std::pair<std::size_t, std::size_t> partition_into(Kept&& kept, Others&& others, F pred) const {
    auto [left, right] = partition(std::move(pred));
    return {move_into(left, kept), move_into(right, others)};
  }
  /// The first and the second of each item, which is a pair, or a position with two items. Memory: for each of both what
  /// collect() needs.
  [[nodiscard]] auto unzip() const
    requires(std::tuple_size<Value>::value == 2)
  {
    using First = std::remove_cvref_t<std::tuple_element_t<0, Value>>;
    using Second = std::remove_cvref_t<std::tuple_element_t<1, Value>>;
    return detail::collect_both<First, Second>(options_, stage_, detail::AppendParts<First, Second>());
  }
  /// The same, assigned to the ranges `firsts` and `seconds`, as many as each has room for. Returns how many went to each.
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
  /// The items in groups of those for which `key_of(item)` is equal; see blitz::group_by. Memory: the result, and what
  /// collect() and blitz::group_by need.
  template <class F = std::identity>
    requires GroupKeyFunction<F, const Value*>
  [[nodiscard]] ItemGroups<Value> group_by(F key_of = {}) const {
    Array<Value> items = collect();
    Groups groups = blitz::group_by(options_, std::as_const(items), std::move(key_of));
    return ItemGroups<Value>(std::move(items), std::move(groups));
  }
  /// Calls f(item) for the items, until one returns an error: f returns a std::optional of it, empty for success. Of items to the
  /// right of an error some are not visited.
  /// @return The leftmost error.
  template <FilterMapFunction<S> F>
  [[nodiscard]] auto try_for_each(F f) const {
    return filter_map(std::move(f)).first();
  }

  /// Combines items that are std::optional<T> by `op`, which returns one as well: op(value, value). op(identity, x) is x.
  /// No block begins once there is an empty item, or `op` has returned an empty one for an item.
  /// @return The result; empty if an item, or what `op` returned, is.
  template <class T, class Op>
  [[nodiscard]] std::optional<T> try_reduce(T identity, Op op) const {
    return detail::fold_stage(options_, stage_, detail::TryReduceItems<T, Op>{identity, op});
  }

  /// For extensions: `p | f` is f(p).
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
  /// Moves as many items as both have.
  template <class T, class R>
  std::size_t move_into(Array<T>& items, R& out) const {
    return par(items).map(detail::MoveOut<T>()).with(options_).collect_into(out);
  }
  [[nodiscard]] static std::size_t not_zero(std::size_t size) {
    if (size == 0) throw std::invalid_argument("blitz: step_by, chunks and windows need a size of at least 1");
    return size;
  }

  S stage_;
  AlgorithmOptions options_;
};

/// A pipeline of the items of a range, or of several side by side, as far as the shortest goes: then the next callable is
/// called as f(a, b, ...).
/// @code
///   const double dot = blitz::par(a, b).map([](double x, double y) { return x * y; }).sum();
/// @endcode
/// @param range  Random access; an lvalue must live until the terminal has returned.
/// @param more   More of the same, whose items go beside those of `range`.
/// @return A Pipeline.
/// @throws What copying a view throws. Complexity: O(1). Thread-safety: any thread.
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
    "par needs random access and a size (vector, array, span, deque, views::iota); for others use blitz::from(range)")
    par(R&& range, More&&... more) BLITZ_REFUSED;
template <LoopRange R, LoopRange... More>
  requires(!(PipelineRange<R> && ... && PipelineRange<More>))
BLITZ_REFUSE("a pipeline refers to its range, which must not be a temporary: give it a name, and that to par")
    par(R&& range, More&&... more) BLITZ_REFUSED;
/// @endcond

/// A pipeline of the integers in [first, last); none if that is reversed.
/// @code
///   const long sum = blitz::par(1L, 101L).sum();  // 5050
/// @endcode
/// @param first  The first integer.
/// @param last   Behind the last.
/// @return A Pipeline.
/// @throws Nothing. Complexity: O(1). Thread-safety: any thread.
template <LoopInteger First, LoopInteger Last>
[[nodiscard]] auto par(First first, Last last) {
  return Pipeline(detail::IntegerSource(detail::items_of(first, last)));
}

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz
