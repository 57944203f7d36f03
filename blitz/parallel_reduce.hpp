/// @file
/// parallel_reduce and parallel_transform_reduce: reductions by an associative operation.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <stop_token>
#include <type_traits>

#include "blitz/detail/loop/fold.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/loop/mistake.hpp"
#include "blitz/detail/loop/reduction.hpp"
#include "blitz/parallel_for.hpp"
#include "blitz/pool_ref.hpp"
#include "blitz/stopped.hpp"

namespace blitz {

/// The options of a reduction, which come first in a call. Plain data.
/// @code
///   const double sum = blitz::parallel_reduce({.deterministic = true}, v, 0.0, std::plus<>{});
/// @endcode
struct ReduceOptions {
  /// The minimum number of items in a block, unless the reduction has fewer. 0: the reduction decides.
  std::size_t min_grain = 0;
  /// Unlike in a loop, any worker may run any block of Schedule::kFixed, because values are combined in order.
  Schedule schedule = Schedule::kAdaptive;
  /// After a stop request no new blocks start, and the call throws Stopped.
  std::stop_token stop{};
  /// Makes the result bitwise identical on any number of threads, for operations that are only nearly associative, such as
  /// floating-point addition. The grouping of the operations then depends only on the number of items and on `min_grain`;
  /// `schedule` has no effect.
  bool deterministic = false;
  PoolRef pool{};  ///< The pool that runs the reduction.
};

namespace detail {

template <class I>
struct IdentityOf {
  using Value = std::decay_t<I>;
};
template <std::invocable I>
struct IdentityOf<I> {
  using Value = std::remove_cvref_t<std::invoke_result_t<I>>;
};

/// Whether the result of an operation can be used as a T. A floating-point result cannot be used as an integer, because each
/// step would lose the fraction.
template <class R, class T>
concept ReducesTo = std::convertible_to<R, T> && !(std::integral<T> && std::floating_point<std::remove_cvref_t<R>>);

}  // namespace detail

/// The type of the result of parallel_reduce(): the type of its identity.
template <class I>
using ReduceValue = typename detail::IdentityOf<I&>::Value;

/// The identity of parallel_reduce(): each part starts from it, and an empty range returns it. A copyable value, or a callable
/// that makes a value.
template <class I>
concept ReduceIdentity =
    std::movable<ReduceValue<I>> && (std::invocable<I&> ? SharedFunction<I> : std::copy_constructible<std::decay_t<I>>);

/// The operation that folds an item into a value in parallel_reduce(): callable with the current value (an rvalue of type T)
/// and an item. Its result converts to T. Several threads call it concurrently.
template <class F, class T, class Item>
concept ReduceFoldFunction = SharedFunction<F, T, Item> &&
                             detail::ReducesTo<std::invoke_result_t<const std::remove_reference_t<F>&, T, Item>, T>;

/// The operation that folds a block, a sub-range of R (`std::ranges::subrange`), into a value in parallel_reduce_blocks().
template <class F, class T, class R>
concept ReduceBlockFunction = ReduceFoldFunction<F, T, detail::LoopBlockOf<R>>;

/// The operation that combines two values (rvalues of type T) in parallel_reduce(), the left one first. Its result converts to
/// T.
template <class C, class T>
concept ReduceCombineFunction = ReduceFoldFunction<C, T, T>;

/// The operation of parallel_reduce() without a fold: it folds items into values and combines values.
template <class C, class T, class Item>
concept ReduceFunction = ReduceFoldFunction<C, T, Item> && ReduceCombineFunction<C, T>;

/// The transformation that parallel_transform_reduce() applies to each item: callable with an item, and returns
/// a value.
template <class F, class Item>
concept ReduceTransformFunction =
    SharedFunction<F, Item> && !std::is_void_v<std::invoke_result_t<const std::remove_reference_t<F>&, Item>>;

namespace detail {

/// A callable that would be valid if only one thread called it.
template <class F, class T, class Item>
concept MutableFold = std::invocable<F&, T, Item> && !SharedFunction<F, T, Item>;
template <class F, class Item>
concept MutableTransform = std::invocable<F&, Item> && !SharedFunction<F, Item>;

inline constexpr std::identity kAsItIs{};

/// Reduces the items of the space: `step` takes the result of `transform` for each. Throws Stopped after a stop request.
template <class Items, class I, class S, class C, class F = std::identity>
ReduceValue<I&> reduce(const ReduceOptions& options, const LoopSpace<Items>& space, const I& identity, const S& step,
                       const C& combine, const F& transform = kAsItIs) {
  const Fold<ReduceValue<I&>, Items, const I, const S, const C, const F> fold(space.items, identity, step, combine,
                                                                              transform);
  const LoopCut cut = options.deterministic                  ? LoopCut::kTree
                      : options.schedule == Schedule::kFixed ? LoopCut::kFixed
                                                             : LoopCut::kAdaptive;
  auto value = space.count == 0
                   ? fold.identity()
                   : Reduction(fold, space.count, cut, options.min_grain, options.stop).run(options.pool.base());
  if (options.stop.stop_requested()) [[unlikely]]
    throw_stopped();
  return value;
}

}  // namespace detail

/// @brief Combines all items of `range` as `combine(... combine(combine(identity, x0), x1) ..., xn)`. Several threads combine
/// runs of neighbouring items concurrently, so the grouping may differ.
///
/// Let T be the identity's type. `combine` must be associative, and `combine(identity, x)` must equal x; it need not be
/// commutative: strings may be joined in this way. It is called as `combine(T, item)` and as `combine(T, T)`. The first
/// argument is an rvalue that it may consume. Floating-point operations are only nearly associative: the last bits of a sum may
/// differ from call to call, unless ReduceOptions::deterministic is set.
///
/// T need only be movable. Each part that another worker begins (with ReduceOptions::deterministic each leaf of a few items or
/// more) copies `identity`, or calls it for a T if it can be called without arguments. Cuts the range as parallel_for() does.
/// For an empty range it immediately returns the identity.
///
/// An exception ends the reduction early: no new blocks start, and the first exception is rethrown when all running blocks have
/// finished. All values are destroyed. A stop request ends it in the same way, with Stopped. Outside every pool it runs in
/// global_pool().
/// @code
///   const double sum = blitz::parallel_reduce(numbers, 0.0, std::plus<>{});
/// @endcode
/// @param range     Must live until the call has returned.
/// @param identity  The initial value of each part, or a callable that makes it.
/// @param combine   The operation, called through a constant reference, by several threads concurrently. A mutable lambda is
///                  refused.
/// @return The combination of all items, a T.
/// @throws The first exception of the callables. Stopped after a stop request. Outside every pool, the exceptions of
///         global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. No allocation. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceFunction<ReduceValue<I>, std::ranges::range_reference_t<R>> C>
ReduceValue<I> parallel_reduce(R&& range, I&& identity, C&& combine) {
  return detail::reduce(ReduceOptions{}, detail::items_of(range), identity, combine, combine);
}
/// @copydoc blitz::parallel_reduce(R&&, I&&, C&&)
/// @param options   The minimum size of a block, whether the result is independent of the number of threads, a stop token, the
///                  pool.
template <detail::OptionsOf<ReduceOptions> O = ReduceOptions, LoopRange R, ReduceIdentity I,
          ReduceFunction<ReduceValue<I>, std::ranges::range_reference_t<R>> C>
ReduceValue<I> parallel_reduce(O&& options, R&& range, I&& identity, C&& combine) {
  return detail::reduce(options, detail::items_of(range), identity, combine, combine);
}

/// Combines the items of [first, last): integers of their common type, or the items of random-access iterators. A reversed
/// range of integers is empty. See the form for ranges.
/// @param first     The first integer, or an iterator to the first item.
/// @param last      One after the last.
/// @param identity  The initial value of each part, or a callable that makes it.
/// @param combine   The operation.
/// @return The combination of all items.
/// @throws The first exception of the callables. Stopped after a stop request. Outside every pool, the exceptions of
///         global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <class First, detail::LoopEnd<First> Last, ReduceIdentity I,
          ReduceFunction<ReduceValue<I>, detail::LoopItem<First, Last>> C>
ReduceValue<I> parallel_reduce(First first, Last last, I&& identity, C&& combine) {
  return detail::reduce(ReduceOptions{}, detail::items_of(first, last), identity, combine, combine);
}
/// @copydoc blitz::parallel_reduce(First, Last, I&&, C&&)
/// @param options   See the form for ranges.
template <detail::OptionsOf<ReduceOptions> O = ReduceOptions, class First, detail::LoopEnd<First> Last,
          ReduceIdentity I, ReduceFunction<ReduceValue<I>, detail::LoopItem<First, Last>> C>
ReduceValue<I> parallel_reduce(O&& options, First first, Last last, I&& identity, C&& combine) {
  return detail::reduce(options, detail::items_of(first, last), identity, combine, combine);
}

/// @brief Folds all items of `range` as `fold(... fold(fold(identity, x0), x1) ..., xn)`, with values of another type than the
/// items. Several threads fold runs of neighbouring items concurrently, each run from an identity, and combine the values of
/// neighbouring runs.
///
/// Let T be the identity's type. `fold` is called as `fold(T, item)`, `combine` as `combine(T, T)`. Each T is an rvalue that
/// may be consumed. `combine` must be associative. Combining a value with items that were folded into the identity must equal
/// folding these items into the value.
///
/// @code
/// // The words of each length.
/// auto counts = blitz::parallel_reduce(
///     words, std::map<std::size_t, int>{},
///     [](auto found, const std::string& word) { ++found[word.size()]; return found; },
///     [](auto left, const auto& right) {
///       for (const auto& [size, n] : right) left[size] += n;
///       return left;
///     });
/// @endcode
///
/// For parts, exceptions, options and threads see the form without `fold`. A part of floating-point values may be only a few
/// items.
/// @param range     Must live until the call has returned.
/// @param identity  The initial value of each part, or a callable that makes it.
/// @param fold      Folds an item into a value.
/// @param combine   Combines two values.
/// @return The values of all parts, combined.
/// @throws The first exception of the callables. Stopped after a stop request. Outside every pool, the exceptions of
///         global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceFoldFunction<ReduceValue<I>, std::ranges::range_reference_t<R>> F,
          ReduceCombineFunction<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce(R&& range, I&& identity, F&& fold, C&& combine) {
  return detail::reduce(ReduceOptions{}, detail::items_of(range), identity, fold, combine);
}
/// @copydoc blitz::parallel_reduce(R&&, I&&, F&&, C&&)
/// @param options   See the form without `fold`.
template <detail::OptionsOf<ReduceOptions> O = ReduceOptions, LoopRange R, ReduceIdentity I,
          ReduceFoldFunction<ReduceValue<I>, std::ranges::range_reference_t<R>> F,
          ReduceCombineFunction<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce(O&& options, R&& range, I&& identity, F&& fold, C&& combine) {
  return detail::reduce(options, detail::items_of(range), identity, fold, combine);
}

/// Folds the items of [first, last). See the form for ranges with a fold.
/// @param first     The first integer, or an iterator to the first item.
/// @param last      One after the last.
/// @param identity  The initial value of each part, or a callable that makes it.
/// @param fold      Folds an item into a value.
/// @param combine   Combines two values.
/// @return The values of all parts, combined.
/// @throws The first exception of the callables. Stopped after a stop request. Outside every pool, the exceptions of
///         global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <class First, detail::LoopEnd<First> Last, ReduceIdentity I,
          ReduceFoldFunction<ReduceValue<I>, detail::LoopItem<First, Last>> F, ReduceCombineFunction<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce(First first, Last last, I&& identity, F&& fold, C&& combine) {
  return detail::reduce(ReduceOptions{}, detail::items_of(first, last), identity, fold, combine);
}
/// @copydoc blitz::parallel_reduce(First, Last, I&&, F&&, C&&)
/// @param options   See the form without `fold`.
template <detail::OptionsOf<ReduceOptions> O = ReduceOptions, class First, detail::LoopEnd<First> Last,
          ReduceIdentity I, ReduceFoldFunction<ReduceValue<I>, detail::LoopItem<First, Last>> F,
          ReduceCombineFunction<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce(O&& options, First first, Last last, I&& identity, F&& fold, C&& combine) {
  return detail::reduce(options, detail::items_of(first, last), identity, fold, combine);
}

/// Like parallel_reduce() with a fold, but calls `fold(T, block)` for contiguous sub-ranges (`std::ranges::subrange`) that
/// cover `range`, each item once. For folds that are vectorised, or that keep state from item to item. One value may take
/// several blocks, from left to right. No block is empty.
///
/// @code
/// const double sum = blitz::parallel_reduce_blocks(
///     numbers, 0.0,
///     [](double sum, auto block) { return sum + kernel(block.data(), block.size()); },
///     std::plus<>{});
/// @endcode
/// @param range     Must live until the call has returned.
/// @param identity  The initial value of each part, or a callable that makes it.
/// @param fold      Folds a block of items into a value.
/// @param combine   Combines two values.
/// @return The values of all parts, combined.
/// @throws The first exception of the callables. Stopped after a stop request. Outside every pool, the exceptions of
///         global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceBlockFunction<ReduceValue<I>, R> F,
          ReduceCombineFunction<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce_blocks(R&& range, I&& identity, F&& fold, C&& combine) {
  return detail::reduce(ReduceOptions{}, detail::blocks_of(range), identity, fold, combine);
}
/// @copydoc blitz::parallel_reduce_blocks(R&&, I&&, F&&, C&&)
/// @param options   See parallel_reduce().
template <detail::OptionsOf<ReduceOptions> O = ReduceOptions, LoopRange R, ReduceIdentity I,
          ReduceBlockFunction<ReduceValue<I>, R> F, ReduceCombineFunction<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce_blocks(O&& options, R&& range, I&& identity, F&& fold, C&& combine) {
  return detail::reduce(options, detail::blocks_of(range), identity, fold, combine);
}

/// Like parallel_reduce(), but combines `f(x)` instead of each item x.
/// @code
///   const double squares = blitz::parallel_transform_reduce(
///       numbers, 0.0, std::plus<>{}, [](double x) { return x * x; });
/// @endcode
/// @param range     Must live until the call has returned.
/// @param identity  The initial value of each part, or a callable that makes it.
/// @param combine   The operation, on the results of `f`.
/// @param f         Called once for each item.
/// @return The combination of `f(x)` for all items x.
/// @throws The first exception of the callables. Stopped after a stop request. Outside every pool, the exceptions of
///         global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceTransformFunction<std::ranges::range_reference_t<R>> F,
          ReduceFunction<ReduceValue<I>, std::invoke_result_t<F&, std::ranges::range_reference_t<R>>> C>
ReduceValue<I> parallel_transform_reduce(R&& range, I&& identity, C&& combine, F&& f) {
  return detail::reduce(ReduceOptions{}, detail::items_of(range), identity, combine, combine, f);
}
/// @copydoc blitz::parallel_transform_reduce(R&&, I&&, C&&, F&&)
/// @param options   See parallel_reduce().
template <detail::OptionsOf<ReduceOptions> O = ReduceOptions, LoopRange R, ReduceIdentity I,
          ReduceTransformFunction<std::ranges::range_reference_t<R>> F,
          ReduceFunction<ReduceValue<I>, std::invoke_result_t<F&, std::ranges::range_reference_t<R>>> C>
ReduceValue<I> parallel_transform_reduce(O&& options, R&& range, I&& identity, C&& combine, F&& f) {
  return detail::reduce(options, detail::items_of(range), identity, combine, combine, f);
}

/// Combines `f(x)` for the items x of [first, last). See the form for ranges.
/// @param first     The first integer, or an iterator to the first item.
/// @param last      One after the last.
/// @param identity  The initial value of each part, or a callable that makes it.
/// @param combine   The operation, on the results of `f`.
/// @param f         Called once for each item.
/// @return The combination of `f(x)` for all items x.
/// @throws The first exception of the callables. Stopped after a stop request. Outside every pool, the exceptions of
///         global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <class First, detail::LoopEnd<First> Last, ReduceIdentity I,
          ReduceTransformFunction<detail::LoopItem<First, Last>> F,
          ReduceFunction<ReduceValue<I>, std::invoke_result_t<F&, detail::LoopItem<First, Last>>> C>
ReduceValue<I> parallel_transform_reduce(First first, Last last, I&& identity, C&& combine, F&& f) {
  return detail::reduce(ReduceOptions{}, detail::items_of(first, last), identity, combine, combine, f);
}
/// @copydoc blitz::parallel_transform_reduce(First, Last, I&&, C&&, F&&)
/// @param options   See parallel_reduce().
template <detail::OptionsOf<ReduceOptions> O = ReduceOptions, class First, detail::LoopEnd<First> Last,
          ReduceIdentity I, ReduceTransformFunction<detail::LoopItem<First, Last>> F,
          ReduceFunction<ReduceValue<I>, std::invoke_result_t<F&, detail::LoopItem<First, Last>>> C>
ReduceValue<I> parallel_transform_reduce(O&& options, First first, Last last, I&& identity, C&& combine, F&& f) {
  return detail::reduce(options, detail::items_of(first, last), identity, combine, combine, f);
}

/// @cond
namespace detail {

/// The mistake in an identity I, a fold F of items and a combination C of a reduction.
template <class I, class F, class C, class Item>
[[nodiscard]] consteval Mistake mistake_of_fold() {
  if constexpr (std::invocable<I&> && !SharedFunction<I>) {
    return Mistake::kMutable;
  } else if constexpr (!ReduceIdentity<I>) {
    return Mistake::kIdentity;
  } else {
    using T = ReduceValue<I>;
    if constexpr (ReduceFoldFunction<F, T, Item> && ReduceCombineFunction<C, T>) {
      return Mistake::kNone;
    } else if constexpr (MutableFold<F, T, Item> || MutableFold<C, T, T>) {
      return Mistake::kMutable;
    } else {
      return std::invocable<F&, T, Item> && std::invocable<C&, T, T> ? Mistake::kResult : Mistake::kOperation;
    }
  }
}

/// The mistake in a reduction with a transformation F.
template <class I, class C, class F, class Item>
[[nodiscard]] consteval Mistake mistake_of_transform() {
  if constexpr (ReduceTransformFunction<F, Item>) {
    return mistake_of_fold<I, C, C, std::invoke_result_t<const std::remove_reference_t<F>&, Item>>();
  } else {
    return MutableTransform<F, Item> ? Mistake::kMutable : Mistake::kBody;
  }
}

template <class R>
[[nodiscard]] consteval Mistake mistake_of_range() {
  if constexpr (!std::ranges::range<R>) {
    return Mistake::kRange;
  } else {
    return LoopRange<R> ? Mistake::kNone : Mistake::kItems;
  }
}

/// Whether two arguments are the bounds of a loop, and not a range and an identity.
template <class A, class B>
inline constexpr bool kAreBounds = LoopBounds<std::decay_t<A>, std::decay_t<B>>;
template <class A, class B>
using ItemBetween = LoopItem<std::decay_t<A>, std::decay_t<B>>;

/// The arguments of parallel_reduce.
struct ReduceArguments {
  template <class R, class C>
  [[nodiscard]] static consteval Mistake of() {
    return mistake_of_range<R>() == Mistake::kNone ? Mistake::kIdentity : Mistake::kArguments;
  }
  template <class R, class I, class C>
  [[nodiscard]] static consteval Mistake of() {
    if constexpr (mistake_of_range<R>() != Mistake::kNone) {
      return mistake_of_range<R>();
    } else {
      return mistake_of_fold<I, C, C, std::ranges::range_reference_t<R>>();
    }
  }
  template <class A, class B, class C, class D>
  [[nodiscard]] static consteval Mistake of() {
    if constexpr (kAreBounds<A, B>) {
      return mistake_of_fold<C, D, D, ItemBetween<A, B>>();
    } else if constexpr (mistake_of_range<A>() != Mistake::kNone) {
      return mistake_of_range<A>();
    } else {
      return mistake_of_fold<B, C, D, std::ranges::range_reference_t<A>>();
    }
  }
  template <class First, class Last, class I, class F, class C>
  [[nodiscard]] static consteval Mistake of() {
    if constexpr (kAreBounds<First, Last>) {
      return mistake_of_fold<I, F, C, ItemBetween<First, Last>>();
    } else {
      return Mistake::kArguments;
    }
  }
};

/// The arguments of parallel_reduce_blocks.
struct ReduceBlocksArguments {
  template <class R, class I, class F, class C>
  [[nodiscard]] static consteval Mistake of() {
    if constexpr (mistake_of_range<R>() != Mistake::kNone) {
      return mistake_of_range<R>();
    } else {
      return mistake_of_fold<I, F, C, LoopBlockOf<R>>();
    }
  }
};

/// The arguments of parallel_transform_reduce.
struct TransformReduceArguments {
  template <class R, class I, class C, class F>
  [[nodiscard]] static consteval Mistake of() {
    if constexpr (mistake_of_range<R>() != Mistake::kNone) {
      return mistake_of_range<R>();
    } else {
      return mistake_of_transform<I, C, F, std::ranges::range_reference_t<R>>();
    }
  }
  template <class First, class Last, class I, class C, class F>
  [[nodiscard]] static consteval Mistake of() {
    if constexpr (kAreBounds<First, Last>) {
      return mistake_of_transform<I, C, F, ItemBetween<First, Last>>();
    } else {
      return Mistake::kArguments;
    }
  }
};

}  // namespace detail

#define BLITZ_REFUSE_REDUCTION(function, Check, call, operations)                                                      \
  BLITZ_REFUSE_OPTIONS(function, ReduceOptions, Check,                                                                 \
                       ".min_grain, .schedule, .stop, .deterministic and .pool, in this order", call);                 \
  BLITZ_REFUSE_CALL(function, ReduceOptions, Check, kArguments,                                                        \
                    "these arguments fit no form of " #function "; after its options, if any, pass: blitz::" #function \
                    "(" call);                                                                                         \
  BLITZ_REFUSE_CALL(function, ReduceOptions, Check, kRange,                                                            \
                    #function " got no range and no bounds of a loop; use blitz::" #function "(" call);                \
  BLITZ_REFUSE_CALL(function, ReduceOptions, Check, kItems,                                                            \
                    #function                                                                                          \
                    " got a range without random access or size; use vector, array, span, deque or views::iota, or "   \
                    "blitz::from(range).reduce(identity, combine)");                                                   \
  BLITZ_REFUSE_CALL(                                                                                                   \
      function, ReduceOptions, Check, kIdentity,                                                                       \
      "a reduction has no identity that can be copied or is returned by a callable; pass one that leaves an "          \
      "item unchanged: blitz::" #function "(" call);                                                                   \
  BLITZ_REFUSE_CALL(                                                                                                   \
      function, ReduceOptions, Check, kMutable,                                                                        \
      "a callable of a reduction changes itself, but several threads call it concurrently; use no mutable "            \
      "lambda, and keep the changes in the value, which each part has separately");                                    \
  BLITZ_REFUSE_CALL(                                                                                                   \
      function, ReduceOptions, Check, kResult,                                                                         \
      "the operation of a reduction does not return the identity's type; for doubles start from 0.0, not "             \
      "from 0");                                                                                                       \
  BLITZ_REFUSE_CALL(function, ReduceOptions, Check, kOperation, operations)

BLITZ_REFUSE_REDUCTION(
    parallel_reduce, detail::ReduceArguments, "range, 0, std::plus<>{})",
    "the operation of parallel_reduce cannot be called as op(T, item) and as op(T, T), where T is the identity's type; "
    "if values and items differ, give a fold and a combine: blitz::parallel_reduce(range, identity, fold, combine)");
BLITZ_REFUSE_REDUCTION(
    parallel_reduce_blocks, detail::ReduceBlocksArguments, "range, identity, fold, combine)",
    "the fold of parallel_reduce_blocks cannot be called as fold(T, block), or its combine as combine(T, "
    "T), where T is the identity's type; use blitz::parallel_reduce_blocks(range, 0.0, [](double sum, "
    "auto block) { ... }, std::plus<>{})");
BLITZ_REFUSE_REDUCTION(
    parallel_transform_reduce, detail::TransformReduceArguments, "range, identity, combine, f)",
    "the operation of parallel_transform_reduce cannot be called as op(T, T) and as op(T, f(item)), where T "
    "is the identity's type; use blitz::parallel_transform_reduce(range, identity, combine, f)");
BLITZ_REFUSE_CALL(
    parallel_transform_reduce, ReduceOptions, detail::TransformReduceArguments, kBody,
    "the last callable of parallel_transform_reduce cannot be called with one item, or returns no value; use "
    "blitz::parallel_transform_reduce(range, identity, combine, f)");
#undef BLITZ_REFUSE_REDUCTION
/// @endcond

}  // namespace blitz
