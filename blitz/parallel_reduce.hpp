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

#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/loop/fold.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/loop/reduction.hpp"
#include "blitz/parallel_for.hpp"
#include "blitz/pool_ref.hpp"

namespace blitz {

/// The fine print of a reduction. Plain data.
/// @code
///   const double sum = blitz::parallel_reduce(v, 0.0, std::plus<>{}, {.deterministic = true});
/// @endcode
struct ReduceOptions {
  /// No block has fewer items than this, unless the reduction itself has. 0 is taken for 1.
  std::size_t min_grain = 1;
  /// The blocks of Schedule::fixed are run by any worker, unlike those of a loop: values are combined in their order.
  Schedule schedule = Schedule::adaptive;
  /// When a stop is requested here, blocks that have not begun never do, and the result is that of those that have, in
  /// their order; the identity if none has.
  std::stop_token stop{};
  /// The same bits on any number of threads, for operations that are not quite associative, such as the addition of
  /// floating-point numbers. What is combined with what then depends on the number of items and on min_grain alone;
  /// `schedule` is not heeded. A stop request, as ever, leaves it to chance what has run.
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
    std::movable<ReduceValue<I>> && (std::invocable<I&> ? SharedCallable<I> : std::copy_constructible<std::decay_t<I>>);

/// The operation that takes an item into a value in parallel_reduce(): callable with a value so far (an rvalue of type T) and an item, by several
/// threads concurrently, with a result that converts to T.
template <class F, class T, class Item>
concept ReduceFold = SharedCallable<F, T, Item> &&
                     detail::ReducesTo<std::invoke_result_t<const std::remove_reference_t<F>&, T, Item>, T>;

/// The same of a block, a sub-range of R (std::ranges::subrange), in parallel_reduce_blocks().
template <class F, class T, class R>
concept ReduceBlockFold = ReduceFold<F, T, detail::LoopBlockOf<R>>;

/// What combines two values (rvalues of type T) in parallel_reduce(), the left one first, for something that is a T again.
template <class C, class T>
concept ReduceCombine = ReduceFold<C, T, T>;

/// The operation of parallel_reduce() without a fold, which does both.
template <class C, class T, class Item>
concept ReduceOperation = ReduceFold<C, T, Item> && ReduceCombine<C, T>;

/// What parallel_transform_reduce() applies to each item before it is combined: callable with one, for a value.
template <class F, class Item>
concept ReduceTransform =
    SharedCallable<F, Item> && !std::is_void_v<std::invoke_result_t<const std::remove_reference_t<F>&, Item>>;

namespace detail {

/// A callable that would do, if only one thread called it.
template <class F, class T, class Item>
concept MutableFold = std::invocable<F&, T, Item> && !SharedCallable<F, T, Item>;
template <class F, class Item>
concept MutableTransform = std::invocable<F&, Item> && !SharedCallable<F, Item>;

/// What is wrong with a reduction of R that starts from I and combines values with items by C.
enum class ReduceMistake { kRange, kIdentity, kMutable, kResult, kOperation, kNone };
template <class R, class I, class C, class Item>
[[nodiscard]] consteval ReduceMistake mistake_of_reduce() {
  constexpr bool kIdentityIsMutable = std::invocable<I&> && !SharedCallable<I>;
  if constexpr (!LoopRange<R>) {
    return ReduceMistake::kRange;
  } else if constexpr (kIdentityIsMutable) {
    return ReduceMistake::kMutable;
  } else if constexpr (!ReduceIdentity<I>) {
    return ReduceMistake::kIdentity;
  } else if constexpr (ReduceOperation<C, ReduceValue<I>, Item>) {
    return ReduceMistake::kNone;
  } else if constexpr (MutableFold<C, ReduceValue<I>, Item> || MutableFold<C, ReduceValue<I>, ReduceValue<I>>) {
    return ReduceMistake::kMutable;
  } else if constexpr (std::invocable<C&, ReduceValue<I>, Item> && std::invocable<C&, ReduceValue<I>, ReduceValue<I>>) {
    return ReduceMistake::kResult;
  } else {
    return ReduceMistake::kOperation;
  }
}

inline constexpr std::identity kAsItIs{};

/// Reduces the items of the space, of each of which `step` takes what `transform` returns.
template <class Items, class I, class S, class C, class F = std::identity>
ReduceValue<I&> reduce(PoolBase* pool, const ReduceOptions& options, const LoopSpace<Items>& space, const I& identity,
                       const S& step, const C& combine, const F& transform = kAsItIs) {
  const Fold<ReduceValue<I&>, Items, const I, const S, const C, const F> fold(space.items, identity, step, combine,
                                                                              transform);
  if (space.count == 0) return fold.identity();
  const LoopCut cut = options.deterministic                 ? LoopCut::kTree
                      : options.schedule == Schedule::fixed ? LoopCut::kFixed
                                                            : LoopCut::kAdaptive;
  return Reduction(fold, space.count, cut, options.min_grain, options.stop).run(pool);
}

}  // namespace detail

/// Combines all items of `range`: combine(... combine(combine(identity, x0), x1) ..., xn), except that neighbours may be
/// combined first, by several threads at once.
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
/// running blocks are done; all values are destroyed. A stop request: see ReduceOptions. Outside every pool it runs in
/// global_pool().
/// @code
///   const double sum = blitz::parallel_reduce(numbers, 0.0, std::plus<>{});
/// @endcode
/// @param range     Must live until the call has returned.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param combine   The operation, called through a constant reference, by several threads concurrently: a mutable lambda is refused.
/// @param options   The least size of a block, whether the result is the same on all numbers of threads, a stop token, the pool.
/// @return The combination of all items, a T.
/// @throws The first exception of the callables; outside every pool what global_pool() throws.
/// Complexity: O(n) calls for n items, and one more for each part. No allocation. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceOperation<ReduceValue<I>, std::ranges::range_reference_t<R>> C>
ReduceValue<I> parallel_reduce(R&& range, I&& identity, C&& combine, const ReduceOptions& options = {}) {
  return detail::reduce(options.pool.base(), options, detail::items_of(range), identity, combine, combine);
}

/// @cond
template <class R, class C>
BLITZ_REFUSE(
    "parallel_reduce starts from an identity, which leaves an item as it is, and which an empty range gives: "
    "blitz::parallel_reduce(range, 0, std::plus<>{})")
parallel_reduce(R&& range, C&& combine) BLITZ_REFUSED;
// The same mistakes in calls of both functions.
#define BLITZ_REFUSE_REDUCTION(mistake, message)                                                                  \
  template <std::ranges::range R, class I, class C>                                                               \
    requires(detail::mistake_of_reduce<R, I, C, std::ranges::range_reference_t<R>>() == mistake)                  \
  BLITZ_REFUSE(message) parallel_reduce(R&& range, I&& identity, C&& combine, const ReduceOptions& options = {})  \
      BLITZ_REFUSED;                                                                                              \
  template <std::ranges::range R, class I, class F, class C>                                                      \
    requires(ReduceTransform<F, std::ranges::range_reference_t<R>> &&                                             \
             detail::mistake_of_reduce<R, I, C, std::invoke_result_t<F&, std::ranges::range_reference_t<R>>>() == \
                 mistake)                                                                                         \
  BLITZ_REFUSE(message)                                                                                           \
      parallel_transform_reduce(R&& range, I&& identity, C&& combine, F&& f, const ReduceOptions& options = {})   \
          BLITZ_REFUSED

BLITZ_REFUSE_REDUCTION(
    detail::ReduceMistake::kRange,
    "parallel_reduce cuts its range, which must have random access and a size (vector, array, span, deque, "
    "views::iota); for others use blitz::from(range).reduce(identity, combine)");
BLITZ_REFUSE_REDUCTION(
    detail::ReduceMistake::kIdentity,
    "the identity of parallel_reduce is copied for each part; if it cannot be, give a callable that makes one");
#define BLITZ_MUTABLE_IN_REDUCTION                                                                                \
  "the callables of a reduction are called by several threads at once, so they are no mutable lambdas and their " \
  "operator() "                                                                                                   \
  "is const: keep what changes in the value, which each part has for itself"
BLITZ_REFUSE_REDUCTION(detail::ReduceMistake::kMutable, BLITZ_MUTABLE_IN_REDUCTION);
template <LoopRange R, class I, class F, class C>
  requires(detail::MutableFold<F, ReduceValue<I>, std::ranges::range_reference_t<R>> ||
           (ReduceFold<F, ReduceValue<I>, std::ranges::range_reference_t<R>> &&
            detail::MutableFold<C, ReduceValue<I>, ReduceValue<I>>))
BLITZ_REFUSE(BLITZ_MUTABLE_IN_REDUCTION)
    parallel_reduce(R&& range, I&& identity, F&& fold, C&& combine, const ReduceOptions& options = {}) BLITZ_REFUSED;
template <LoopRange R, class I, class F, class C>
  requires(detail::MutableFold<F, ReduceValue<I>, detail::LoopBlockOf<R>> ||
           (ReduceBlockFold<F, ReduceValue<I>, R> && detail::MutableFold<C, ReduceValue<I>, ReduceValue<I>>))
BLITZ_REFUSE(BLITZ_MUTABLE_IN_REDUCTION) parallel_reduce_blocks(R&& range, I&& identity, F&& fold, C&& combine,
                                                                const ReduceOptions& options = {}) BLITZ_REFUSED;
template <class First, detail::LoopEnd<First> Last, class I, class C>
  requires(detail::MutableFold<C, ReduceValue<I>, detail::LoopItem<First, Last>>)
BLITZ_REFUSE(BLITZ_MUTABLE_IN_REDUCTION)
    parallel_reduce(First first, Last last, I&& identity, C&& combine, const ReduceOptions& options = {}) BLITZ_REFUSED;
template <LoopRange R, class I, class F, class C>
  requires(detail::MutableTransform<F, std::ranges::range_reference_t<R>>)
BLITZ_REFUSE(BLITZ_MUTABLE_IN_REDUCTION) parallel_transform_reduce(R&& range, I&& identity, C&& combine, F&& f,
                                                                   const ReduceOptions& options = {}) BLITZ_REFUSED;
BLITZ_REFUSE_REDUCTION(
    detail::ReduceMistake::kResult,
    "the identity's type is that of the result, and the operation must return it: for doubles start from 0.0, not from "
    "0");
BLITZ_REFUSE_REDUCTION(
    detail::ReduceMistake::kOperation,
    "the operation of parallel_reduce is called as op(T, item) and as op(T, T), where T is the identity's type; where "
    "values and items differ, give a fold and a combine: blitz::parallel_reduce(range, identity, fold, combine)");
#undef BLITZ_REFUSE_REDUCTION
/// @endcond

/// As the form for ranges, of [first, last): integers (of their common type), or what random-access iterators refer to.
/// A reversed range of integers is empty.
/// @param first     The first integer, or an iterator to the first item.
/// @param last      Behind the last.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param combine   The operation.
/// @param options   See the form for ranges.
/// @return The combination of all items.
/// @throws The first exception of the callables; outside every pool what global_pool() throws.
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <class First, detail::LoopEnd<First> Last, ReduceIdentity I,
          ReduceOperation<ReduceValue<I>, detail::LoopItem<First, Last>> C>
ReduceValue<I> parallel_reduce(First first, Last last, I&& identity, C&& combine, const ReduceOptions& options = {}) {
  return detail::reduce(options.pool.base(), options, detail::items_of(first, last), identity, combine, combine);
}

/// Folds all items of `range` into values, and combines these: fold(... fold(fold(identity, x0), x1) ..., xn), except
/// that runs of neighbouring items are folded from an identity each, by several threads at once, and what comes of
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
/// @param options   See the form without `fold`.
/// @return The values of all parts, combined.
/// @throws The first exception of the callables; outside every pool what global_pool() throws.
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceFold<ReduceValue<I>, std::ranges::range_reference_t<R>> F,
          ReduceCombine<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce(R&& range, I&& identity, F&& fold, C&& combine, const ReduceOptions& options = {}) {
  return detail::reduce(options.pool.base(), options, detail::items_of(range), identity, fold, combine);
}

/// As the form for ranges with a fold, of [first, last).
/// @param first     The first integer, or an iterator to the first item.
/// @param last      Behind the last.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param fold      Takes an item into a value.
/// @param combine   Takes two values together.
/// @param options   See the form without `fold`.
/// @return The values of all parts, combined.
/// @throws The first exception of the callables; outside every pool what global_pool() throws.
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <class First, detail::LoopEnd<First> Last, ReduceIdentity I,
          ReduceFold<ReduceValue<I>, detail::LoopItem<First, Last>> F, ReduceCombine<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce(First first, Last last, I&& identity, F&& fold, C&& combine,
                               const ReduceOptions& options = {}) {
  return detail::reduce(options.pool.base(), options, detail::items_of(first, last), identity, fold, combine);
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
/// @param options   See parallel_reduce.
/// @return The values of all parts, combined.
/// @throws The first exception of the callables; outside every pool what global_pool() throws.
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceBlockFold<ReduceValue<I>, R> F, ReduceCombine<ReduceValue<I>> C>
ReduceValue<I> parallel_reduce_blocks(R&& range, I&& identity, F&& fold, C&& combine,
                                      const ReduceOptions& options = {}) {
  return detail::reduce(options.pool.base(), options, detail::blocks_of(range), identity, fold, combine);
}

/// As parallel_reduce, of f(x) for each item x.
/// @code
///   const double squares = blitz::parallel_transform_reduce(numbers, 0.0, std::plus<>{}, [](double x) { return x * x; });
/// @endcode
/// @param range     Must live until the call has returned.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param combine   The operation, on what `f` returns.
/// @param f         Called once for each item.
/// @param options   See parallel_reduce.
/// @return The combination of f(x) for all items x.
/// @throws The first exception of the callables; outside every pool what global_pool() throws.
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <LoopRange R, ReduceIdentity I, ReduceTransform<std::ranges::range_reference_t<R>> F,
          ReduceOperation<ReduceValue<I>, std::invoke_result_t<F&, std::ranges::range_reference_t<R>>> C>
ReduceValue<I> parallel_transform_reduce(R&& range, I&& identity, C&& combine, F&& f,
                                         const ReduceOptions& options = {}) {
  return detail::reduce(options.pool.base(), options, detail::items_of(range), identity, combine, combine, f);
}

/// @cond
template <std::ranges::range R, class I, class F, class C>
  requires(!ReduceTransform<F, std::ranges::range_reference_t<R>> &&
           !detail::MutableTransform<F, std::ranges::range_reference_t<R>>)
BLITZ_REFUSE(
    "the last callable of parallel_transform_reduce is called with one item, and returns a value: "
    "blitz::parallel_transform_reduce(range, identity, combine, f)")
    parallel_transform_reduce(R&& range, I&& identity, C&& combine, F&& f,
                              const ReduceOptions& options = {}) BLITZ_REFUSED;
/// @endcond

/// As the form for ranges, of [first, last).
/// @param first     The first integer, or an iterator to the first item.
/// @param last      Behind the last.
/// @param identity  What each part starts from, or a callable that makes it.
/// @param combine   The operation, on what `f` returns.
/// @param f         Called once for each item.
/// @param options   See parallel_reduce.
/// @return The combination of f(x) for all items x.
/// @throws The first exception of the callables; outside every pool what global_pool() throws.
/// Complexity: O(n) calls for n items, and one more for each part. Thread-safety: any thread.
template <class First, detail::LoopEnd<First> Last, ReduceIdentity I, ReduceTransform<detail::LoopItem<First, Last>> F,
          ReduceOperation<ReduceValue<I>, std::invoke_result_t<F&, detail::LoopItem<First, Last>>> C>
ReduceValue<I> parallel_transform_reduce(First first, Last last, I&& identity, C&& combine, F&& f,
                                         const ReduceOptions& options = {}) {
  return detail::reduce(options.pool.base(), options, detail::items_of(first, last), identity, combine, combine, f);
}

}  // namespace blitz
