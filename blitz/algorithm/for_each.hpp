/// @file
/// for_each and for_each_n: a call for each item.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// A concept, so that for other iterators nothing is instantiated with a ReadOnlyBit.
template <class F, class I, class P>
concept WritesSharedWords =
    SharesWords<I> && !requires(F& f, P& proj, ReadOnlyBit bit) { std::invoke(f, std::invoke(proj, bit)); };

template <class I, class F, class P>
void for_each_item(const AlgorithmOptions& options, const I& first, LoopIndex count, F& f, P& proj) {
  if constexpr (WritesSharedWords<F, I, P>) {
    static_assert(!SharesWords<I>,
                  "blitz: the items of a vector<bool> share words, so several threads cannot change them; use "
                  "std::vector<char>; a function that only reads takes a bool");
  } else {
    for_blocks(options, count, 1, [&](LoopIndex from, LoopIndex to) {
      const I end = at(first, to);
      for (I item = at(first, from); item != end; ++item) {
        if constexpr (SharesWords<I>) {
          static_cast<void>(std::invoke(f, std::invoke(proj, ReadOnlyBit(*item))));
        } else {
          static_cast<void>(std::invoke(f, std::invoke(proj, *item)));
        }
      }
    });
  }
}

struct ForEach {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class P = std::identity,
            SharedItemFunction<Projected<I, P>> F>
  I operator()(const AlgorithmOptions& options, I first, S last, F f, P proj = {}) const {
    const auto count = static_cast<LoopIndex>(last - first);
    for_each_item(options, first, count, f, proj);
    return at(first, count);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class P = std::identity,
            SharedItemFunction<Projected<I, P>> F>
  I operator()(I first, S last, F f, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(f), std::move(proj));
  }
  template <LoopRange R, class P = std::identity, SharedItemFunction<Projected<std::ranges::iterator_t<R>, P>> F>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, F f, P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(f), std::move(proj));
  }
  template <LoopRange R, class P = std::identity, SharedItemFunction<Projected<std::ranges::iterator_t<R>, P>> F>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, F f, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(f), std::move(proj));
  }
};

struct ForEachN {
  template <std::random_access_iterator I, class P = std::identity, SharedItemFunction<Projected<I, P>> F>
  I operator()(const AlgorithmOptions& options, I first, std::iter_difference_t<I> count, F f, P proj = {}) const {
    if (count <= 0) return first;
    for_each_item(options, first, static_cast<LoopIndex>(count), f, proj);
    return first + count;
  }
  template <std::random_access_iterator I, class P = std::identity, SharedItemFunction<Projected<I, P>> F>
  I operator()(I first, std::iter_difference_t<I> count, F f, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), count, std::move(f), std::move(proj));
  }
};

}  // namespace detail

/// Calls `f` with the projection of each item, and ignores its result. Returns the end.
///
/// It is a parallel_for() in the form of `std::ranges::for_each`: several threads call `f` concurrently, in any order of
/// blocks. Returns after a stop request.
///
/// Throws the first exception of `f`.
///
/// O(n): n calls for n items. Memory: none.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::for_each(people, [](std::string& name) { name += '!'; }, &Person::name);
/// @endcode
inline constexpr detail::Algorithm<detail::ForEach> for_each{};
/// Calls `f` with the projection of each of the `count` items beginning at `first`, and ignores its result. Returns their end.
/// Several threads call `f` concurrently, in any order of blocks. Returns after a stop request.
///
/// Throws the first exception of `f`.
///
/// O(n): n calls for n items. Memory: none.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::for_each_n(jobs.begin(), 10, [](Job& job) { job.start(); });
/// @endcode
inline constexpr detail::Algorithm<detail::ForEachN> for_each_n{};

}  // namespace blitz
