/// @file
/// Merges of two sorted ranges on one thread, and co-ranking, which finds cuts for parallel merges.
///
/// All merges are stable: of equal items, those of the left range come first. For any results of a comparison, reads are within
/// the ranges and each item is taken once.
///
/// Sources: the merge from both ends: quadsort (I. van den Hoven, 2021) and driftsort (L. Bergdoll, O. Peters, 2024);
/// co-ranking: N. Deo, A. Jain, M. Medidi: An Optimal Parallel Algorithm for Merging Using Multiselection, 1994; S. Odeh,
/// O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path, 2012.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "blitz/detail/algorithm/sort/small_sort.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// The order of the items of two ranges.
template <class C, class P1, class P2>
struct TwoProjections {
  /// Whether an item of the second range is before one of the first.
  template <class B, class A>
  bool operator()(B&& b, A&& a) const {
    return static_cast<bool>(
        std::invoke(*comp, std::invoke(*proj2, std::forward<B>(b)), std::invoke(*proj1, std::forward<A>(a))));
  }
  /// Whether an item of the first range is before one of the second.
  template <class A, class B>
  bool first_less(A&& a, B&& b) const {
    return static_cast<bool>(
        std::invoke(*comp, std::invoke(*proj1, std::forward<A>(a)), std::invoke(*proj2, std::forward<B>(b))));
  }
  C* comp;
  P1* proj1;
  P2* proj2;
};

/// The number of items of `a` among the first `rank` items of the merge of a[0..na) and b[0..nb); `rank` is at most na + nb.
/// About log2(min(na, nb)) comparisons.
template <class A, class B, class Less>
std::size_t co_rank(std::size_t rank, A a, std::size_t na, B b, std::size_t nb, Less less) {
  std::size_t low = rank > nb ? rank - nb : 0;
  std::size_t high = std::min(rank, na);
  while (low != high) {
    // If a[guess] is among the first `rank` items, b contributes at most rank - guess - 1 of them. That is so unless the item
    // b[rank - guess - 1] is less than a[guess].
    const std::size_t guess = low + (high - low) / 2;
    if (less(b[static_cast<std::iter_difference_t<B>>(rank - guess - 1)],
             a[static_cast<std::iter_difference_t<A>>(guess)])) {
      high = guess;
    } else {
      low = guess + 1;
    }
  }
  return low;
}

/// Writes an item of a merge by copy assignment, like the standard's merge.
struct AssignCopy {
  template <class O, class I>
  BLITZ_ALWAYS_INLINE void operator()(const O& out, const I& item) const {
    *out = *item;
  }
};
/// Writes an item of a merge to or from scratch memory by move construction. If the type is cheap to move, the source remains a
/// valid copy.
struct ConstructMoved {
  template <class T>
  BLITZ_ALWAYS_INLINE void operator()(T* out, T* item) const {
    std::construct_at(out, std::move(*item));
  }
};

/// Merges [a, a_end) and [b, b_end) to `out`. Returns the end of the output.
template <class A, class B, class O, class Less, class Put>
O merge_checked(A a, A a_end, B b, B b_end, O out, Less less, Put put) {
  while (a != a_end && b != b_end) {
    const bool b_first = less(*b, *a);
    if constexpr (std::is_pointer_v<A> && std::same_as<A, B>) {
      put(out, b_first ? b : a);
      b += b_first;
      a += !b_first;
    } else if (b_first) {
      put(out, b);
      ++b;
    } else {
      put(out, a);
      ++a;
    }
    ++out;
  }
  for (; a != a_end; ++a, ++out) put(out, a);
  for (; b != b_end; ++b, ++out) put(out, b);
  return out;
}

/// Merges a[0..na) and b[0..nb) to `out`, which must not overlap them. `less` is called with an item of `b` and one of `a`.
/// Returns the end of the output.
template <class A, class B, class O, class Less, class Put>
O merge_serial(A a, std::size_t na, B b, std::size_t nb, O out, Less less, Put put) {
  return merge_checked(a, a + static_cast<std::iter_difference_t<A>>(na), b,
                       b + static_cast<std::iter_difference_t<B>>(nb), out, less, put);
}

/// merge_serial() without branches on the items, for items that are cheap to move.
template <class A, class O, class Less, class Put>
  requires kCheapToMove<std::remove_const_t<A>>
O* merge_serial(A* a, std::size_t na, A* b, std::size_t nb, O* out, Less less, Put put) {
  A* a_end = a + na;
  A* b_end = b + nb;
  O* end = out + (na + nb);
  O* const result = end;
  // Merges from both ends concurrently: two independent chains of dependent instructions. A number of steps up to half the
  // length of the shorter range cannot exhaust it, so there is no check in between.
  for (std::ptrdiff_t steps; (steps = std::min(a_end - a, b_end - b) / 2) > 4;) {
    for (; steps != 0; --steps) {
      const bool b_first = less(*b, *a);
      put(out++, b_first ? b : a);
      b += b_first;
      a += !b_first;
      const bool a_last = less(b_end[-1], a_end[-1]);
      put(--end, a_last ? a_end - 1 : b_end - 1);
      a_end -= a_last;
      b_end -= !a_last;
    }
  }
  merge_checked(a, a_end, b, b_end, out, less, put);
  return result;
}

}  // namespace blitz::detail
