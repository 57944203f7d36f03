/// @file
/// The ranges and bounds of loops, reductions, algorithms and pipelines.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace blitz {

/// An integer that a loop can count in: of 64 bits at most, and not bool. Compilers' extensions such as __int128 are
/// refused.
/// @code
///   static_assert(blitz::LoopInteger<std::size_t> && !blitz::LoopInteger<bool>);
/// @endcode
///
/// Thread-safety: each block of a loop uses its own copies.
template <class I>
concept LoopInteger =
    std::integral<I> && !std::same_as<std::remove_cv_t<I>, bool> && sizeof(I) <= sizeof(std::uint64_t);

/// A range that a loop can be cut from: random access, of known size, which 64 bits can hold. Vectors, arrays, spans,
/// views::iota.
/// @code
///   static_assert(blitz::LoopRange<std::vector<int>&>);
///   static_assert(!blitz::LoopRange<std::list<int>&>);
/// @endcode
///
/// Thread-safety: several threads use the range concurrently, each its own positions.
template <class R>
concept LoopRange = std::ranges::random_access_range<R> && std::ranges::sized_range<R> &&
                    sizeof(std::ranges::range_size_t<R>) <= sizeof(std::uint64_t);

/// An iterator that a loop can begin with: random access by the C++20 concept, or only by its category, as in libraries older
/// than the concept. An iterator of the second kind needs only the operations that a loop uses: it need not be
/// default-constructible, assignable or subscriptable, and may return values.
/// @code
///   static_assert(blitz::LoopIterator<std::vector<int>::iterator>);
///   static_assert(!blitz::LoopIterator<std::list<int>::iterator>);
/// @endcode
///
/// Thread-safety: several threads copy and compare the iterator concurrently; each uses its own copies.
template <class It>
concept LoopIterator =
    std::random_access_iterator<It> ||
    (std::copy_constructible<It> &&
     std::convertible_to<typename std::iterator_traits<It>::iterator_category, std::random_access_iterator_tag> &&
     requires(It it, const It at, std::iter_difference_t<It> n) {
       *it;
       ++it;
       { at != at } -> std::convertible_to<bool>;
       { at + n } -> std::convertible_to<It>;
       { at - at } -> std::convertible_to<std::iter_difference_t<It>>;
     });

/// Two integers, or a random-access iterator and its end.
/// @code
///   static_assert(blitz::LoopBounds<int, std::size_t>);
///   static_assert(blitz::LoopBounds<const int*, const int*>);
/// @endcode
///
/// Thread-safety: as for LoopInteger and LoopIterator.
template <class First, class Last>
concept LoopBounds = (LoopInteger<First> && LoopInteger<Last>) ||
                     (LoopIterator<First> && (std::same_as<First, Last> || std::sized_sentinel_for<Last, First>));

/// A callable that several threads may call concurrently with such arguments. It must be callable as a constant: not a mutable
/// lambda.
/// @code
///   static_assert(blitz::SharedFunction<std::negate<>, int>);
/// @endcode
///
/// Thread-safety: several threads call the one object concurrently.
template <class F, class... Args>
concept SharedFunction = std::invocable<const std::remove_reference_t<F>&, Args...>;

}  // namespace blitz
