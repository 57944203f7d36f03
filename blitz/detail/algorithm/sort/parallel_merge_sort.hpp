/// @file
/// A merge sort on several threads, for items that are cheap to move.
///
/// First it finds a run of items that are in order, or in the opposite order. If most items seem to be in order, a few
/// displaced items are taken out and put back. If too many are displaced, both halves are sorted in place, and only their
/// overlap is merged. A piece with a long run at the front or in the middle is cut in two; the halves are sorted in parallel
/// and merged. Another algorithm sorts the other pieces: radix sort, or quicksort for at most a thread's share of the items.
/// Merges are stable, so the sort is stable if the other algorithm is.
///
/// Complexity for n items on p threads: work T1 = O(n log n), span O(n log n / p + log n (log p)^2): the share of a thread, and
/// then log p merges of a part each; see merge_path.hpp.
#pragma once

#include <algorithm>
#include <cstddef>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/sort/displaced.hpp"
#include "blitz/detail/algorithm/sort/merge_path.hpp"
#include "blitz/detail/algorithm/sort/parts.hpp"
#include "blitz/detail/algorithm/sort/patterns.hpp"
#include "blitz/detail/algorithm/sort/stable_quicksort.hpp"
#include "blitz/detail/base/raw_memory.hpp"
#include "blitz/join.hpp"

namespace blitz::detail {

/// Decides when ParallelMergeSort merges, if a quicksort sorts the other pieces.
template <class T>
class QuicksortMerges {
 public:
  /// Whether to search for displaced items, and to merge the overlap of halves, if items look as if they were in order.
  static constexpr bool kMergesAscending = true;

  /// For n items on `threads` threads.
  QuicksortMerges(std::size_t n, std::size_t threads) : share_(n / threads + 1) {}

  /// The minimum length of a run, among n items, that is worth a merge.
  [[nodiscard]] static std::size_t long_run(std::size_t n) { return detail::long_run<T>(n); }
  /// Whether n items must be cut in two even without runs: a stable partition and the search for displaced items use one
  /// thread.
  [[nodiscard]] bool cuts(std::size_t n) const { return n > share_; }

 private:
  std::size_t share_;  // the number of items per thread
};

/// Adapts stable quicksort to ParallelMergeSort.
template <class T, class Less>
class ParallelStableQuicksort : public QuicksortMerges<T> {
 public:
  /// Whether equal items keep their order.
  static constexpr bool kStable = true;

  /// For n items, on a worker of a pool with `threads` threads. One thread sorts fewer than `grain` items.
  ParallelStableQuicksort(const AlgorithmOptions& options, std::size_t threads, std::size_t n, std::size_t grain,
                          Less less)
      : QuicksortMerges<T>(n, threads), options_(options), grain_(grain), less_(less) {}

  /// Sorts the n items at `items`; `other` is scratch. If it throws, `items` contains a permutation. Throws Stopped.
  void operator()(T* items, T* other, std::size_t n) const {
    sort(items, n, other, nullptr, depth_limit(static_cast<std::ptrdiff_t>(n)));
  }

 private:
  /// See stable_quicksort().
  void sort(T* first, std::size_t n, T* scratch, T* before, int limit) const {
    while (n > grain_ && limit > 0) {
      --limit;
      throw_if_stopped(options_);
      PivotCopy<T> pivot(*choose_pivot(first, first + n, less_));
      const auto [front, equal] = stable_cut(first, n, scratch, before, pivot.value, less_);
      if (!equal) {
        join([&, this] { sort(first, front, scratch, before, limit); },
             [&, this] { sort(first + front, n - front, scratch + front, &pivot.value, limit); });
        return;
      }
      first += front;
      n -= front;
      before = nullptr;
    }
    stable_quicksort(first, n, scratch, before, limit, less_);
  }

  const AlgorithmOptions& options_;
  std::size_t grain_;
  Less less_;
};

/// Among fewer items, displaced items are not searched for.
inline constexpr std::size_t kLeastDisplaced = 256;

/// `Other` sorts items without long runs; see ParallelStableQuicksort.
template <class T, class Less, class Other>
class ParallelMergeSort {
 public:
  /// Must be used on a worker of a pool with `threads` threads. One thread sorts fewer than `grain` items.
  ParallelMergeSort(const AlgorithmOptions& options, std::size_t threads, std::size_t grain, Less less, Other other)
      : options_(options), threads_(threads), grain_(grain), less_(less), other_(other) {}

  /// Sorts the n items at `items`. The result is in `other` if `into_other`, otherwise in `items`; the other array is scratch.
  /// If it throws, the destination contains the items in an unspecified order. Throws Stopped.
  void sort(T* items, T* other, std::size_t n, bool into_other) const {
    T* const home = into_other ? other : items;
    T* const away = into_other ? items : other;
    T* at = items;  // the place of the items if a comparison throws
    try {
      throw_if_stopped(options_);
      FrontRun run = n < 2 ? FrontRun{n, false} : front_run<Other::kStable>(here_, items, n, less_);
      const std::size_t long_run = other_.long_run(n);
      const bool begins_sorted = run.size == n || (run.size >= long_run && run.size >= n / 2);
      if (begins_sorted && run.reversed) {
        reverse_items(here_, items, run.size);
        run.reversed = false;
      }
      if (run.size == n) {
        // All items are in order.
      } else if (sort_ascending(items, other, n, run, home, at)) {
        if (at == home) return;
      } else if (begins_sorted || other_.cuts(n) || run.size >= long_run ||
                 has_run_in_middle<Other::kStable>(here_, items, n, long_run, less_)) {
        const std::size_t middle = begins_sorted ? run.size : n / 2;
        sort_halves(items, other, middle, n, begins_sorted, !into_other, at);
        merge_parallel(options_, part_count(n, threads_, grain_), away, middle, away + middle, n - middle, home, less_,
                       ConstructMoved{});
        return;
      } else {
        other_(items, other, n);
      }
    } catch (...) {
      if (at != home) move_all(at, home, n);
      throw;
    }
    if (into_other) move_all(items, other, n);
  }

 private:
  /// Sorts the n items at `items` if most of them seem to be in order; `other` is scratch. `run`: the run at the front, fewer
  /// than n items. Afterwards, and after an exception, the items are at `at`: in `items`, or in `home`, which is `items` or
  /// `other`. Returns false if it has not sorted them: most are not in order, or merging long runs takes fewer moves.
  bool sort_ascending(T* items, T* other, std::size_t n, FrontRun run, T* home, T*& at) const {
    if constexpr (!Other::kMergesAscending) {
      return false;
    } else {
      const bool descending = look_ascending(items, n, true, less_);
      if (!descending && !look_ascending(items, n, false, less_)) return false;
      if (!other_.cuts(n) && n >= kLeastDisplaced) {
        if (descending) std::reverse(items, items + n);
        if (FewDisplaced<T, Less, Other::kStable> displaced(less_, descending);
            displaced.find(items, n, descending || run.reversed ? 1 : run.size)) {
          at = home;
          displaced.sort(items, n, home == items ? other : items, home);
          return true;
        }
        if (descending) std::reverse(items, items + n);
      }
      const std::size_t wanted = std::max(n / 8, other_.long_run(n));
      if (descending || run.size >= wanted || has_run_in_middle<Other::kStable>(here_, items, n, wanted, less_))
        return false;
      if (!other_.cuts(n) && try_insertion_sort(items, n, less_)) return true;
      const std::size_t middle = n / 2;
      sort_halves(items, other, middle, n, false, false, at);
      merge_overlap(items, other, middle, n);
      return true;
    }
  }

  /// Merges the sorted items[0..middle) and items[middle..n), except items that are already in place. `other` is scratch.
  void merge_overlap(T* items, T* other, std::size_t middle, std::size_t n) const {
    T* const right = items + middle;
    const std::size_t from_left = gallop(0, middle, [&](std::size_t k) { return !less_(right[0], *(right - 1 - k)); });
    if (from_left == 0) return;
    const std::size_t from_right = gallop(0, n - middle, [&](std::size_t k) { return !less_(right[k], right[-1]); });
    const std::size_t begin = middle - from_left;
    const std::size_t size = from_left + from_right;
    move_all(items + begin, other + begin, size);
    try {
      merge_parallel(options_, part_count(size, threads_, grain_), other + begin, from_left, other + middle, from_right,
                     items + begin, less_, ConstructMoved{});
    } catch (...) {
      move_all(other + begin, items + begin, size);
      throw;
    }
  }

  /// Sorts items[0..middle), which may be sorted already, and items[middle..n). Afterwards, and after an exception, they are in
  /// `other` if `into_other`, otherwise in `items`. Sets `at` to that place.
  void sort_halves(T* items, T* other, std::size_t middle, std::size_t n, bool left_is_sorted, bool into_other,
                   T*& at) const {
    const auto left = [&] {
      at = into_other ? other : items;  // also after an exception: both halves always move to that place
      if (!left_is_sorted) {
        sort(items, other, middle, into_other);
      } else if (into_other) {
        move_all(items, other, middle);
      }
    };
    const auto right = [&] { sort(items + middle, other + middle, n - middle, into_other); };
    if (n > grain_) {
      join(left, right);
    } else {
      try {
        left();
      } catch (...) {
        right();
        throw;
      }
      right();
    }
  }

  /// Moves n items. The sources remain valid copies.
  void move_all(T* from, T* to, std::size_t n) const noexcept {
    for_parts(here_, n, part_count(n, threads_, grain_), [&](std::size_t, std::size_t begin, std::size_t end) {
      std::uninitialized_move(from + begin, from + end, to + begin);
    });
  }

  const AlgorithmOptions& options_;
  const AlgorithmOptions here_{.pool = options_.pool};  // without a stop token
  std::size_t threads_;
  std::size_t grain_;
  Less less_;
  Other other_;
};

}  // namespace blitz::detail
