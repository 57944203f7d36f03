/// @file
/// Comparisons of ranges, and tests of the order of a range: each is a search for the first position that fails.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// Like kCheapItems, for pairs of items.
template <class I1, class I2>
inline constexpr std::size_t kCheapPairs = kCheapItems<I1> == kCheapItems<I2> ? kCheapItems<I1> : 0;

/// Whether the items at a position of two ranges are not related by `comp`.
template <class I1, class I2, class C, class P1, class P2>
[[nodiscard]] auto difference_test(const I1& first1, const I2& first2, C& comp, P1& proj1, P2& proj2) {
  return [&first1, &first2, &comp, &proj1, &proj2](LoopIndex i) -> bool {
    return !std::invoke(comp, std::invoke(proj1, *at(first1, i)), std::invoke(proj2, *at(first2, i)));
  };
}

/// Whether the item after a position belongs before it.
template <class I, class C, class P>
[[nodiscard]] auto fall_test(const I& first, C& comp, P& proj) {
  return [&first, &comp, &proj](LoopIndex i) -> bool {
    return std::invoke(comp, std::invoke(proj, *at(first, i + 1)), std::invoke(proj, *at(first, i)));
  };
}

struct Mismatch : OfTwoRanges<Mismatch, std::ranges::equal_to> {
  template <class I1, class I2, class C, class P1, class P2>
  static std::ranges::mismatch_result<I1, I2> run(const AlgorithmOptions& options, const I1& first1, LoopIndex count1,
                                                  const I2& first2, LoopIndex count2, C& comp, P1& proj1, P2& proj2) {
    const LoopIndex found = find_position<kCheapPairs<I1, I2>>(options, std::min(count1, count2),
                                                               difference_test(first1, first2, comp, proj1, proj2));
    return {at(first1, found), at(first2, found)};
  }
  template <class R1, class R2, class Result>
  static auto returned(Result result) {
    using Borrowed =
        std::ranges::mismatch_result<std::ranges::borrowed_iterator_t<R1>, std::ranges::borrowed_iterator_t<R2>>;
    return Borrowed{std::move(result.in1), std::move(result.in2)};
  }
};

struct Equal : OfTwoRanges<Equal, std::ranges::equal_to> {
  template <class I1, class I2, class C, class P1, class P2>
  static bool run(const AlgorithmOptions& options, const I1& first1, LoopIndex count1, const I2& first2,
                  LoopIndex count2, C& comp, P1& proj1, P2& proj2) {
    return count1 == count2 &&
           !any_position<kCheapPairs<I1, I2>>(options, count1, difference_test(first1, first2, comp, proj1, proj2));
  }
};

struct LexicographicalCompare : OfTwoRanges<LexicographicalCompare, std::ranges::less> {
  template <class I1, class I2, class C, class P1, class P2>
  static bool run(const AlgorithmOptions& options, const I1& first1, LoopIndex count1, const I2& first2,
                  LoopIndex count2, C& comp, P1& proj1, P2& proj2) {
    // For numbers the compiler merges the two comparisons, because each number is read only once.
    const auto differ = [&](auto&& x, auto&& y)
                            BLITZ_LAMBDA_INLINE -> bool { return std::invoke(comp, x, y) || std::invoke(comp, y, x); };
    const LoopIndex count = std::min(count1, count2);
    const LoopIndex found = find_position<kCheapPairs<I1, I2>>(options, count, [&](LoopIndex i) -> bool {
      return differ(std::invoke(proj1, *at(first1, i)), std::invoke(proj2, *at(first2, i)));
    });
    if (found == count) return count1 < count2;
    return std::invoke(comp, std::invoke(proj1, *at(first1, found)), std::invoke(proj2, *at(first2, found)));
  }
};

struct IsSortedUntil : WithComparison<IsSortedUntil, std::ranges::less> {
  template <class I, class C, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp, P& proj) {
    if (count == 0) return first;
    return at(first, find_position<kCheapItems<I>>(options, count - 1, fall_test(first, comp, proj)) + 1);
  }
};

struct IsSorted : WithComparison<IsSorted, std::ranges::less> {
  template <class I, class C, class P>
  static bool run(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp, P& proj) {
    return count == 0 || !any_position<kCheapItems<I>>(options, count - 1, fall_test(first, comp, proj));
  }
};

struct IsPartitioned : WithPredicate<IsPartitioned> {
  template <class I, class F, class P>
  static bool run(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
    const I no = FindIfNot::run(options, first, count, pred, proj);
    return NoneOf::run(options, no, count - count_of(first, no), pred, proj);
  }
};

}  // namespace detail

/// @name Comparisons and tests of order
/// `equal`, `mismatch` and `lexicographical_compare` compare two ranges; `is_sorted`, `is_sorted_until` and `is_partitioned`
/// test the order of one. Each searches for the first position that fails the test. Several threads search blocks concurrently;
/// after a failure no new blocks start to its right.
///
/// Throws the exceptions of comparisons, predicates and projections, and Stopped after a stop request, unless the result is
/// known.
///
/// O(n): at most n comparisons, or calls of the predicate. Memory: none.
///
/// Thread-safety: any thread.
/// @{

/// Returns the first positions at which two ranges differ, up to the end of the shorter one, like `std::ranges::mismatch`.
inline constexpr detail::Algorithm<detail::Mismatch> mismatch{};
/// Returns whether two ranges have the same number of items, which are equal by `comp`.
/// @code
///   const bool same = blitz::equal(found, expected);
/// @endcode
inline constexpr detail::Algorithm<detail::Equal> equal{};
/// Returns whether the first range is lexicographically less than the second.
inline constexpr detail::Algorithm<detail::LexicographicalCompare> lexicographical_compare{};
/// Returns the end of the longest sorted run at the beginning of the range.
inline constexpr detail::Algorithm<detail::IsSortedUntil> is_sorted_until{};
/// Returns whether the range is sorted by `comp` and the projection.
inline constexpr detail::Algorithm<detail::IsSorted> is_sorted{};
/// Returns whether all items that satisfy `pred` are before all others.
inline constexpr detail::Algorithm<detail::IsPartitioned> is_partitioned{};

/// @}

}  // namespace blitz
