/// @file
/// The call operators of merge and the set operations: see call.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/base/raw_memory.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz::detail {

/// f(range1, range2, out, comp, proj1, proj2): run(options, first1, count1, first2, count2, out, room, comp, proj1, proj2).
/// Returns an Algorithm::Result of the iterators.
template <class Algorithm>
struct MergesTo : HasOutput {
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, std::random_access_iterator O, std::sized_sentinel_for<O> SO,
            class C = std::ranges::less, class P1 = std::identity, class P2 = std::identity>
    requires Mergeable<I1, I2, O, C, P1, P2>
  auto operator()(const AlgorithmOptions& options, I1 first1, S1 last1, I2 first2, S2 last2, O out, SO out_last,
                  C comp = {}, P1 proj1 = {}, P2 proj2 = {}) const {
    return Algorithm::run(options, first1, count_of(first1, last1), first2, count_of(first2, last2), out,
                          count_of(out, out_last), comp, proj1, proj2);
  }
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, std::random_access_iterator O, std::sized_sentinel_for<O> SO,
            class C = std::ranges::less, class P1 = std::identity, class P2 = std::identity>
    requires Mergeable<I1, I2, O, C, P1, P2>
  auto operator()(I1 first1, S1 last1, I2 first2, S2 last2, O out, SO out_last, C comp = {}, P1 proj1 = {},
                  P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, first1, last1, first2, last2, out, out_last, std::move(comp), std::move(proj1),
                   std::move(proj2));
  }
  template <LoopRange R1, LoopRange R2, LoopRange O, class C = std::ranges::less, class P1 = std::identity,
            class P2 = std::identity>
    requires Mergeable<std::ranges::iterator_t<R1>, std::ranges::iterator_t<R2>, std::ranges::iterator_t<O>, C, P1, P2>
  auto operator()(const AlgorithmOptions& options, R1&& range1, R2&& range2, O&& out, C comp = {}, P1 proj1 = {},
                  P2 proj2 = {}) const {
    using Result =
        typename Algorithm::template Result<std::ranges::borrowed_iterator_t<R1>, std::ranges::borrowed_iterator_t<R2>,
                                            std::ranges::borrowed_iterator_t<O>>;
    return Result(Algorithm::run(options, std::ranges::begin(range1), static_cast<LoopIndex>(std::ranges::size(range1)),
                                 std::ranges::begin(range2), static_cast<LoopIndex>(std::ranges::size(range2)),
                                 std::ranges::begin(out), static_cast<LoopIndex>(std::ranges::size(out)), comp, proj1,
                                 proj2));
  }
  template <LoopRange R1, LoopRange R2, LoopRange O, class C = std::ranges::less, class P1 = std::identity,
            class P2 = std::identity>
    requires Mergeable<std::ranges::iterator_t<R1>, std::ranges::iterator_t<R2>, std::ranges::iterator_t<O>, C, P1, P2>
  auto operator()(R1&& range1, R2&& range2, O&& out, C comp = {}, P1 proj1 = {}, P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, std::forward<R1>(range1), std::forward<R2>(range2), std::forward<O>(out),
                   std::move(comp), std::move(proj1), std::move(proj2));
  }
};

/// The iterator for the branchless kernels: a pointer if `I` and `Other` are contiguous iterators to items of the same type.
template <class Other, class I>
auto merge_input(I first) {
  if constexpr (std::contiguous_iterator<I> && std::contiguous_iterator<Other> &&
                std::same_as<std::iter_reference_t<I>, std::iter_reference_t<Other>>) {
    return std::to_address(first);
  } else {
    return first;
  }
}
/// The output iterator for the branchless kernels: a pointer if `O` is contiguous and its items have the type of those of `I`.
template <class I, class O>
auto merge_output(O out) {
  if constexpr (std::contiguous_iterator<O> && std::same_as<std::iter_value_t<I>, std::iter_value_t<O>>) {
    return std::to_address(out);
  } else {
    return out;
  }
}

}  // namespace blitz::detail
