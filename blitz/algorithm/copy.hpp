/// @file
/// copy, move and swap_ranges: assign the items of one range to another.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/transform.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// Whether items that I refers to can be copied, or moved, to the items of O.
template <class I, class O, bool kMoves>
concept Transferable =
    !SharesWords<O> && ((kMoves && std::indirectly_movable<I, O>) || (!kMoves && std::indirectly_copyable<I, O>));

/// f(range, out) for an algorithm that writes items up to the end of the shorter range: run(options, first, count, total, out).
/// `total` is the number of items of the range. Returns an in_out_result.
template <class Algorithm, bool kMoves = false>
struct IntoRange : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OutS>
    requires Transferable<I, O, kMoves>
  std::ranges::in_out_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out,
                                              OutS out_last) const {
    const LoopIndex total = count_of(first, last);
    const LoopIndex count = std::min(total, count_of(out, out_last));
    return {Algorithm::run(options, first, count, total, out), at(out, count)};
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OutS>
    requires Transferable<I, O, kMoves>
  std::ranges::in_out_result<I, O> operator()(I first, S last, O out, OutS out_last) const {
    return (*this)(AlgorithmOptions{}, first, last, out, out_last);
  }
  template <LoopRange R, LoopRange Out>
    requires Transferable<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>, kMoves>
  std::ranges::in_out_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>> operator()(
      const AlgorithmOptions& options, R&& range, Out&& out) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out));
  }
  template <LoopRange R, LoopRange Out>
    requires Transferable<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>, kMoves>
  std::ranges::in_out_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>> operator()(
      R&& range, Out&& out) const {
    return (*this)(AlgorithmOptions{}, std::forward<R>(range), std::forward<Out>(out));
  }
};

/// The requirement of std::copy on an iterator. The differences of std::views::iota over the widest integers are wider than any
/// integer.
template <class I>
concept HasIntegerDifferences = std::is_integral_v<std::iter_difference_t<I>>;

/// Like std::copy or std::move; takes any iterators.
template <bool kMoves, class I, class O>
void transfer(I first, const I& last, O out) {
  if constexpr (!HasIntegerDifferences<I> || !HasIntegerDifferences<O>) {
    for (; first != last; ++first, ++out) {
      if constexpr (kMoves) {
        *out = std::ranges::iter_move(first);
      } else {
        *out = *first;
      }
    }
  } else if constexpr (kMoves) {
    std::move(first, last, out);
  } else {
    std::copy(first, last, out);
  }
}

struct Copy : IntoRange<Copy> {
  template <class I, class O>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, LoopIndex /*total*/, const O& out) {
    write_blocks(options, count,
                 [&](LoopIndex from, LoopIndex to) { transfer<false>(at(first, from), at(first, to), at(out, from)); });
    return at(first, count);
  }
};

struct Move : IntoRange<Move, true> {
  template <class I, class O>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, LoopIndex /*total*/, const O& out) {
    write_blocks(options, count,
                 [&](LoopIndex from, LoopIndex to) { transfer<true>(at(first, from), at(first, to), at(out, from)); });
    return at(first, count);
  }
};

struct ReverseCopy : IntoRange<ReverseCopy> {
  /// Writes the items of the range from its end to its beginning.
  template <class I, class O>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, LoopIndex total, const O& out) {
    write_blocks(options, count, [&](LoopIndex from, LoopIndex to) {
      const I begin = at(first, total - to);
      O place = at(out, from);
      for (I item = at(first, total - from); item != begin; ++place) *place = *--item;
    });
    return at(first, total);
  }
};

struct CopyN {
  template <std::random_access_iterator I, std::random_access_iterator O>
    requires CopyableTo<I, O>
  std::ranges::in_out_result<I, O> operator()(const AlgorithmOptions& options, I first, std::iter_difference_t<I> count,
                                              O out) const {
    if (count <= 0) return {first, out};
    const auto n = static_cast<LoopIndex>(count);
    return {Copy::run(options, first, n, n, out), at(out, n)};
  }
  template <std::random_access_iterator I, std::random_access_iterator O>
    requires CopyableTo<I, O>
  std::ranges::in_out_result<I, O> operator()(I first, std::iter_difference_t<I> count, O out) const {
    return (*this)(AlgorithmOptions{}, first, count, out);
  }
  template <std::random_access_iterator I, std::random_access_iterator O, std::sized_sentinel_for<O> OutS>
    requires CopyableTo<I, O>
  std::ranges::in_out_result<I, O> operator()(const AlgorithmOptions& options, I first, std::iter_difference_t<I> count,
                                              O out, OutS out_last) const {
    return Copy{}(options, first, first + std::max<std::iter_difference_t<I>>(count, 0), out, out_last);
  }
  template <std::random_access_iterator I, std::random_access_iterator O, std::sized_sentinel_for<O> OutS>
    requires CopyableTo<I, O>
  std::ranges::in_out_result<I, O> operator()(I first, std::iter_difference_t<I> count, O out, OutS out_last) const {
    return (*this)(AlgorithmOptions{}, first, count, out, out_last);
  }
};

struct SwapRanges {
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2>
    requires Swappable<I1, I2>
  std::ranges::swap_ranges_result<I1, I2> operator()(const AlgorithmOptions& options, I1 first1, S1 last1, I2 first2,
                                                     S2 last2) const {
    const LoopIndex count = std::min(count_of(first1, last1), count_of(first2, last2));
    write_blocks(options, count, [&](LoopIndex from, LoopIndex to) {
      std::swap_ranges(at(first1, from), at(first1, to), at(first2, from));
    });
    return {at(first1, count), at(first2, count)};
  }
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2>
    requires Swappable<I1, I2>
  std::ranges::swap_ranges_result<I1, I2> operator()(I1 first1, S1 last1, I2 first2, S2 last2) const {
    return (*this)(AlgorithmOptions{}, first1, last1, first2, last2);
  }
  template <LoopRange R1, LoopRange R2>
    requires Swappable<std::ranges::iterator_t<R1>, std::ranges::iterator_t<R2>>
  std::ranges::swap_ranges_result<std::ranges::borrowed_iterator_t<R1>, std::ranges::borrowed_iterator_t<R2>>
  operator()(const AlgorithmOptions& options, R1&& range1, R2&& range2) const {
    return (*this)(options, std::ranges::begin(range1), std::ranges::end(range1), std::ranges::begin(range2),
                   std::ranges::end(range2));
  }
  template <LoopRange R1, LoopRange R2>
    requires Swappable<std::ranges::iterator_t<R1>, std::ranges::iterator_t<R2>>
  std::ranges::swap_ranges_result<std::ranges::borrowed_iterator_t<R1>, std::ranges::borrowed_iterator_t<R2>>
  operator()(R1&& range1, R2&& range2) const {
    return (*this)(AlgorithmOptions{}, std::forward<R1>(range1), std::forward<R2>(range2));
  }
};

}  // namespace detail

/// @name Copies
/// `copy`, `copy_n`, `move`, `reverse_copy` and `swap_ranges` stop at the end of the shorter range, and return the positions
/// where they stopped, like their namesakes in `std::ranges`. The ranges must not overlap. Several threads assign concurrently,
/// whole blocks by memmove if the items permit it.
///
/// Throws the first exception of an assignment, and Stopped after a stop request: then some items have been assigned and some
/// have not.
///
/// O(n): one assignment for each item. Memory: none.
///
/// Thread-safety: any thread.
/// @{

/// Assigns the items of a range to those of `out`.
/// @code
///   blitz::copy(frame, buffer);
/// @endcode
inline constexpr detail::Algorithm<detail::Copy> copy{};
/// Copies `count` items beginning at `first`, or as many as fit into the output. Without `out_last` the output must have room
/// for all of them.
inline constexpr detail::Algorithm<detail::CopyN> copy_n{};
/// Moves the items of a range to those of `out`, as blitz::copy copies them.
inline constexpr detail::Algorithm<detail::Move> move{};
/// Copies the items of a range to `out` in reverse order.
inline constexpr detail::Algorithm<detail::ReverseCopy> reverse_copy{};
/// Swaps the items of two ranges.
inline constexpr detail::Algorithm<detail::SwapRanges> swap_ranges{};

/// @}

}  // namespace blitz
