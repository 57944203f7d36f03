/// @file
/// parallel_reduce and parallel_transform_reduce: one value from many, by an associative operation.
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
  /// No block has fewer items than this, unless the reduction itself has. 0: the reduction decides.
  std::size_t min_grain = 0;
  /// Any worker runs any block of Schedule::kFixed, unlike in a loop: values are combined in their order.
  Schedule schedule = Schedule::kAdaptive;
  /// When a stop is requested here, blocks that have not begun never do, and the call throws Stopped.
  std::stop_token stop{};
  /// The same bits on any number of threads, for operations that are not quite associative, such as the addition of
  /// floating-point numbers. What is combined with what then depends on the number of items and on min_grain alone;
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

/// What operations return where it can be taken for a T. A number with a fraction is none for an integer: with each
/// step the fraction would be lost.
template <class R, class T>
concept ReducesTo = std::convertible_to<R, T> && !(std::integral<T> && std::floating_point<std::remove_cvref_t<R>>);

}  // namespace detail

/// The type of the result: that of the identity.
template <class I>
using ReduceValue = typename detail::IdentityOf<I&>::Value;

/// What parallel_reduce() starts from, again in each part, and returns for an empty range: a value that can be copied,
/// or, for others, a callable that makes one.
template <class I>
concept ReduceIdentity =
    std::movable<ReduceValue<I>> && (std::invocable<I&> ? SharedFunction<I> : std::copy_constructible<std::decay_t<I>>);

/// The operation that takes an item into a value in parallel_reduce(): callable with a value so far (an rvalue of type T) and an item, by several
/// threads concurrently, with a result that converts to T.
template <class F, class T, class Item>
concept ReduceFoldFunction = SharedFunction<F, T, Item> &&
                             detail::ReducesTo<std::invoke_result_t<const std::remove_reference_t<F>&, T, Item>, T>;

/// The same of a block, a sub-range of R (std::ranges::subrange), in parallel_reduce_blocks().
template <class F, class T, class R>
concept ReduceBlockFunction = ReduceFoldFunction<F, T, detail::LoopBlockOf<R>>;

/// What combines two values (rvalues of type T) in parallel_reduce(), the left one first, for something that is a T again.
template <class C, class T>
concept ReduceCombineFunction = ReduceFoldFunction<C, T, T>;

/// The operation of parallel_reduce() without a fold, which does both.
template <class C, class T, class Item>
concept ReduceFunction = ReduceFoldFunction<C, T, Item> && ReduceCombineFunction<C, T>;

/// What parallel_transform_reduce() applies to each item before it is combined: callable with one, for a value.
template <class F, class Item>
concept ReduceTransformFunction =
    SharedFunction<F, Item> && !std::is_void_v<std::invoke_result_t<const std::remove_reference_t<F>&, Item>>;

namespace detail {

/// A callable that would do if only one thread called it.
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

/// Combines all items of `range`: combine(... combine(combine(identity, x0), x1) ..., xn), except that neighbours may be
/// combined first, by several threads concurrently.
///
/// Let T be the identity's type. `combine` must be associative, and combine(identity, x) must equal x; it need not be
/// commutative: strings may be joined in this way. It is called as combine(T, item) and as combine(T, T), the first
/// argument being an rvalue that it may use up. Floating-point operations are only nearly associative: the last bits
/// of a sum may differ from call to call, unless options.deterministic is set.
///
/// T need only be movable. `identity` is copied for each part that another worker begins (options.deterministic: for
/// each leaf of a few items or more), or, if it can be called without arguments, called for a T. Cuts the range as
/// parallel_for does; for an empty one it returns the identity at once.
///
/// An exception ends it early: no block that has not begun will begin, and the first one thrown is rethrown once all
/// running blocks are done; all values are destroyed. So does a stop request, by Stopped. Outside every pool it runs in
/// global_pool().
/// @code
///   const double sum = blitz::parallel_reduce(numbers, 0.0, std::plus<>{});
/// @endcode
/// @param range     Must live until the call has returned.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param combine   The operation, called through a constant reference, by several threads concurrently: a mutable lambda is refused.
/// @return The combination of all items, a T.
/// @throws The first exception of the callables; Stopped after a stop request; outside every pool the exceptions of global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. No allocation. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceFunction<ReduceValue<I>, std::ranges::range_reference_t<R>> C>
ReduceValue<I> parallel_reduce(R&& range, I&& identity, C&& combine) {
  return detail::reduce(ReduceOptions{}, detail::items_of(range), identity, combine, combine);
}
/// @copydoc blitz::parallel_reduce(R&&, I&&, C&&)
/// @param options   The least size of a block, whether the result is the same on all numbers of threads, a stop token, the pool.
template <detail::OptionsOf<ReduceOptions> O = ReduceOptions, LoopRange R, ReduceIdentity I,
          ReduceFunction<ReduceValue<I>, std::ranges::range_reference_t<R>> C>
ReduceValue<I> parallel_reduce(O&& options, R&& range, I&& identity, C&& combine) {
  return detail::reduce(options, detail::items_of(range), identity, combine, combine);
}

/// As the form for ranges, of [first, last): integers (of their common type), or what random-access iterators refer to.
/// A reversed range of integers is empty.
/// @param first     The first integer, or an iterator to the first item.
/// @param last      Behind the last.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param combine   The operation.
/// @return The combination of all items.
/// @throws The first exception of the callables; Stopped after a stop request; outside every pool the exceptions of global_pool().
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

/// Folds all items of `range` into values, and combines these: fold(... fold(fold(identity, x0), x1) ..., xn), except
/// that runs of neighbouring items are folded from an identity each, by several threads concurrently, and what comes of
/// neighbours is combined.
///
/// For values of another type than the items. With T, the identity's type, `fold` is called as fold(T, item), `combine`
/// as combine(T, T), the first argument of either, and the second of `combine`, being an rvalue that it may use up.
/// combine must be associative, and folding items into the identity, and then combining with it, must equal folding them
/// into the value to the left.
///
/// @code
/// // The words of each length.
/// auto counts = blitz::parallel_reduce(
///     words, std::map<std::size_t, int>{},
///     [](auto found, const std::string& word) { ++found[word.size()]; return found; },
///     [](auto left, const auto& right) { for (const auto& [size, n] : right) left[size] += n; return left; });
/// @endcode
///
/// Everything else (parts, exceptions, options, threads) is as for the form without `fold`. Of floating-point values, a
/// part may be a few items.
/// @param range     Must live until the call has returned.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param fold      Takes an item into a value.
/// @param combine   Takes two values together.
/// @return The values of all parts, combined.
/// @throws The first exception of the callables; Stopped after a stop request; outside every pool the exceptions of global_pool().
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

/// As the form for ranges with a fold, of [first, last).
/// @param first     The first integer, or an iterator to the first item.
/// @param last      Behind the last.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param fold      Takes an item into a value.
/// @param combine   Takes two values together.
/// @return The values of all parts, combined.
/// @throws The first exception of the callables; Stopped after a stop request; outside every pool the exceptions of global_pool().
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

/// As parallel_reduce with a fold, but this is called as fold(T, block), for contiguous sub-ranges (std::ranges::subrange)
/// that cover `range`, each item once: for folds that are vectorised, or that keep state from item to item. One value
/// takes several blocks, from left to right; none is empty.
///
/// @code
/// const double sum = blitz::parallel_reduce_blocks(
///     numbers, 0.0, [](double sum, auto block) { return sum + kernel(block.data(), block.size()); }, std::plus<>{});
/// @endcode
/// @param range     Must live until the call has returned.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param fold      Takes a block of items into a value.
/// @param combine   Takes two values together.
/// @return The values of all parts, combined.
/// @throws The first exception of the callables; Stopped after a stop request; outside every pool the exceptions of global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceBlockFunction<ReduceValue<I>, R> F,
          ReduceCombineFunction<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce_blocks(R&& range, I&& identity, F&& fold, C&& combine) {
  return detail::reduce(ReduceOptions{}, detail::blocks_of(range), identity, fold, combine);
}
/// @copydoc blitz::parallel_reduce_blocks(R&&, I&&, F&&, C&&)
/// @param options   See parallel_reduce.
template <detail::OptionsOf<ReduceOptions> O = ReduceOptions, LoopRange R, ReduceIdentity I,
          ReduceBlockFunction<ReduceValue<I>, R> F, ReduceCombineFunction<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce_blocks(O&& options, R&& range, I&& identity, F&& fold, C&& combine) {
  return detail::reduce(options, detail::blocks_of(range), identity, fold, combine);
}

/// As parallel_reduce, of f(x) for each item x.
/// @code
///   const double squares = blitz::parallel_transform_reduce(numbers, 0.0, std::plus<>{}, [](double x) { return x * x; });
/// @endcode
/// @param range     Must live until the call has returned.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param combine   The operation, on what `f` returns.
/// @param f         Called once for each item.
/// @return The combination of f(x) for all items x.
/// @throws The first exception of the callables; Stopped after a stop request; outside every pool the exceptions of global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceTransformFunction<std::ranges::range_reference_t<R>> F,
          ReduceFunction<ReduceValue<I>, std::invoke_result_t<F&, std::ranges::range_reference_t<R>>> C>
ReduceValue<I> parallel_transform_reduce(R&& range, I&& identity, C&& combine, F&& f) {
  return detail::reduce(ReduceOptions{}, detail::items_of(range), identity, combine, combine, f);
}
/// @copydoc blitz::parallel_transform_reduce(R&&, I&&, C&&, F&&)
/// @param options   See parallel_reduce.
template <detail::OptionsOf<ReduceOptions> O = ReduceOptions, LoopRange R, ReduceIdentity I,
          ReduceTransformFunction<std::ranges::range_reference_t<R>> F,
          ReduceFunction<ReduceValue<I>, std::invoke_result_t<F&, std::ranges::range_reference_t<R>>> C>
ReduceValue<I> parallel_transform_reduce(O&& options, R&& range, I&& identity, C&& combine, F&& f) {
  return detail::reduce(options, detail::items_of(range), identity, combine, combine, f);
}

/// As the form for ranges, of [first, last).
/// @param first     The first integer, or an iterator to the first item.
/// @param last      Behind the last.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param combine   The operation, on what `f` returns.
/// @param f         Called once for each item.
/// @return The combination of f(x) for all items x.
/// @throws The first exception of the callables; Stopped after a stop request; outside every pool the exceptions of global_pool().
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <class First, detail::LoopEnd<First> Last, ReduceIdentity I,
          ReduceTransformFunction<detail::LoopItem<First, Last>> F,
          ReduceFunction<ReduceValue<I>, std::invoke_result_t<F&, detail::LoopItem<First, Last>>> C>
ReduceValue<I> parallel_transform_reduce(First first, Last last, I&& identity, C&& combine, F&& f) {
  return detail::reduce(ReduceOptions{}, detail::items_of(first, last), identity, combine, combine, f);
}
/// @copydoc blitz::parallel_transform_reduce(First, Last, I&&, C&&, F&&)
/// @param options   See parallel_reduce.
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

/// Whether two arguments are the bounds of a loop rather than a range and an identity.
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
                    #function " takes its options, if any, and then: blitz::" #function "(" call);                     \
  BLITZ_REFUSE_CALL(function, ReduceOptions, Check, kRange,                                                            \
                    #function " takes a range, or where there is no block the bounds of a loop: blitz::" #function     \
                              "(" call);                                                                               \
  BLITZ_REFUSE_CALL(function, ReduceOptions, Check, kItems,                                                            \
                    #function                                                                                          \
                    " cuts its range, which must have random access and a size (vector, array, span, deque, "          \
                    "views::iota); for others use blitz::from(range).reduce(identity, combine)");                      \
  BLITZ_REFUSE_CALL(function, ReduceOptions, Check, kIdentity,                                                         \
                    "a reduction starts each part from an identity, which leaves an item as it is, and is copied, or " \
                    "returned by a callable: blitz::" #function "(" call);                                             \
  BLITZ_REFUSE_CALL(function, ReduceOptions, Check, kMutable,                                                          \
                    "the callables of a reduction are called by several threads concurrently, so they are no mutable " \
                    "lambdas and their operator() is const: keep what changes in the value, which each part has for "  \
                    "itself");                                                                                         \
  BLITZ_REFUSE_CALL(function, ReduceOptions, Check, kResult,                                                           \
                    "the identity's type is that of the result, and the operation must return it: for doubles start "  \
                    "from 0.0, not from 0");                                                                           \
  BLITZ_REFUSE_CALL(function, ReduceOptions, Check, kOperation, operations)

BLITZ_REFUSE_REDUCTION(
    parallel_reduce, detail::ReduceArguments, "range, 0, std::plus<>{})",
    "the operation of parallel_reduce is called as op(T, item) and as op(T, T), where T is the identity's type; where "
    "values and items differ, give a fold and a combine: blitz::parallel_reduce(range, identity, fold, combine)");
BLITZ_REFUSE_REDUCTION(parallel_reduce_blocks, detail::ReduceBlocksArguments, "range, identity, fold, combine)",
                       "the fold of parallel_reduce_blocks is called as fold(T, block), and its combine as combine(T, "
                       "T), where T is the identity's type: blitz::parallel_reduce_blocks(range, 0.0, [](double sum, "
                       "auto block) { ... }, std::plus<>{})");
BLITZ_REFUSE_REDUCTION(
    parallel_transform_reduce, detail::TransformReduceArguments, "range, identity, combine, f)",
    "the operation of parallel_transform_reduce is called as op(T, T) and as op(T, f(item)), where T "
    "is the identity's type: blitz::parallel_transform_reduce(range, identity, combine, f)");
BLITZ_REFUSE_CALL(parallel_transform_reduce, ReduceOptions, detail::TransformReduceArguments, kBody,
                  "the last callable of parallel_transform_reduce is called with one item, and returns a value: "
                  "blitz::parallel_transform_reduce(range, identity, combine, f)");
#undef BLITZ_REFUSE_REDUCTION
/// @endcond

}  // namespace blitz
