/// @file
/// Sorts of nearly sorted items on one thread, for items that are cheap to move. A few items far from their places are taken
/// out, sorted, and put back. Items near their places are sorted by insertion. Stable on request.
///
/// If k of n items must be removed to leave a sorted rest, that takes n + O(k log n) comparisons and two moves per item. An
/// insertion sort takes a comparison and a move for each pair in the wrong order. All places are counted, so an inconsistent
/// comparison leaves a permutation.
///
/// Source: C. R. Cook, D. J. Kim: Best Sorting Algorithm for Nearly Sorted Lists, 1980.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/algorithm/sort/merge_kernels.hpp"
#include "blitz/detail/algorithm/sort/parts.hpp"
#include "blitz/detail/algorithm/sort/patterns.hpp"
#include "blitz/detail/algorithm/sort/quicksort.hpp"
#include "blitz/detail/algorithm/sort/small_sort.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// Returns the first position in [from, to) with `behind(position)`, or `to`. `behind` must be true for all positions after one
/// with that result. Takes O(log d) calls if the position is d after `from`.
template <class Behind>
std::size_t gallop(std::size_t from, std::size_t to, Behind behind) {
  for (std::size_t step = 1; step <= to - from; step *= 2) {
    if (behind(from + step - 1)) {
      to = from + step - 1;
      break;
    }
    from += step;
  }
  while (from != to) {
    const std::size_t middle = from + (to - from) / 2;
    if (behind(middle)) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

/// Sorts n items. Stable. `scratch` must have room for n items.
template <class T, class Less>
void merge_sort(T* items, std::size_t n, T* scratch, Less less) {
  if (n <= 12) return binary_insertion_sort(items, items + n, less);
  const std::size_t middle = n / 2;
  merge_sort(items, middle, scratch, less);
  merge_sort(items + middle, n - middle, scratch, less);
  std::uninitialized_move_n(items, n, scratch);
  try {
    merge_serial(scratch, middle, scratch + middle, n - middle, items, less, ConstructMoved{});
  } catch (...) {
    std::move(scratch, scratch + n, items);
    throw;
  }
}

/// Sorts items if few are displaced: call find(), and if it returns true, sort(). If kStable, equal items keep their order.
template <class T, class Less, bool kStable>
class FewDisplaced {
 public:
  /// If `reversed`, the items have been reversed, so equal items are in the opposite of their original order.
  FewDisplaced(Less less, bool reversed) : less_(less), reversed_(kStable && reversed) {}

  /// Searches a sorted subsequence of the n items that leaves out few items. The first `run` items, at least 1 and fewer than
  /// n, are in order. Returns false if there is no such subsequence, or if the allocation of memory fails.
  ///
  /// Reads the items from the front, and keeps each item that is in order with the last kept one. Otherwise one of the two is
  /// displaced: the last kept item is dropped, and the new item too unless it is in order with the kept item before. So at most
  /// twice as many items are dropped as necessary.
  bool find(T* items, std::size_t n, std::size_t run) {
    // Beyond these limits, quicksort or stable quicksort is as fast.
    constexpr std::size_t kShare = kStable ? 4 : 3;  // at most 1 / kShare of the items are dropped,
    constexpr std::size_t kFew = 16;                 // and a few more,
    constexpr std::size_t kWindow = 1024;            // and at most half of kWindow consecutive items
    // The stretches take no more memory than the items, if the items take more bytes than this.
    constexpr std::size_t kSmall = std::size_t{1} << 24;
    const std::size_t most = std::min(n / kShare, std::max(n * sizeof(T), kSmall) / sizeof(Stretch)) + kFew;
    // One stretch that is never removed, the first one, and one after each dropped item. One dropped item too many is possible.
    kept_ = Scratch<Stretch>(2 + most + 1, std::nothrow);
    if (kept_.data() == nullptr) return false;
    Stretch* top = kept_.data();
    const auto push = [&](std::size_t i) { std::construct_at(++top, Stretch{i, i + 1}); };
    std::construct_at(top, Stretch{0, 0});
    std::size_t dropped = 0;
    std::size_t window = 0;          // the beginning of the latest window
    std::size_t dropped_before = 0;  // the number of items dropped before it
    push(0);
    top->end = run;
    for (std::size_t i = run; i != n;) {
      if (top->end == i) {
        i = top->end = reversed_ ? find_wrong(i, n, [&](std::size_t k) { return !less_(items[k - 1], items[k]); })
                                 : find_wrong(i, n, [&](std::size_t k) { return less_(items[k], items[k - 1]); });
        if (i == n) break;
      } else if (!belongs_before(items[i], items[top->end - 1])) {
        push(i++);
        continue;
      }
      // Item i belongs before the last kept item.
      ++dropped;
      if (--top->end == top->begin) --top;
      if (top->end == 0 || !belongs_before(items[i], items[top->end - 1])) {
        push(i);
      } else {
        ++dropped;
      }
      ++i;
      if (dropped > std::min(kFew + i / kShare, most) || dropped - dropped_before > kWindow / 2) return false;
      if (i - window >= kWindow) {
        window = i;
        dropped_before = dropped;
      }
    }
    stretches_ = static_cast<std::size_t>(top - kept_.data()) + 1;
    count_ = n - dropped;
    displaced_ = Scratch<Displaced>(kStable ? 2 * dropped : dropped, std::nothrow);
    return dropped == 0 || displaced_.data() != nullptr;
  }

  /// Sorts the n items that find() was called with. The result is in `home`; after an exception `home` contains the items in an
  /// unspecified order. `items` and `home` may be the same. `away` is scratch; it may be `items`, but not `home`.
  void sort(T* items, std::size_t n, T* away, T* home) {
    const std::size_t dropped = n - count_;
    take_out(items, n, away);
    Displaced* const out = displaced_.data();
    try {
      if constexpr (kStable) {
        if (reversed_) std::reverse(out, out + dropped);
        merge_sort(out, dropped, out + dropped, [this](Displaced& a, Displaced& b) { return less_(a.item, b.item); });
      } else {
        quicksort(out, out + dropped, less_);
      }
      put_back(away, home, dropped);
    } catch (...) {
      std::uninitialized_move_n(away, count_, home);
      for (std::size_t i = 0; i != dropped; ++i) std::construct_at(home + count_ + i, std::move(item_of(out[i])));
      throw;
    }
  }

 private:
  /// A range of consecutive kept items.
  struct Stretch {
    std::size_t begin;
    std::size_t end;
  };
  struct WithPlace {
    T item;
    std::size_t before;  // the number of kept items that were before it
  };
  using Displaced = std::conditional_t<kStable, WithPlace, T>;

  static T& item_of(Displaced& displaced) {
    if constexpr (kStable) {
      return displaced.item;
    } else {
      return displaced;
    }
  }

  /// Whether an item belongs before one that is before it.
  bool belongs_before(T& item, T& before) const { return reversed_ ? !less_(before, item) : less_(item, before); }

  /// Moves the kept items to `away`, and the others to displaced_, both in order.
  void take_out(T* items, std::size_t n, T* away) {
    std::size_t kept = 0;
    std::size_t from = 0;
    Displaced* out = displaced_.data();
    const auto drop_to = [&](std::size_t end) {
      for (; from != end; ++from) {
        if constexpr (kStable) {
          std::construct_at(out++, WithPlace{std::move(items[from]), kept});
        } else {
          std::construct_at(out++, std::move(items[from]));
        }
      }
    };
    for (Stretch* stretch = kept_.data(); stretch != kept_.data() + stretches_; ++stretch) {
      drop_to(stretch->begin);
      std::move(items + from, items + stretch->end, away + kept);
      kept += stretch->end - from;
      from = stretch->end;
    }
    drop_to(n);
  }

  /// Merges both to `home`. If kStable, a kept and a displaced item that are equal keep their order, or exchange it if
  /// reversed_.
  void put_back(T* kept, T* home, std::size_t dropped) {
    std::size_t done = 0;
    const auto copy_to = [&](std::size_t end) {
      home = std::uninitialized_move(kept + done, kept + end, home);
      done = end;
    };
    for (Displaced* next = displaced_.data(); next != displaced_.data() + dropped; ++next) {
      T& item = item_of(*next);
      if constexpr (kStable) {
        const std::size_t before = next->before;
        copy_to(before > done && belongs_before(item, kept[before - 1])
                    ? gallop(done, before - 1, [&](std::size_t k) { return belongs_before(item, kept[k]); })
                    : gallop(std::max(done, before), count_,
                             [&](std::size_t k) { return !belongs_before(kept[k], item); }));
      } else {
        copy_to(gallop(done, count_, [&](std::size_t k) { return belongs_before(item, kept[k]); }));
      }
      std::construct_at(home++, std::move(item));
    }
    copy_to(count_);
  }

  Less less_;
  bool reversed_;
  Scratch<Stretch> kept_;
  Scratch<Displaced> displaced_;
  std::size_t stretches_ = 0;
  std::size_t count_ = 0;  // the number of kept items
};

/// Sorts n items that are near their places, by at most eight moves per item, and a few more. Returns false if more are needed.
template <class T, class Less>
bool try_insertion_sort(T* items, std::size_t n, Less less) {
  std::size_t moves_left = 64;
  for (T* next = items + 1; next < items + n; ++next) {
    moves_left += 8;
    if (!less(*next, next[-1])) continue;
    T* const least = next - std::min(moves_left, static_cast<std::size_t>(next - items));
    TakenItem<T> taken(next);
    do {
      *taken.place = std::move(taken.place[-1]);
      --taken.place;
    } while (taken.place != least && less(taken.value, taken.place[-1]));
    if (taken.place == least && least != items) return false;
    moves_left -= static_cast<std::size_t>(next - taken.place);
  }
  return true;
}

}  // namespace blitz::detail
