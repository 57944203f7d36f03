/// @file
/// merge and inplace_merge.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/sort/merge_call.hpp"
#include "blitz/detail/algorithm/sort/merge_items.hpp"
#include "blitz/detail/algorithm/sort/merge_kernels.hpp"
#include "blitz/detail/algorithm/sort/merge_path.hpp"
#include "blitz/detail/algorithm/sort/sort_items.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

struct MergeFn : MergesTo<MergeFn> {
  template <class I1, class I2, class O>
  using Result = std::ranges::merge_result<I1, I2, O>;

  template <class I1, class I2, class O, class C, class P1, class P2>
  static Result<I1, I2, O> run(const AlgorithmOptions& options, const I1& first1, LoopIndex count1, const I2& first2,
                               LoopIndex count2, const O& out, LoopIndex room, C& comp, P1& proj1, P2& proj2) {
    const TwoProjections<C, P1, P2> less{&comp, &proj1, &proj2};
    const std::size_t grain = sort_grain<std::iter_value_t<I1>>(options);
    throw_if_stopped(options);
    if (room < count1 + count2) {
      count1 = co_rank(room, first1, count1, first2, count2, less);
      count2 = room - count1;
    }
    const std::size_t n = count1 + count2;
    with_threads(options, n, grain, [&](std::size_t threads) {
      merge_parallel(options, part_count(n, threads, grain), merge_input<I2>(first1), count1, merge_input<I1>(first2),
                     count2, merge_output<I1>(out), less, AssignCopy{});
    });
    return {at(first1, count1), at(first2, count2), at(out, n)};
  }
};

struct InplaceMergeFn : InOrderAround<InplaceMergeFn> {
  template <class I, class C, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex rank, LoopIndex count, C& comp, P& proj) {
    throw_if_stopped(options);
    inplace_merge_items(options, first, at(first, rank), at(first, count), comp, proj);
    return at(first, count);
  }
};

}  // namespace detail

/// @brief Merges two sorted ranges into an output. Stable: of equal items, the items of the first range come first, and the
/// items of each range keep their order.
///
/// Both inputs must be sorted by `comp` of their projections; by default `std::ranges::less` and `std::identity`. Several
/// threads call these concurrently. `out` is a sized range, which must not overlap the inputs.
///
/// Returns the ends of the inputs and of the output, as `std::ranges::merge` does. If the output is too small, it is filled,
/// and `in1` and `in2` point to the first items that did not fit.
///
/// Throws the exceptions of `comp`, the projections and assignments, and Stopped after a stop request; then some of the output
/// has been assigned. If the comparison is no strict weak order, or an input is not sorted, the output contains all items in an
/// unspecified order.
///
/// O(n1 + n2): at most n1 + n2 comparisons, and some log2 n for each part of the output; one assignment for each item. Memory:
/// none.
///
/// Thread-safety: any thread.
///
/// @par Source
/// S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path, 2012.
///
/// @code
///   blitz::merge(mine, yours, ours);
/// @endcode
inline constexpr detail::Algorithm<detail::MergeFn> merge{};

/// @brief Merges the sorted parts [first, middle) and [middle, last) of a range in place. Stable: of equal items, the items of
/// [first, middle) come first, and the items of each part keep their order. Returns the end.
///
/// `comp` and `proj` are by default `std::ranges::less` and `std::identity`. Several threads call them concurrently.
///
/// Throws the exceptions of `comp`, `proj` and the moves of items, and Stopped after a stop request. Unless a move throws, the
/// range then still contains the same items; if memory could be allocated, each in its original place. If the comparison is no
/// strict weak order, the result is an unspecified permutation.
///
/// O(n): at most n comparisons, and some log2 n for each part. Memory: room for the items that must change their places, and
/// two pointers for each item that is not cheap to move. If the allocation fails, the calling thread merges by rotations, with
/// O(n log n) swaps. Ranges that are not contiguous, such as a deque, are moved to other memory and back: std::bad_alloc leaves
/// them unchanged.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto sorted = items.size();
///   items.insert(items.end(), added.begin(), added.end());
///   blitz::sort(items.begin() + sorted, items.end());
///   blitz::inplace_merge(items, items.begin() + sorted);
/// @endcode
inline constexpr detail::Algorithm<detail::InplaceMergeFn> inplace_merge{};

}  // namespace blitz
