/// @file
/// reduce and transform_reduce: reductions by an associative operation without an identity.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/fold.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/parallel_reduce.hpp"

namespace blitz {

namespace detail {

/// Folds runs of items, transformed by Transform, into values of type T. A value that does not exist yet begins with the first
/// item of its run. See Fold and Reduction.
template <class T, class Items, class Op, class Transform>
class RunFold {
 public:
  using Value = std::optional<T>;

  RunFold(const Items& items, Op& op, Transform& transform)
      : items_(items), transform_(transform), fold_(items, kIdentity, op, op, transform) {}

  [[nodiscard]] Value identity() const { return std::nullopt; }
  /// Folds the items [first, last), at least one, into the value.
  void fold(Value& value, LoopIndex first, LoopIndex last) const {
    if (!value) value.emplace(static_cast<T>(to_copy<T>(std::invoke(transform_, items_[first++]))));
    fold_.fold(*value, first, last);
  }
  void combine(Value& left, Value&& right) const { fold_.combine(*left, std::move(*right)); }

 private:
  using Item = std::remove_cvref_t<std::invoke_result_t<Transform&, typename Items::Item>>;
  using Identity = std::conditional_t<Commutes<std::remove_const_t<Op>, T, Item>,
                                      KnownIdentity<std::remove_const_t<Op>>, NoIdentity>;
  static constexpr Identity kIdentity{};

  Items items_;
  Transform& transform_;
  Fold<T, Items, const Identity, Op, Op, Transform> fold_;
};

template <class T, class Items, class Op, class Transform = const std::identity>
T reduce_items(const AlgorithmOptions& options, const LoopSpace<Items>& space, T init, Op& op,
               Transform& transform = kAsItIs) {
  std::optional<T> all =
      fold_blocks(options, space.count, 1, RunFold<T, Items, Op, Transform>(space.items, op, transform));
  if (!all) return init;
  return static_cast<T>(std::invoke(op, std::move(init), std::move(*all)));
}

/// The operation of a reduction with values that begin with items: it takes items and values, and the items are values or
/// convert to them.
template <class Op, class T, class Item>
concept BeginsWithItems = std::movable<T> && ReduceFunction<Op, T, Item> && ReducesTo<Item, T>;

template <class Op, class T, class Transform, class... Items>
concept TransformReduces =
    SharedFunction<Transform, Items...> && BeginsWithItems<Op, T, std::invoke_result_t<Transform&, Items...>>;

struct Reduce {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class T = std::iter_value_t<I>,
            class Op = std::plus<>>
    requires BeginsWithItems<Op, T, std::iter_reference_t<I>>
  T operator()(const AlgorithmOptions& options, I first, S last, T init = T(), Op op = {}) const {
    const LoopSpace space{static_cast<LoopIndex>(last - first), IteratorItems(first)};
    return reduce_items(options, space, std::move(init), op);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class T = std::iter_value_t<I>,
            class Op = std::plus<>>
    requires BeginsWithItems<Op, T, std::iter_reference_t<I>>
  T operator()(I first, S last, T init = T(), Op op = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(init), std::move(op));
  }
  template <LoopRange R, class T = std::ranges::range_value_t<R>, class Op = std::plus<>>
    requires BeginsWithItems<Op, T, std::ranges::range_reference_t<R>>
  T operator()(const AlgorithmOptions& options, R&& range, T init = T(), Op op = {}) const {
    return reduce_items(options, items_of(range), std::move(init), op);
  }
  template <LoopRange R, class T = std::ranges::range_value_t<R>, class Op = std::plus<>>
    requires BeginsWithItems<Op, T, std::ranges::range_reference_t<R>>
  T operator()(R&& range, T init = T(), Op op = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(init), std::move(op));
  }
};

/// The transformed item at a position of two sequences.
template <class I1, class I2, class Transform>
struct TransformPair {
  decltype(auto) operator()(LoopIndex i) const { return std::invoke(transform, *at(first1, i), *at(first2, i)); }
  I1 first1;
  I2 first2;
  Transform& transform;
};

struct TransformReduce {
  // One range.
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class T, class Op, class Transform>
    requires TransformReduces<Op, T, Transform, std::iter_reference_t<I>>
  T operator()(const AlgorithmOptions& options, I first, S last, T init, Op op, Transform transform) const {
    const LoopSpace space{static_cast<LoopIndex>(last - first), IteratorItems(first)};
    return reduce_items(options, space, std::move(init), op, transform);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class T, class Op, class Transform>
    requires TransformReduces<Op, T, Transform, std::iter_reference_t<I>>
  T operator()(I first, S last, T init, Op op, Transform transform) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(init), std::move(op), std::move(transform));
  }
  template <LoopRange R, class T, class Op, class Transform>
    requires TransformReduces<Op, T, Transform, std::ranges::range_reference_t<R>>
  T operator()(const AlgorithmOptions& options, R&& range, T init, Op op, Transform transform) const {
    return reduce_items(options, items_of(range), std::move(init), op, transform);
  }
  template <LoopRange R, class T, class Op, class Transform>
    requires TransformReduces<Op, T, Transform, std::ranges::range_reference_t<R>>
  T operator()(R&& range, T init, Op op, Transform transform) const {
    return (*this)(AlgorithmOptions{}, range, std::move(init), std::move(op), std::move(transform));
  }

  // Two of them.
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, class T, class Op = std::plus<>, class Transform = std::multiplies<>>
    requires TransformReduces<Op, T, Transform, std::iter_reference_t<I1>, std::iter_reference_t<I2>>
  T operator()(const AlgorithmOptions& options, I1 first1, S1 last1, I2 first2, S2 last2, T init, Op op = {},
               Transform transform = {}) const {
    const auto count1 = static_cast<LoopIndex>(last1 - first1);
    const auto count2 = static_cast<LoopIndex>(last2 - first2);
    const TransformPair<I1, I2, Transform> pair{std::move(first1), std::move(first2), transform};
    const LoopSpace space{count1 < count2 ? count1 : count2, IntegerItems<LoopIndex>(0)};
    return reduce_items(options, space, std::move(init), op, pair);
  }
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, class T, class Op = std::plus<>, class Transform = std::multiplies<>>
    requires TransformReduces<Op, T, Transform, std::iter_reference_t<I1>, std::iter_reference_t<I2>>
  T operator()(I1 first1, S1 last1, I2 first2, S2 last2, T init, Op op = {}, Transform transform = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first1), last1, std::move(first2), last2, std::move(init),
                   std::move(op), std::move(transform));
  }
  template <LoopRange R1, LoopRange R2, class T, class Op = std::plus<>, class Transform = std::multiplies<>>
    requires TransformReduces<Op, T, Transform, std::ranges::range_reference_t<R1>, std::ranges::range_reference_t<R2>>
  T operator()(const AlgorithmOptions& options, R1&& range1, R2&& range2, T init, Op op = {},
               Transform transform = {}) const {
    return (*this)(options, std::ranges::begin(range1), std::ranges::end(range1), std::ranges::begin(range2),
                   std::ranges::end(range2), std::move(init), std::move(op), std::move(transform));
  }
  template <LoopRange R1, LoopRange R2, class T, class Op = std::plus<>, class Transform = std::multiplies<>>
    requires TransformReduces<Op, T, Transform, std::ranges::range_reference_t<R1>, std::ranges::range_reference_t<R2>>
  T operator()(R1&& range1, R2&& range2, T init, Op op = {}, Transform transform = {}) const {
    return (*this)(AlgorithmOptions{}, range1, range2, std::move(init), std::move(op), std::move(transform));
  }
};

}  // namespace detail

/// @brief Combines the items x0, x1, ..., xn of a range and an initial value: `op(... op(op(init, x0), x1) ..., xn)`.
///
/// Several threads combine runs of neighbouring items concurrently, so `op` must be associative; it need not be commutative.
/// They call `op(T, item)` and `op(T, T)` through a reference. T is the type of `init`; it must be movable, and items must
/// convert to it. By default `init` is a value `T()` of the items' type, and `op` is addition. Returns the result, a T.
///
/// Sums and products of numbers, by `std::plus` and `std::multiplies`, are computed in vector lanes. The last bits of a
/// floating-point result may differ from call to call. If AlgorithmOptions::deterministic is set, the grouping depends only on
/// the number of items and AlgorithmOptions::min_grain.
///
/// Throws the exceptions of `op`, and Stopped after a stop request.
///
/// O(n): n calls of `op` for n items. Memory: none.
///
/// Thread-safety: any thread.
///
/// @code
///   const double total = blitz::reduce(prices);
///   const auto longest = blitz::reduce(lengths, 0, [](int a, int b) { return a > b ? a : b; });
/// @endcode
inline constexpr detail::Algorithm<detail::Reduce> reduce{};

/// Reduces the results of `transform` for each item of a range, or for each pair of items of two ranges, up to the end of the
/// shorter one. By default pairs of items are multiplied, and the products are added to `init`. Returns the result, of the type
/// of `init`.
///
/// Several threads call `op` and `transform` concurrently. `op` must be associative; it need not be commutative. For the
/// grouping of floating-point operations see blitz::reduce.
///
/// Throws the exceptions of `op` and `transform`, and Stopped after a stop request.
///
/// O(n): one call of `transform` for each item or pair, and n calls of `op`. Memory: none.
///
/// Thread-safety: any thread.
///
/// @code
///   const double length2 = blitz::transform_reduce(v, v, 0.0);
///   const auto bytes =
///       blitz::transform_reduce(files, std::size_t{0}, std::plus<>{}, &File::size);
/// @endcode
inline constexpr detail::Algorithm<detail::TransformReduce> transform_reduce{};

}  // namespace blitz
