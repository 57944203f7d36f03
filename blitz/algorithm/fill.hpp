/// @file
/// fill, generate, iota and replace: assign to the items of a range.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/transform.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/flags.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

struct Fill {
  template <std::random_access_iterator O, std::sized_sentinel_for<O> S, class T = std::iter_value_t<O>>
    requires Writable<O, const T&>
  O operator()(const AlgorithmOptions& options, O first, S last, const T& value) const {
    const LoopIndex count = count_of(first, last);
    write_blocks(options, count,
                 [&](LoopIndex from, LoopIndex to) { std::fill(at(first, from), at(first, to), value); });
    return at(first, count);
  }
  template <std::random_access_iterator O, std::sized_sentinel_for<O> S, class T = std::iter_value_t<O>>
    requires Writable<O, const T&>
  O operator()(O first, S last, const T& value) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, value);
  }
  template <LoopRange R, class T = std::ranges::range_value_t<R>>
    requires Writable<std::ranges::iterator_t<R>, const T&>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, const T& value) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), value);
  }
  template <LoopRange R, class T = std::ranges::range_value_t<R>>
    requires Writable<std::ranges::iterator_t<R>, const T&>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, const T& value) const {
    return (*this)(AlgorithmOptions{}, range, value);
  }
};

struct FillN {
  template <std::random_access_iterator O, class T = std::iter_value_t<O>>
    requires Writable<O, const T&>
  O operator()(const AlgorithmOptions& options, O first, std::iter_difference_t<O> count, const T& value) const {
    return count > 0 ? Fill{}(options, first, first + count, value) : first;
  }
  template <std::random_access_iterator O, class T = std::iter_value_t<O>>
    requires Writable<O, const T&>
  O operator()(O first, std::iter_difference_t<O> count, const T& value) const {
    return (*this)(AlgorithmOptions{}, std::move(first), count, value);
  }
};

struct Generate {
  template <std::random_access_iterator O, std::sized_sentinel_for<O> S, std::copy_constructible F>
    requires SharedFunction<F> && Writable<O, std::invoke_result_t<const F&>>
  O operator()(const AlgorithmOptions& options, O first, S last, F f) const {
    const LoopIndex count = count_of(first, last);
    write_blocks(options, count, [&](LoopIndex from, LoopIndex to) {
      const O end = at(first, to);
      for (O place = at(first, from); place != end; ++place) *place = std::invoke(f);
    });
    return at(first, count);
  }
  template <std::random_access_iterator O, std::sized_sentinel_for<O> S, std::copy_constructible F>
    requires SharedFunction<F> && Writable<O, std::invoke_result_t<const F&>>
  O operator()(O first, S last, F f) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(f));
  }
  template <LoopRange R, std::copy_constructible F>
    requires SharedFunction<F> && Writable<std::ranges::iterator_t<R>, std::invoke_result_t<const F&>>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, F f) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(f));
  }
  template <LoopRange R, std::copy_constructible F>
    requires SharedFunction<F> && Writable<std::ranges::iterator_t<R>, std::invoke_result_t<const F&>>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, F f) const {
    return (*this)(AlgorithmOptions{}, range, std::move(f));
  }
};

/// The value type of iota: an integer, a floating-point number, or another type to which an integer can be added.
template <class T>
concept Countable = std::copy_constructible<T> && requires(const T value, std::ptrdiff_t n) {
  { value + static_cast<T>(n) } -> std::convertible_to<T>;
};

struct Iota {
  template <std::random_access_iterator O, std::sized_sentinel_for<O> S, Countable T>
    requires Writable<O, T>
  O operator()(const AlgorithmOptions& options, O first, S last, T value) const {
    const LoopIndex count = count_of(first, last);
    write_blocks(options, count, [&](LoopIndex from, LoopIndex to) {
      O place = at(first, from);
      for (; from != to; ++from, ++place) *place = static_cast<T>(value + static_cast<T>(from));
    });
    return at(first, count);
  }
  template <std::random_access_iterator O, std::sized_sentinel_for<O> S, Countable T>
    requires Writable<O, T>
  O operator()(O first, S last, T value) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(value));
  }
  template <LoopRange R, Countable T>
    requires Writable<std::ranges::iterator_t<R>, T>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, T value) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(value));
  }
  template <LoopRange R, Countable T>
    requires Writable<std::ranges::iterator_t<R>, T>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, T value) const {
    return (*this)(AlgorithmOptions{}, range, std::move(value));
  }
};

struct ReplaceIf {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class T = std::iter_value_t<I>,
            class P = std::identity, SharedPredicate<Projected<I, P>> F>
    requires Writable<I, const T&>
  I operator()(const AlgorithmOptions& options, I first, S last, F pred, const T& value, P proj = {}) const {
    const LoopIndex count = count_of(first, last);
    write_blocks(options, count, [&](LoopIndex from, LoopIndex to) {
      for (LoopIndex size; from != to; from += size) {
        size = std::min(kFlags, to - from);
        FlagWord flags;
        flags_of_items(at(first, from), size, Wanted<true, F, P>{pred, proj}, &flags);
        for_each_flagged(&flags, size, [&](LoopIndex i) { *at(first, from + i) = value; });
      }
    });
    return at(first, count);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class T = std::iter_value_t<I>,
            class P = std::identity, SharedPredicate<Projected<I, P>> F>
    requires Writable<I, const T&>
  I operator()(I first, S last, F pred, const T& value, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(pred), value, std::move(proj));
  }
  template <LoopRange R, class T = std::ranges::range_value_t<R>, class P = std::identity,
            SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
    requires Writable<std::ranges::iterator_t<R>, const T&>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, F pred, const T& value,
                                                 P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(pred), value,
                   std::move(proj));
  }
  template <LoopRange R, class T = std::ranges::range_value_t<R>, class P = std::identity,
            SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
    requires Writable<std::ranges::iterator_t<R>, const T&>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, F pred, const T& value, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(pred), value, std::move(proj));
  }
};

struct Replace {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class P = std::identity,
            ComparableValue<I, P> T = std::iter_value_t<I>, class U = T>
    requires Writable<I, const U&>
  I operator()(const AlgorithmOptions& options, I first, S last, const T& old_value, const U& value,
               P proj = {}) const {
    return ReplaceIf{}(options, std::move(first), last, EqualTo<T>{old_value}, value, std::move(proj));
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class P = std::identity,
            ComparableValue<I, P> T = std::iter_value_t<I>, class U = T>
    requires Writable<I, const U&>
  I operator()(I first, S last, const T& old_value, const U& value, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, old_value, value, std::move(proj));
  }
  template <LoopRange R, class P = std::identity,
            ComparableValue<std::ranges::iterator_t<R>, P> T = std::ranges::range_value_t<R>, class U = T>
    requires Writable<std::ranges::iterator_t<R>, const U&>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, const T& old_value,
                                                 const U& value, P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), old_value, value, std::move(proj));
  }
  template <LoopRange R, class P = std::identity,
            ComparableValue<std::ranges::iterator_t<R>, P> T = std::ranges::range_value_t<R>, class U = T>
    requires Writable<std::ranges::iterator_t<R>, const U&>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, const T& old_value, const U& value, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, old_value, value, std::move(proj));
  }
};

}  // namespace detail

/// @name Assignments
/// `fill`, `fill_n`, `generate`, `iota`, `replace` and `replace_if` return the end. Several threads assign concurrently, in any
/// order of blocks.
///
/// Throws the first exception of an assignment or a callable, and Stopped after a stop request: then some items are new and
/// some old.
///
/// O(n): at most one assignment for each item. Memory: none.
///
/// Thread-safety: any thread.
/// @{

/// Assigns `value` to all items.
inline constexpr detail::Algorithm<detail::Fill> fill{};
/// Assigns `value` to `count` items beginning at `first`. Returns their end.
inline constexpr detail::Algorithm<detail::FillN> fill_n{};
/// Assigns the result of a call `f()` to each item. Several threads call `f` concurrently.
inline constexpr detail::Algorithm<detail::Generate> generate{};
/// Assigns `value`, `value + 1`, `value + 2` and so on.
/// @code
///   blitz::iota(order, 0);
/// @endcode
inline constexpr detail::Algorithm<detail::Iota> iota{};
/// Assigns `value` to the items with a projection equal to `old_value`.
inline constexpr detail::Algorithm<detail::Replace> replace{};
/// Assigns `value` to the items with a projection that satisfies `pred`.
inline constexpr detail::Algorithm<detail::ReplaceIf> replace_if{};

/// @}

}  // namespace blitz
