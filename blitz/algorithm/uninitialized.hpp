/// @file
/// uninitialized_copy and its relatives: construct objects in raw memory, and destroy them.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <concepts>
#include <iterator>
#include <new>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/copy.hpp"
#include "blitz/algorithm/transform.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/constructed.hpp"
#include "blitz/detail/base/raw_memory.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// f(range) for an algorithm of memory: run(options, first, count).
template <class Algorithm, template <class> class Accepts>
struct InMemory {
  template <std::random_access_iterator O, std::sized_sentinel_for<O> S>
    requires Accepts<std::iter_value_t<O>>::value
  O operator()(const AlgorithmOptions& options, O first, S last) const {
    const LoopIndex count = count_of(first, last);
    Algorithm::run(options, first, count);
    return at(first, count);
  }
  template <std::random_access_iterator O, std::sized_sentinel_for<O> S>
    requires Accepts<std::iter_value_t<O>>::value
  O operator()(O first, S last) const {
    return (*this)(AlgorithmOptions{}, first, last);
  }
  template <LoopRange R>
    requires Accepts<std::ranges::range_value_t<R>>::value
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range));
  }
  template <LoopRange R>
    requires Accepts<std::ranges::range_value_t<R>>::value
  std::ranges::borrowed_iterator_t<R> operator()(R&& range) const {
    return (*this)(AlgorithmOptions{}, range);
  }
};

template <class T>
using CanBeDefaulted = std::bool_constant<std::default_initializable<T>>;
template <class T>
using CanBeDestroyed = std::bool_constant<std::destructible<T>>;

struct UninitializedDefaultConstruct : InMemory<UninitializedDefaultConstruct, CanBeDefaulted> {
  template <class O>
  static void run(const AlgorithmOptions& options, const O& first, LoopIndex count) {
    using T = std::iter_value_t<O>;
    if constexpr (!std::is_trivially_default_constructible_v<T>) {
      construct_blocks(options, first, count, [](Constructed<O>& objects, LoopIndex from, LoopIndex to) {
        for (; from != to; ++from) {
          ::new (objects.place()) T;
          objects.extend();
        }
      });
    }
  }
};

struct UninitializedValueConstruct : InMemory<UninitializedValueConstruct, CanBeDefaulted> {
  template <class O>
  static void run(const AlgorithmOptions& options, const O& first, LoopIndex count) {
    construct_blocks(options, first, count, [](Constructed<O>& objects, LoopIndex from, LoopIndex to) {
      for (; from != to; ++from) objects.emplace_back();
    });
  }
};

struct Destroy : InMemory<Destroy, CanBeDestroyed> {
  template <class O>
  static void run(const AlgorithmOptions& options, const O& first, LoopIndex count) noexcept {
    if constexpr (!std::is_trivially_destructible_v<std::iter_value_t<O>>) {
      // Without the stop token: no object may be left.
      for_blocks({.min_grain = options.min_grain, .pool = options.pool}, count, 1,
                 [&](LoopIndex from, LoopIndex to) { std::destroy(at(first, from), at(first, to)); });
    }
  }
};

struct UninitializedFill {
  template <std::random_access_iterator O, std::sized_sentinel_for<O> S, class T = std::iter_value_t<O>>
    requires std::constructible_from<std::iter_value_t<O>, const T&>
  O operator()(const AlgorithmOptions& options, O first, S last, const T& value) const {
    const LoopIndex count = count_of(first, last);
    construct_blocks(options, first, count, [&](Constructed<O>& objects, LoopIndex from, LoopIndex to) {
      for (; from != to; ++from) objects.emplace_back(value);
    });
    return at(first, count);
  }
  template <std::random_access_iterator O, std::sized_sentinel_for<O> S, class T = std::iter_value_t<O>>
    requires std::constructible_from<std::iter_value_t<O>, const T&>
  O operator()(O first, S last, const T& value) const {
    return (*this)(AlgorithmOptions{}, first, last, value);
  }
  template <LoopRange R, class T = std::ranges::range_value_t<R>>
    requires std::constructible_from<std::ranges::range_value_t<R>, const T&>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, const T& value) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), value);
  }
  template <LoopRange R, class T = std::ranges::range_value_t<R>>
    requires std::constructible_from<std::ranges::range_value_t<R>, const T&>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, const T& value) const {
    return (*this)(AlgorithmOptions{}, range, value);
  }
};

/// f(range, out), which constructs the objects of `out` from items, by copy or by move, up to the end of the shorter range.
template <bool kMoves>
struct UninitializedTransfer {
  template <class I>
  using From = std::conditional_t<kMoves, std::iter_rvalue_reference_t<I>, std::iter_reference_t<I>>;

  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OutS>
    requires std::constructible_from<std::iter_value_t<O>, From<I>>
  std::ranges::in_out_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out,
                                              OutS out_last) const {
    const LoopIndex count = std::min(count_of(first, last), count_of(out, out_last));
    construct_blocks(options, out, count, [&](Constructed<O>& objects, LoopIndex from, LoopIndex to) {
      I item = at(first, from);
      for (; from != to; ++from, ++item) {
        if constexpr (kMoves) {
          objects.emplace_back(std::ranges::iter_move(item));
        } else {
          objects.emplace_back(*item);
        }
      }
    });
    return {at(first, count), at(out, count)};
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OutS>
    requires std::constructible_from<std::iter_value_t<O>, From<I>>
  std::ranges::in_out_result<I, O> operator()(I first, S last, O out, OutS out_last) const {
    return (*this)(AlgorithmOptions{}, first, last, out, out_last);
  }
  template <LoopRange R, LoopRange Out>
    requires std::constructible_from<std::ranges::range_value_t<Out>, From<std::ranges::iterator_t<R>>>
  std::ranges::in_out_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>> operator()(
      const AlgorithmOptions& options, R&& range, Out&& out) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out));
  }
  template <LoopRange R, LoopRange Out>
    requires std::constructible_from<std::ranges::range_value_t<Out>, From<std::ranges::iterator_t<R>>>
  std::ranges::in_out_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>> operator()(
      R&& range, Out&& out) const {
    return (*this)(AlgorithmOptions{}, std::forward<R>(range), std::forward<Out>(out));
  }
};

/// f(first, count, argument...) for an algorithm that has f(first, last, argument...).
template <class Algorithm>
struct Counted {
  template <std::random_access_iterator I, class... Argument>
  auto operator()(const AlgorithmOptions& options, I first, std::iter_difference_t<I> count,
                  const Argument&... argument) const {
    return Algorithm{}(options, first, first + std::max<std::iter_difference_t<I>>(count, 0), argument...);
  }
  template <std::random_access_iterator I, class... Argument>
  auto operator()(I first, std::iter_difference_t<I> count, const Argument&... argument) const {
    return (*this)(AlgorithmOptions{}, first, count, argument...);
  }
};

}  // namespace detail

/// @name Objects in raw memory
/// The functions `uninitialized_...` construct objects in memory that must not contain any; `destroy` and `destroy_n` destroy
/// objects. Functions that end in `_n` take a first iterator and a number. All return the results of their namesakes in
/// `std::ranges`. Several threads construct or destroy objects concurrently; on a NUMA system, the first touch places the
/// memory near the thread.
///
/// Throws the exception of a constructor, and Stopped after a stop request. All constructed objects are destroyed before.
///
/// O(n) for n objects. Memory: none.
///
/// Thread-safety: any thread.
/// @{

/// Constructs objects that are initialized as by `T x;`: objects of trivial types remain uninitialized.
inline constexpr detail::Algorithm<detail::UninitializedDefaultConstruct> uninitialized_default_construct{};
/// Constructs `count` objects, beginning at `first`, as blitz::uninitialized_default_construct does.
inline constexpr detail::Algorithm<detail::Counted<detail::UninitializedDefaultConstruct>>
    uninitialized_default_construct_n{};
/// Constructs objects that are initialized as by `T()`.
inline constexpr detail::Algorithm<detail::UninitializedValueConstruct> uninitialized_value_construct{};
/// Constructs `count` objects, beginning at `first`, as blitz::uninitialized_value_construct does.
inline constexpr detail::Algorithm<detail::Counted<detail::UninitializedValueConstruct>>
    uninitialized_value_construct_n{};
/// Constructs copies of `value`.
inline constexpr detail::Algorithm<detail::UninitializedFill> uninitialized_fill{};
/// Constructs `count` objects, beginning at `first`, as copies of the last argument.
inline constexpr detail::Algorithm<detail::Counted<detail::UninitializedFill>> uninitialized_fill_n{};
/// Constructs copies of the items of a range in `out`, up to the end of the shorter range.
/// @code
///   blitz::uninitialized_copy(samples, std::span(memory, samples.size()));
/// @endcode
inline constexpr detail::Algorithm<detail::UninitializedTransfer<false>> uninitialized_copy{};
/// Constructs copies of `count` items, beginning at `first`, in an output, up to its end. The last two arguments are the begin
/// and the end of the output.
inline constexpr detail::Algorithm<detail::Counted<detail::UninitializedTransfer<false>>> uninitialized_copy_n{};
/// Constructs objects in `out` from the items of a range by moving these, up to the end of the shorter range.
inline constexpr detail::Algorithm<detail::UninitializedTransfer<true>> uninitialized_move{};
/// Constructs objects in an output from `count` items, beginning at `first`, by moving these, up to the end of the output. The
/// last two arguments are the begin and the end of the output.
inline constexpr detail::Algorithm<detail::Counted<detail::UninitializedTransfer<true>>> uninitialized_move_n{};
/// Destroys the objects of a range, in any order. Ignores stop requests.
inline constexpr detail::Algorithm<detail::Destroy> destroy{};
/// Destroys `count` objects, beginning at `first`, in any order. Ignores stop requests.
inline constexpr detail::Algorithm<detail::Counted<detail::Destroy>> destroy_n{};

/// @}

}  // namespace blitz
