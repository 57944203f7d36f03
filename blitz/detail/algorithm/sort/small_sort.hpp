/// @file
/// Sorts of a few items: the base case of quicksort.
///
/// Items that are cheap to move are sorted in a copy, up to four at a time, and merged from both ends, without branches on the
/// items. Other items are sorted by binary insertion, which needs the fewest comparisons.
///
/// If a comparison throws, the items are a permutation of the original items. For any results of a comparison, reads and writes
/// are within bounds. `less` is called with lvalues of T. If the move of an item throws, that item may be lost; all elements
/// are valid.
///
/// Source: the small sorts of ipnsort (L. Bergdoll, O. Peters: driftsort and ipnsort, 2024).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// Whether a few instructions move an item, and copies of it need not be destroyed. Does not require
/// std::is_trivially_copyable, because the assignment of std::pair is not trivial.
template <class T>
inline constexpr bool kCheapToMove = std::is_trivially_move_constructible_v<T> && std::is_trivially_destructible_v<T> &&
                                     std::is_nothrow_move_assignable_v<T> && sizeof(T) <= 32;

/// An item that was taken out of its place. The destructor puts it back at `place`, also after an exception.
template <class T>
struct TakenItem {
  explicit TakenItem(T* its_place) : value(std::move(*its_place)), place(its_place) {}
  TakenItem(const TakenItem&) = delete;
  TakenItem& operator=(const TakenItem&) = delete;
  ~TakenItem() noexcept(std::is_nothrow_move_assignable_v<T>) { *place = std::move(value); }

  T value;
  T* place;
};

/// The maximum number of items of small_sort().
template <class T>
inline constexpr std::ptrdiff_t kSmallSort = kCheapToMove<T> ? 32 : 20;

/// Sorts [first, last) with about log2(k) comparisons for the k-th item.
template <class T, class Less>
void binary_insertion_sort(T* first, T* last, Less less) {
  if (first == last) return;
  for (T* next = first + 1; next != last; ++next) {
    T* low = first;
    for (T* high = next; low != high;) {
      T* const middle = low + (high - low) / 2;
      if (less(*next, *middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    if (low == next) continue;
    TakenItem<T> item(next);
    std::move_backward(low, next, next + 1);
    item.place = low;
  }
}

/// Returns `first ? a : b` by arithmetic, because compilers turn the conditional operator into branches.
BLITZ_ALWAYS_INLINE std::size_t select_index(bool first, std::size_t a, std::size_t b) {
  return b ^ ((a ^ b) & (std::size_t{0} - std::size_t{first}));
}

/// Copies from[0..4) to `to` in order. Stable.
template <class T, class Less>
BLITZ_ALWAYS_INLINE void sort_four(T* from, T* to, Less less) {
  const bool swap_low = less(from[1], from[0]);
  const bool swap_high = less(from[3], from[2]);
  const std::size_t a = swap_low;  // a <= b, c <= d
  const std::size_t b = 1 - a;
  const std::size_t c = 2 + std::size_t{swap_high};
  const std::size_t d = 5 - c;
  const bool c_first = less(from[c], from[a]);
  const bool d_before_b = less(from[d], from[b]);
  const std::size_t left = select_index(c_first, a, select_index(d_before_b, c, b));  // the two in between, in order
  const std::size_t right = select_index(d_before_b, d, select_index(c_first, b, c));
  const bool swap_middle = less(from[right], from[left]);
  std::construct_at(to, std::move(from[select_index(c_first, c, a)]));
  std::construct_at(to + 1, std::move(from[select_index(swap_middle, right, left)]));
  std::construct_at(to + 2, std::move(from[select_index(swap_middle, left, right)]));
  std::construct_at(to + 3, std::move(from[select_index(d_before_b, b, d)]));
}

/// Copies from[0..n) to `to` in order, for n <= 4. Stable.
template <class T, class Less>
BLITZ_ALWAYS_INLINE void sort_up_to_four(T* from, T* to, std::size_t n, Less less) {
  if (n == 4) return sort_four(from, to, less);
  if (n == 3) {
    const bool swap_low = less(from[1], from[0]);
    const std::size_t a = swap_low;
    const std::size_t b = 1 - a;
    const bool c_before_b = less(from[2], from[b]);
    const std::size_t middle = select_index(c_before_b, 2, b);
    const bool middle_first = less(from[middle], from[a]);
    std::construct_at(to, std::move(from[select_index(middle_first, middle, a)]));
    std::construct_at(to + 1, std::move(from[select_index(middle_first, a, middle)]));
    std::construct_at(to + 2, std::move(from[select_index(c_before_b, b, 2)]));
  } else if (n == 2) {
    const bool swap = less(from[1], from[0]);
    std::construct_at(to, std::move(from[swap]));
    std::construct_at(to + 1, std::move(from[!swap]));
  } else if (n == 1) {
    std::construct_at(to, std::move(*from));
  }
}

/// Merges the sorted [from, middle) and [middle, from + n) to `to`. Their lengths may differ by at most one; n must be at least
/// 2. Merges from both ends concurrently, which makes two independent chains of dependent instructions, without a check for the
/// end of a half. Returns whether both halves were used up. That is false only if the comparison is inconsistent; then `to` may
/// contain an item twice.
///
/// The n/2 steps forward read at most the first n/2 items of each half, and the n/2 steps backward as many from the end. So all
/// reads are within [from, from + n).
template <class T, class Less>
BLITZ_ALWAYS_INLINE bool merge_halves(T* from, T* middle, T* to, std::size_t n, Less less) {
  T* left = from;
  T* right = middle;
  T* left_end = middle - 1;
  T* right_end = from + n - 1;
  T* to_end = to + n - 1;
  for (std::size_t step = n / 2; step != 0; --step) {
    const bool right_first = less(*right, *left);
    std::construct_at(to++, std::move(*(right_first ? right : left)));
    right += right_first;
    left += !right_first;
    const bool left_last = less(*right_end, *left_end);
    std::construct_at(to_end--, std::move(*(left_last ? left_end : right_end)));
    left_end -= left_last;
    right_end -= !left_last;
  }
  if (n % 2 != 0) {
    const bool from_left = left <= left_end;
    std::construct_at(to, std::move(*(from_left ? left : right)));
    left += from_left;
    right += !from_left;
  }
  return left == left_end + 1 && right == right_end + 1;
}

/// Sorts [first, first + n): sorts pieces of up to four items, and merges them pair by pair.
template <class T, class Less>
void merge_sort_pieces(T* first, std::size_t n, Less less) {
  StackScratch<T, kSmallSort<T>> even;
  StackScratch<T, kSmallSort<T>> odd;
  T* from = even.data();
  T* to = odd.data();
  std::size_t pieces = std::bit_ceil((n + 3) / 4);
  const int log2 = std::countr_zero(pieces);
  const auto begin_of = [&](std::size_t piece) { return (n * piece) >> log2; };
  for (std::size_t piece = 0; piece != pieces; ++piece) {
    const std::size_t begin = begin_of(piece);
    sort_up_to_four(first + begin, from + begin, begin_of(piece + 1) - begin, less);
  }
  std::size_t step = 1;
  for (; step * 2 < pieces; step *= 2) {
    for (std::size_t piece = 0; piece != pieces; piece += 2 * step) {
      const std::size_t begin = begin_of(piece);
      const std::size_t middle = begin_of(piece + step);
      const std::size_t end = begin_of(piece + 2 * step);
      if (!merge_halves(from + begin, from + middle, to + begin, end - begin, less))
        std::uninitialized_move_n(from + begin, end - begin, to + begin);
    }
    std::swap(from, to);
  }
  // Moved-from items are still copies, so the scratch memory contains all items until the last one is merged.
  struct Back {
    ~Back() {
      if (copy != nullptr) std::move(copy, copy + n, first);
    }
    T* first;
    T* copy;
    std::size_t n;
  } back{first, from, n};
  if (pieces > 1 && merge_halves(from, from + begin_of(step), first, n, less)) back.copy = nullptr;
}

/// Sorts [first, last), at most kSmallSort<T> items.
template <class T, class Less>
void small_sort(T* first, T* last, Less less) {
  if constexpr (kCheapToMove<T>) {
    merge_sort_pieces(first, static_cast<std::size_t>(last - first), less);
  } else {
    binary_insertion_sort(first, last, less);
  }
}

}  // namespace blitz::detail
