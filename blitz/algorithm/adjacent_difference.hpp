/// @file
/// adjacent_difference: the differences of neighbouring items.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
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
#include "blitz/detail/algorithm/chain.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// Whether two iterators refer to the same object. (Comparing the iterators is undefined if they belong to different ranges.)
template <class I, class O>
[[nodiscard]] bool is_in_place(const I& in, const O& out) {
  if constexpr (std::is_lvalue_reference_v<std::iter_reference_t<I>> &&
                std::is_lvalue_reference_v<std::iter_reference_t<O>>) {
    return static_cast<const volatile void*>(detail::address_of(*in)) ==
           static_cast<const volatile void*>(detail::address_of(*out));
  } else {
    return false;
  }
}

struct AdjacentDifference : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> T, class Op = std::minus<>>
    requires CopyableTo<I, O> && Writable<O, std::indirect_result_t<Op&, I, I>>
  std::ranges::in_out_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out, T out_last,
                                              Op op = {}) const {
    const auto count = std::min(static_cast<LoopIndex>(last - first), static_cast<LoopIndex>(out_last - out));
    if (count > 0) {
      if (is_in_place(first, out)) {
        run_in_place(options, first, count, out, op);
      } else {
        for_blocks(options, count - 1, 1, [&](LoopIndex from, LoopIndex to) {
          I before = at(first, from);
          O here = at(out, from);
          for (const I end = at(first, to); before != end;) {
            const I item = before + 1;
            *++here = std::invoke(op, *item, *before);
            before = item;
          }
        });
        *out = *first;
      }
      throw_if_stopped(options);
    }
    return {at(first, count), at(out, count)};
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> T, class Op = std::minus<>>
    requires CopyableTo<I, O> && Writable<O, std::indirect_result_t<Op&, I, I>>
  std::ranges::in_out_result<I, O> operator()(I first, S last, O out, T out_last, Op op = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(out), out_last, std::move(op));
  }
  template <LoopRange R, LoopRange Out, class Op = std::minus<>>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>> &&
             Writable<std::ranges::iterator_t<Out>,
                      std::indirect_result_t<Op&, std::ranges::iterator_t<R>, std::ranges::iterator_t<R>>>
  std::ranges::in_out_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>> operator()(
      const AlgorithmOptions& options, R&& range, Out&& out, Op op = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out), std::move(op));
  }
  template <LoopRange R, LoopRange Out, class Op = std::minus<>>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>> &&
             Writable<std::ranges::iterator_t<Out>,
                      std::indirect_result_t<Op&, std::ranges::iterator_t<R>, std::ranges::iterator_t<R>>>
  std::ranges::in_out_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>> operator()(
      R&& range, Out&& out, Op op = {}) const {
    return (*this)(AlgorithmOptions{}, range, out, std::move(op));
  }

 private:
  /// First copies the item before each piece, because the piece to the left overwrites it. Each piece runs from right to left,
  /// so that an item is overwritten only after it was subtracted from the next one.
  template <class I, class O, class Op>
  static void run_in_place(const AlgorithmOptions& options, const I& first, LoopIndex count, const O& out, Op& op) {
    using Item = std::iter_value_t<I>;
    const LoopIndex size = Chain::least_run(options, count, sizeof(Item));
    const LoopIndex pieces = ceil_div(count, size);
    const auto before = make_array<std::optional<Item>>(static_cast<std::size_t>(pieces));
    AlgorithmOptions by_pieces = options;
    by_pieces.min_grain = 64;
    for_blocks(by_pieces, pieces, 1, [&](LoopIndex piece, LoopIndex last) {
      for (piece = std::max<LoopIndex>(piece, 1); piece < last; ++piece)
        before[piece].emplace(to_copy<Item>(*at(first, piece * size - 1)));
    });
    throw_if_stopped(options);
    by_pieces.min_grain = 1;
    for_blocks(by_pieces, pieces, 1, [&](LoopIndex piece, LoopIndex last) {
      for (; piece != last; ++piece) {
        const LoopIndex begin = piece * size;
        for (LoopIndex i = std::min(begin + size, count) - 1; i > begin; --i) {
          *at(out, i) = std::invoke(op, *at(first, i), *at(first, i - 1));
        }
        if (piece > 0) *at(out, begin) = std::invoke(op, *at(first, begin), std::as_const(*before[piece]));
      }
    });
  }
};

}  // namespace detail

/// Writes the first item, and then `op(item, previous)` for each other item and the one before it; by default their
/// differences. Stops at the end of the shorter range, and returns both positions: {in, out}.
///
/// `out` may be the range itself; otherwise the two must not overlap. Several threads call `op` concurrently.
///
/// Throws the exceptions of `op` and of assignments, and Stopped after a stop request. All items of `out` are then valid, and
/// some have been assigned.
///
/// O(n): n - 1 calls of `op`. Memory: none; in place, 256 items or, for large inputs, one item per half megabyte.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::adjacent_difference(timestamps, gaps);
/// @endcode
inline constexpr detail::Algorithm<detail::AdjacentDifference> adjacent_difference{};

}  // namespace blitz
