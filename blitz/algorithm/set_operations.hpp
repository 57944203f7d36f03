/// @file
/// includes and the set operations: union, intersection and differences of sorted ranges.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/sort/merge_call.hpp"
#include "blitz/detail/algorithm/sort/set_kernels.hpp"
#include "blitz/detail/algorithm/sort/sort_items.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// A set operation. kReturnsSecond: also returns the end of the second range.
template <SetItems kItems, bool kReturnsSecond>
struct SetFn : MergesTo<SetFn<kItems, kReturnsSecond>> {
  template <class I1, class I2, class O>
  using Result =
      std::conditional_t<kReturnsSecond, std::ranges::in_in_out_result<I1, I2, O>, std::ranges::in_out_result<I1, O>>;

  template <class I1, class I2, class O, class C, class P1, class P2>
  static auto run(const AlgorithmOptions& options, const I1& first1, LoopIndex count1, const I2& first2,
                  LoopIndex count2, const O& out, LoopIndex room, C& comp, P1& proj1, P2& proj2) {
    const TwoProjections<C, P1, P2> less{&comp, &proj1, &proj2};
    const auto a = merge_input<I2>(first1);
    const auto b = merge_input<I1>(first2);
    const auto to = merge_output<I1>(out);
    const auto cut = cut_sets(a, count1, b, count2, less);
    using Run = RunSets<kItems, std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(b)>,
                        std::remove_const_t<decltype(to)>, TwoProjections<C, P1, P2>>;
    const Run run{a, b, to, less};
    const std::size_t grain = sort_grain<std::iter_value_t<I1>>(options);
    const SetProgress progress = write_sets(options, count1, count2, room, grain, {cut, run, run});
    if constexpr (kReturnsSecond) {
      return Result<I1, I2, O>{at(first1, progress.first), at(first2, progress.second), at(out, progress.written)};
    } else {
      return Result<I1, I2, O>{at(first1, progress.first), at(out, progress.written)};
    }
  }
};

template <class A, class B, class Less>
struct IncludesPart {
  bool operator()(const SetPart& part) const {
    return includes_serial(at(a, part.first), part.first_size, at(b, part.second), part.second_size, less);
  }
  const A& a;
  const B& b;
  const Less& less;
};

struct IncludesFn : OfTwoRanges<IncludesFn, std::ranges::less> {
  template <class I1, class I2, class C, class P1, class P2>
  static bool run(const AlgorithmOptions& options, const I1& first1, LoopIndex count1, const I2& first2,
                  LoopIndex count2, C& comp, P1& proj1, P2& proj2) {
    const TwoProjections<C, P1, P2> less{&comp, &proj1, &proj2};
    const auto cut = cut_sets(first1, count1, first2, count2, less);
    const IncludesPart<I1, I2, TwoProjections<C, P1, P2>> test{first1, first2, less};
    return all_of_sets(options, count1, count2, sort_grain<std::iter_value_t<I1>>(options), cut, test);
  }
};

}  // namespace detail

/// @brief Returns whether the sorted first range contains all items of the sorted second range: k equal items in the second
/// require at least k in the first.
///
/// Both ranges must be sorted by `comp` of their projections; by default `std::ranges::less` and `std::identity`. Several
/// threads call these concurrently. After a missing item is found, no new parts start.
///
/// Throws the exceptions of `comp` and the projections, and Stopped after a stop request.
///
/// O(n1 + n2) comparisons. Memory: none.
///
/// Thread-safety: any thread.
///
/// @code
///   if (!blitz::includes(known_words, words)) return;
/// @endcode
inline constexpr detail::Algorithm<detail::IncludesFn> includes{};

/// @brief Writes the sorted union of two sorted ranges. An item with k copies in the first range and m copies in the second is
/// written max(k, m) times; the first k come from the first range.
///
/// Both inputs must be sorted by `comp` of their projections; by default `std::ranges::less` and `std::identity`. Several
/// threads call these concurrently. `out` is a sized range, which must not overlap the inputs.
///
/// Returns the ends of the inputs and of the output, as `std::ranges::set_union` does. If the output is too small, it is
/// filled, and `in1` and `in2` point to the first items that did not fit.
///
/// Throws the exceptions of `comp`, the projections and assignments, and Stopped after a stop request; then some of the output
/// has been assigned. If the comparison is no strict weak order, or an input is not sorted, the output contains unspecified
/// items.
///
/// O(n1 + n2): at most 4 (n1 + n2) comparisons, half of them to count the items that each part writes, and one assignment for
/// each item of the output. Memory: none.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto end = blitz::set_union(a, b, all).out;
/// @endcode
inline constexpr detail::Algorithm<detail::SetFn<detail::SetItems{true, true, true}, true>> set_union{};

/// @brief Writes the sorted intersection of two sorted ranges. An item with k copies in the first range and m copies in the
/// second is written min(k, m) times, from the first range.
///
/// Both inputs must be sorted by `comp` of their projections; by default `std::ranges::less` and `std::identity`. Several
/// threads call these concurrently. `out` is a sized range, which must not overlap the inputs.
///
/// Returns the ends of the inputs and of the output, as `std::ranges::set_intersection` does. If the output is too small, it is
/// filled, and `in1` and `in2` point to the first items that did not fit.
///
/// Throws the exceptions of `comp`, the projections and assignments, and Stopped after a stop request; then some of the output
/// has been assigned. If the comparison is no strict weak order, or an input is not sorted, the output contains unspecified
/// items.
///
/// O(n1 + n2): at most 4 (n1 + n2) comparisons, half of them to count the items that each part writes, and one assignment for
/// each item of the output. Memory: none.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto end = blitz::set_intersection(a, b, common).out;
/// @endcode
inline constexpr detail::Algorithm<detail::SetFn<detail::SetItems{false, false, true}, true>> set_intersection{};

/// @brief Writes the sorted items of the first of two sorted ranges that are not in the second. An item with k copies in the
/// first range and m copies in the second is written max(k - m, 0) times: the last copies of the first range.
///
/// Both inputs must be sorted by `comp` of their projections; by default `std::ranges::less` and `std::identity`. Several
/// threads call these concurrently. `out` is a sized range, which must not overlap the inputs.
///
/// Returns the end of the first input and of the output, as `in` and `out`, like `std::ranges::set_difference`. If the output
/// is too small, it is filled, and `in` points to the first item that did not fit.
///
/// Throws the exceptions of `comp`, the projections and assignments, and Stopped after a stop request; then some of the output
/// has been assigned. If the comparison is no strict weak order, or an input is not sorted, the output contains unspecified
/// items.
///
/// O(n1 + n2): at most 4 (n1 + n2) comparisons, half of them to count the items that each part writes, and one assignment for
/// each item of the output. Memory: none.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto end = blitz::set_difference(all, done, left).out;
/// @endcode
inline constexpr detail::Algorithm<detail::SetFn<detail::SetItems{true, false, false}, false>> set_difference{};

/// @brief Writes the sorted items that are in only one of two sorted ranges. An item with k copies in the first range and m
/// copies in the second is written |k - m| times: the last copies of the range that has more.
///
/// Both inputs must be sorted by `comp` of their projections; by default `std::ranges::less` and `std::identity`. Several
/// threads call these concurrently. `out` is a sized range, which must not overlap the inputs.
///
/// Returns the ends of the inputs and of the output, as `std::ranges::set_symmetric_difference` does. If the output is too
/// small, it is filled, and `in1` and `in2` point to the first items that did not fit.
///
/// Throws the exceptions of `comp`, the projections and assignments, and Stopped after a stop request; then some of the output
/// has been assigned. If the comparison is no strict weak order, or an input is not sorted, the output contains unspecified
/// items.
///
/// O(n1 + n2): at most 4 (n1 + n2) comparisons, half of them to count the items that each part writes, and one assignment for
/// each item of the output. Memory: none.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto end = blitz::set_symmetric_difference(before, after, changed).out;
/// @endcode
inline constexpr detail::Algorithm<detail::SetFn<detail::SetItems{true, true, false}, true>> set_symmetric_difference{};

}  // namespace blitz
