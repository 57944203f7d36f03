/// @file
/// par and Pipeline: stages that are chained, and terminals that run them in one pass.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/algorithm/transform.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/pipeline/source.hpp"
#include "blitz/detail/pipeline/stage.hpp"
#include "blitz/detail/pipeline/terminal.hpp"
#include "blitz/parallel_reduce.hpp"
#include "blitz/pipeline/array.hpp"
#include "blitz/pipeline/groups.hpp"

namespace blitz {
BLITZ_BEGIN_BY_OPTIMIZATION

/// A range that blitz::Pipeline can begin with: random access, of known size; an lvalue, which is referred to, or a view.
template <class R>
concept PipelineRange = LoopRange<R> && std::ranges::viewable_range<R> && LoopRange<const std::views::all_t<R>> &&
                        (std::is_lvalue_reference_v<R> || std::ranges::view<std::remove_cvref_t<R>>);

template <PipelineRange R, PipelineRange... More>
[[nodiscard]] auto par(R&& range, More&&... more);

/// Numbers that sum and product of a blitz::Pipeline take.
template <class T>
concept PipelineNumber = std::is_arithmetic_v<T>;

/// A callable that says yes or no to each item of a stage of a blitz::Pipeline.
template <class F, class S>
concept FilterFunction =
    StageFunction<F, S> && requires(detail::StageResult<F, S> answer) { static_cast<bool>(answer); };

/// What filter_map of a blitz::Pipeline takes: a callable whose result is tested, and dereferenced, as a std::optional or a pointer
/// is.
template <class F, class S>
concept FilterMapFunction = StageFunction<F, S> && requires(detail::StageResult<F, S> maybe) {
  static_cast<bool>(maybe);
  *std::forward<detail::StageResult<F, S>>(maybe);
};

/// What flat_map of a blitz::Pipeline takes: a callable that returns a range.
template <class F, class S>
concept FlatMapFunction = StageFunction<F, S> && std::ranges::range<detail::StageResult<F, S>>;

/// What takes the items of a stage into a value of type T: see fold of blitz::Pipeline.
template <class F, class T, class S>
concept FoldFunction = std::copy_constructible<T> && detail::kFolds<const F&, T, typename S::Items>;

/// What combines two values of type T to one: see fold of blitz::Pipeline.
template <class C, class T>
concept FoldCombineFunction = detail::kFolds<const C&, T, detail::Pack<T>>;

/// What combines items of a stage of a blitz::Pipeline, two of them or what some of them come to, to a value of their type.
template <class Op, class S>
concept StageReduceFunction = std::movable<detail::PipelineValue<S>> &&
                              ReduceFunction<const Op, detail::PipelineValue<S>, detail::PipelineItem<S>>;

/// What combines items of a stage for sums of type T, which begin with an item and can be copied: see scan of blitz::Pipeline.
template <class Op, class T, class S>
concept StageScanFunction =
    std::copyable<T> && std::same_as<detail::Pack<detail::PipelineItem<S>>, typename S::Items> &&
    std::constructible_from<T, detail::PipelineItem<S>> && ReduceFunction<const Op, T, detail::PipelineItem<S>> &&
    std::invocable<const Op&, T&, T>;

/// An order of the items of a stage of a blitz::Pipeline: less(x, y) says whether x comes before y.
template <class Less, class S>
concept StageOrderFunction =
    std::movable<detail::PipelineValue<S>> &&
    std::predicate<const Less&, const std::remove_reference_t<detail::PipelineItem<S>>&,
                   const detail::PipelineValue<S>&> &&
    std::predicate<const Less&, const detail::PipelineValue<S>&, const detail::PipelineValue<S>&>;

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
class Pipeline {
 public:
  /// For extensions: a pipeline that ends with this stage. Others use par, from, lines and split_at.
  explicit Pipeline(S stage, const AlgorithmOptions& options = {}) : stage_(std::move(stage)), options_(options) {}

  /// The items' type: as the next callable gets it; a tuple where there are several at a position.
  using Item = detail::PipelineItem<S>;
  /// The same without reference.
  using Value = detail::PipelineValue<S>;

  // --- stages ---

  /// The same with these options.
  [[nodiscard]] Pipeline with(const AlgorithmOptions& options) && { return Pipeline(std::move(stage_), options); }
  /// The same with these options.
  [[nodiscard]] Pipeline with(const AlgorithmOptions& options) const& { return Pipeline(stage_, options); }

  /// The items in their order, read to the end before the next stage begins. Directly behind blitz::from.
  [[nodiscard]] auto ordered() const
    requires requires(const S& s) { s.ordered(); }
  {
    return then(stage_.ordered());
  }

  /// f(item) in place of each item.
  template <StageFunction<S> F>
  [[nodiscard]] auto map(F f) const {
    return then(detail::MapStage<S, F>(stage_, std::move(f)));
  }
  /// The items for which `pred(item)` holds.
  template <FilterFunction<S> F>
  [[nodiscard]] auto filter(F pred) const {
    return then(detail::FilterStage<S, F>(stage_, std::move(pred)));
  }
  /// `*f(item)` for each item for which that is not empty: f returns a std::optional or a pointer.
  template <FilterMapFunction<S> F>
  [[nodiscard]] auto filter_map(F f) const {
    return then(detail::FilterMapStage<S, F>(stage_, std::move(f)));
  }
  /// All items of the range `f(item)`, which one thread goes through.
  template <FlatMapFunction<S> F>
  [[nodiscard]] auto flat_map(F f) const {
    return then(detail::FlatMapStage<S, F>(stage_, std::move(f)));
  }
  /// The same items; f(item) is called for each of them that the next stage asks for.
  template <StageFunction<S> F>
  [[nodiscard]] auto inspect(F f) const {
    return then(detail::InspectStage<S, F>(stage_, std::move(f)));
  }
  /// The items with their positions: the next callable is called as f(position, item).
  [[nodiscard]] auto enumerate() const
    requires IndexedStage<S>
  {
    return then(detail::EnumerateStage<S>(stage_));
  }
  /// The items of both pipelines, as far as both have some: the next callable is called as f(item, other).
  template <IndexedStage T>
  [[nodiscard]] auto zip(const Pipeline<T>& other) const
    requires IndexedStage<S>
  {
    return then(detail::Zip<S, T>(stage_, other.stage()));
  }
  /// The items of this, then the items of `next`, which must be of the same type. The terminal, or the next stage that counts the
  /// items, throws std::length_error if they are more than 2^64 - 1.
  template <PipelineStage T>
    requires std::same_as<typename S::Items, typename T::Items>
  [[nodiscard]] auto chain(const Pipeline<T>& next) const {
    return then(detail::ChainStage<S, T>(stage_, next.stage()));
  }
  /// The first `n` items, or all if there are fewer.
  [[nodiscard]] auto take(std::size_t n) const
    requires IndexedStage<S>
  {
    return slice(0, std::min<detail::LoopIndex>(n, stage_.positions()));
  }
  /// All but the first `n` items.
  [[nodiscard]] auto skip(std::size_t n) const
    requires IndexedStage<S>
  {
    return slice(n, stage_.positions());
  }
  /// Items 0, step, 2 * step, ... Throws std::invalid_argument for a step of 0.
  [[nodiscard]] auto step_by(std::size_t step) const
    requires IndexedStage<S>
  {
    return then(detail::StepStage<S>(stage_, not_zero(step)));
  }
  /// The items from the last to the first.
  [[nodiscard]] auto rev() const
    requires IndexedStage<S>
  {
    return then(detail::ReversedStage<S>(stage_));
  }
  /// In place of each item what the items up to it come to, combined by `op`, which is associative: op(sum, item) and
  /// op(sum, sum) return a sum, of the items' type. Two passes over the stages before it.
  template <StageScanFunction<Value, S> Op>
  [[nodiscard]] auto scan(Op op) const
    requires IndexedStage<S>
  {
    return then(detail::ScanStage<S, Value, Op, false>(stage_, std::nullopt, std::move(op)));
  }
  /// The same, by `op`, of the items before each, from `init` on.
  template <class T, StageScanFunction<T, S> Op>
  [[nodiscard]] auto exclusive_scan(T init, Op op) const
    requires IndexedStage<S>
  {
    return then(detail::ScanStage<S, T, Op, true>(stage_, std::move(init), std::move(op)));
  }
  /// Sub-ranges of `size` neighbouring items each, the last perhaps shorter. Directly behind par(range), take or skip.
  /// Throws std::invalid_argument for a size of 0.
  [[nodiscard]] auto chunks(std::size_t size) const
    requires SlicedStage<S>
  {
    return then(detail::GroupsStage<S>(stage_, not_zero(size), size, false));
  }
  /// Sub-ranges of `size` neighbouring items, one that begins at each item that has as many behind it. As chunks.
  [[nodiscard]] auto windows(std::size_t size) const
    requires SlicedStage<S>
  {
    return then(detail::GroupsStage<S>(stage_, not_zero(size), 1, true));
  }

  // --- terminals ---

  /// Calls f(item) for each item.
  template <StageFunction<S> F>
  void for_each(F f) const {
    detail::for_stage(options_, stage_, [&](const S& stage, detail::LoopIndex first, detail::LoopIndex last) {
      detail::push(stage, first, last, [&f](auto&&... x) BLITZ_LAMBDA_INLINE {
        static_cast<void>(detail::invoke_inline(std::as_const(f), static_cast<decltype(x)>(x)...));
      });
    });
  }
  /// Calls f(value, item) for each item. `init()` makes a value once for each part that a worker takes.
  template <std::invocable Init, class F>
  void for_each_with(Init init, F f) const {
    using State = std::invoke_result_t<Init&>;
    AlgorithmOptions options = options_;
    options.deterministic = false;  // There is no result; but each leaf of the tree would have a value of its own.
    detail::fold_stage(
        options, stage_, [&] { return std::optional<State>(); },
        [&](std::optional<State>& state, const S& stage, detail::LoopIndex first, detail::LoopIndex last) {
          if (!state) state.emplace(init());
          detail::push(stage, first, last, [&](auto&&... x) BLITZ_LAMBDA_INLINE {
            static_cast<void>(detail::invoke_inline(std::as_const(f), *state, static_cast<decltype(x)>(x)...));
          });
        },
        [](std::optional<State>&, std::optional<State>&&) {});
  }

  /// Combines all items by `op`, which is associative: n - 1 calls.
  /// @return The result; none if there is no item.
  template <StageReduceFunction<S> Op>
  [[nodiscard]] std::optional<Value> reduce(Op op) const {
    return detail::reduce_items<Value>(options_, stage_, op);
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
    return detail::fold_stage(
        options_, stage_, [&identity] { return T(std::as_const(identity)); },
        [&](T& value, const S& stage, detail::LoopIndex first, detail::LoopIndex last) {
          detail::with_local(value, [&](T& local) BLITZ_LAMBDA_INLINE {
            detail::push(stage, first, last, [&](auto&&... x) BLITZ_LAMBDA_INLINE {
              detail::fold_into(local, std::as_const(f), static_cast<decltype(x)>(x)...);
            });
          });
        },
        [&](T& left, T&& right) { detail::fold_into(left, std::as_const(combine), std::move(right)); });
  }
  /// The sum of the items, in their type; 0 for none. The additions of floating-point numbers are made in another order,
  /// and with `.deterministic` in one that does not depend on the threads; they begin with +0.0, so that a sum of nothing but
  /// -0.0 is +0.0.
  [[nodiscard]] Value sum() const
    requires PipelineNumber<Value>
  {
    return detail::fold_numbers<Value>(options_, stage_, std::plus<Value>());
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
    return detail::fold_numbers<Value>(options_, stage_, std::multiplies<Value>());
  }
  /// The number of items.
  [[nodiscard]] std::size_t count() const {
    if constexpr (S::kIndexed) {
      return static_cast<std::size_t>(stage_.positions());
    } else {
      return detail::fold_stage(
          options_, stage_, [] { return std::size_t{0}; },
          [&](std::size_t& value, const S& stage, detail::LoopIndex first, detail::LoopIndex last) {
            detail::with_local(value, [&](std::size_t& local) BLITZ_LAMBDA_INLINE {
              detail::push(stage, first, last, [&](auto&&...) BLITZ_LAMBDA_INLINE { ++local; });
            });
          },
          [](std::size_t& left, std::size_t&& right) { left += right; });
    }
  }
  /// The least item by `less`, the first of equal ones; none if there is no item. NaNs are in no order: with them any item may be
  /// returned, here and by max and minmax.
  template <StageOrderFunction<S> Less = std::ranges::less>
  [[nodiscard]] std::optional<Value> min(Less less = {}) const {
    if constexpr (detail::kHasExtremeNumbers<S, Less>) return extreme_number<detail::Extreme::kFirstLeast>();
    return reduce([&less](Value&& a, auto&& b) -> Value {
      return detail::invoke_inline(less, std::as_const(b), std::as_const(a))
                 ? Value(detail::to_copy<Value>(static_cast<decltype(b)>(b)))
                 : std::move(a);
    });
  }
  /// The greatest item by `less`, the last of equal ones; none if there is no item.
  template <StageOrderFunction<S> Less = std::ranges::less>
  [[nodiscard]] std::optional<Value> max(Less less = {}) const {
    if constexpr (detail::kHasExtremeNumbers<S, Less>) return extreme_number<detail::Extreme::kLastGreatest>();
    return reduce([&less](Value&& a, auto&& b) -> Value {
      return detail::invoke_inline(less, std::as_const(b), std::as_const(a))
                 ? std::move(a)
                 : Value(detail::to_copy<Value>(static_cast<decltype(b)>(b)));
    });
  }
  /// Both at once, by `less`; none if there is no item.
  template <StageOrderFunction<S> Less = std::ranges::less>
  [[nodiscard]] std::optional<std::pair<Value, Value>> minmax(Less less = {}) const
    requires std::copy_constructible<Value>
  {
    using Both = std::pair<Value, Value>;
    if constexpr (detail::kHasExtremeNumbers<S, Less>) {
      using detail::Extreme;
      const auto best = detail::extreme_numbers<Extreme::kFirstLeast, Extreme::kLastGreatest>(options_, stage_);
      return best ? std::optional(Both(best->front(), best->back())) : std::nullopt;
    }
    return map([](const auto& x) { return Both(x, x); }).reduce([&less](Both&& a, Both&& b) {
      return Both(detail::invoke_inline(less, b.first, a.first) ? std::move(b.first) : std::move(a.first),
                  detail::invoke_inline(less, b.second, a.second) ? std::move(a.second) : std::move(b.second));
    });
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
    return detail::with_ready(options_, stage_, [&](const S& stage) -> std::optional<std::size_t> {
      const auto holds = [&](detail::LoopIndex i) -> bool {
        return stage.at(i, [&](auto&&... x) BLITZ_LAMBDA_INLINE {
          return static_cast<bool>(detail::invoke_inline(std::as_const(pred), std::as_const(x)...));
        });
      };
      const detail::LoopIndex found = detail::find_position<0>(options_, stage.positions(), holds);
      if (found == stage.positions()) return std::nullopt;
      return static_cast<std::size_t>(found);
    });
  }
  /// The first item; none if there is none.
  [[nodiscard]] std::optional<Value> first() const {
    return find_first([](auto&&...) { return true; });
  }
  /// The last item; none if there is none.
  [[nodiscard]] std::optional<Value> last() const {
    return find_last([](auto&&...) { return true; });
  }

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
      return assign_to(out);
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
    const auto append = [&pred](detail::RopeEnd& kept, detail::RopeEnd& others, const S& stage, detail::LoopIndex first,
                                detail::LoopIndex last) {
      detail::append_parted<Value>(kept, others, stage, std::as_const(pred), first, last);
    };
    return detail::collect_both<Value, Value>(options_, stage_, append);
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
    return detail::collect_both<First, Second>(
        options_, stage_,
        [](detail::RopeEnd& firsts, detail::RopeEnd& seconds, const S& stage, detail::LoopIndex first,
           detail::LoopIndex last) {
          detail::push(stage, first, last, [&](auto&&... x) BLITZ_LAMBDA_INLINE {
            firsts.open_piece().template emplace_back<First>(
                detail::to_copy<First>(detail::part_of<0>(static_cast<decltype(x)>(x)...)));
            seconds.open_piece().template emplace_back<Second>(
                detail::to_copy<Second>(detail::part_of<1>(static_cast<decltype(x)>(x)...)));
          });
        });
  }
  /// The same, assigned to the ranges `firsts` and `seconds`, as many as each has room for. Returns how many went to each.
  template <LoopRange Firsts, LoopRange Seconds>
  std::pair<std::size_t, std::size_t> unzip_into(Firsts&& firsts, Seconds&& seconds) const
    requires(std::tuple_size<Value>::value == 2)
  {
    if constexpr (S::kIndexed) {
      return assign_parts(firsts, seconds);
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
    using Maybe = std::optional<T>;
    const auto take = [&op](Maybe& left, Maybe&& right) {
      if (left && right) {
        left = detail::invoke_inline(std::as_const(op), *std::move(left), *std::move(right));
      } else {
        left.reset();
      }
      return !left;
    };
    return detail::fold_stage(
        options_, stage_, [&identity] { return Maybe(std::as_const(identity)); },
        [&](Maybe& value, const S& stage, detail::LoopIndex first, detail::LoopIndex last) {
          return detail::push(stage, first, last, [&](auto&&... x) BLITZ_LAMBDA_INLINE {
            return take(value, Maybe(detail::as_item<Item>(static_cast<decltype(x)>(x)...)));
          });
        },
        take);
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

  // --- what is refused, and what to do instead ---

  /// @cond
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
  BLITZ_REFUSE_UNLESS((std::invocable<F, const Pipeline&>),
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
  /// @endcond

 private:
  template <PipelineStage T>
  [[nodiscard]] Pipeline<T> then(T stage) const {
    return Pipeline<T>(std::move(stage), options_);
  }
  template <detail::Extreme kWhich>
  [[nodiscard]] std::optional<Value> extreme_number() const {
    const auto best = detail::extreme_numbers<kWhich>(options_, stage_);
    return best ? std::optional<Value>(best->front()) : std::nullopt;
  }
  template <class R>
  std::size_t assign_to(R& out) const {
    const auto begin = std::ranges::begin(out);
    const auto room = static_cast<detail::LoopIndex>(std::ranges::size(out));
    return detail::with_ready(options_, stage_, [&](const S& stage) {
      const detail::LoopIndex size = std::min(room, stage.positions());
      detail::write_blocks(options_, size, [&](detail::LoopIndex first, detail::LoopIndex last) {
        auto place = detail::at(begin, first);
        detail::push(stage, first, last, [&](auto&&... x) BLITZ_LAMBDA_INLINE {
          *place = detail::as_item<Item>(static_cast<decltype(x)>(x)...);
          ++place;
        });
      });
      return static_cast<std::size_t>(size);
    });
  }
  template <class Firsts, class Seconds>
  std::pair<std::size_t, std::size_t> assign_parts(Firsts& firsts, Seconds& seconds) const {
    const auto first_begin = std::ranges::begin(firsts);
    const auto second_begin = std::ranges::begin(seconds);
    return detail::with_ready(options_, stage_, [&](const S& stage) {
      const detail::LoopIndex count = stage.positions();
      const auto first_count = std::min(static_cast<detail::LoopIndex>(std::ranges::size(firsts)), count);
      const auto second_count = std::min(static_cast<detail::LoopIndex>(std::ranges::size(seconds)), count);
      detail::write_blocks(options_, std::max(first_count, second_count),
                           [&](detail::LoopIndex first, detail::LoopIndex last) {
                             detail::LoopIndex i = first;
                             detail::push(stage, first, last, [&](auto&&... x) BLITZ_LAMBDA_INLINE {
                               if (i < first_count)
                                 *detail::at(first_begin, i) = detail::part_of<0>(static_cast<decltype(x)>(x)...);
                               if (i < second_count)
                                 *detail::at(second_begin, i) = detail::part_of<1>(static_cast<decltype(x)>(x)...);
                               ++i;
                             });
                           });
      return std::pair(static_cast<std::size_t>(first_count), static_cast<std::size_t>(second_count));
    });
  }
  /// Moves as many items as both have.
  template <class T, class R>
  std::size_t move_into(Array<T>& items, R& out) const {
    return par(items).map([](T& item) -> T&& { return std::move(item); }).with(options_).collect_into(out);
  }
  [[nodiscard]] auto slice(detail::LoopIndex first, detail::LoopIndex last) const {
    return then(detail::SliceStage<S>(stage_, first, last));
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
