/// @file
/// Detection of runs: items that are already in order, or in the opposite order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/permute.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/sort/small_sort.hpp"

namespace blitz::detail {

/// The first i of [from, to) with `wrong(i)`, or `to`. Tests eight positions at a time without branches in between.
template <class Wrong>
std::size_t find_wrong(std::size_t from, std::size_t to, Wrong wrong) {
  constexpr std::size_t kGroup = 8;
  for (; to - from >= kGroup; from += kGroup) {
    bool any = false;
    for (std::size_t k = 0; k != kGroup; ++k) any |= static_cast<bool>(wrong(from + k));
    if (any) break;
  }
  while (from != to && !wrong(from)) ++from;
  return from;
}

/// The run at the front of n > 1 items: its length, and whether it is in the opposite order.
struct FrontRun {
  std::size_t size;
  bool reversed;
};

/// One thread reads this many items of a run. Several threads search the rest.
inline constexpr std::size_t kSerialRun = 4096;
/// The corresponding length for runs in the opposite order, which will be reversed. Fewer items fit into a processor's own
/// cache, and writing to cache lines that another thread has read takes longer than reading all of them on one thread.
template <class T>
inline constexpr std::size_t kSerialReversal = kCheapToMove<T> ? (std::size_t{1} << 20) / sizeof(T) : kSerialRun;

/// Fewer items than this are not sampled.
inline constexpr std::size_t kLeastPresorted = 64;

/// Whether item i ends the run of the items before it. The run is in the opposite order if kReversed. If kStable, equal items
/// end a run in the opposite order.
template <bool kReversed, bool kStable, class T, class Less>
struct IsWrong {
  bool operator()(std::size_t i) const {
    if constexpr (!kReversed) {
      return less(items[i], items[i - 1]);
    } else {
      return kStable ? !less(items[i], items[i - 1]) : less(items[i - 1], items[i]);
    }
  }
  T* items;
  const Less& less;
};

/// Adapts find_wrong(), starting at `begin`, to find_first().
template <class Wrong>
struct WrongFrom {
  LoopIndex operator()(LoopIndex from, LoopIndex to) const {
    return static_cast<LoopIndex>(find_wrong(from + begin, to + begin, wrong)) - begin;
  }
  const Wrong& wrong;
  std::size_t begin;
};

/// The first position of [1, n) with `wrong(position)`, or n.
template <class Wrong>
std::size_t first_wrong(const AlgorithmOptions& options, std::size_t n, std::size_t serial_run, const Wrong& wrong) {
  const std::size_t serial = std::min(n, serial_run);
  const std::size_t found = find_wrong(1, serial, wrong);
  if (found != serial || serial == n) return found;
  return serial + find_first(options, n - serial, kSerialRun, WrongFrom<Wrong>{wrong, serial});
}

template <bool kStable, class T, class Less>
FrontRun front_run(const AlgorithmOptions& options, T* items, std::size_t n, Less less) {
  if (less(items[1], items[0]))
    return {first_wrong(options, n, kSerialReversal<T>, IsWrong<true, kStable, T, Less>{items, less}), true};
  return {first_wrong(options, n, kSerialRun, IsWrong<false, kStable, T, Less>{items, less}), false};
}

/// The minimum length of a run, among n items, that is worth a merge.
template <class T>
[[nodiscard]] std::size_t long_run(std::size_t n) noexcept {
  return std::max(n / 64, static_cast<std::size_t>(kSmallSort<T>) + 1);
}

/// Whether a run of `wanted` items starts in the middle of n items.
template <bool kStable, class T, class Less>
[[nodiscard]] bool has_run_in_middle(const AlgorithmOptions& options, T* items, std::size_t n, std::size_t wanted,
                                     Less less) {
  return n / 2 > wanted && front_run<kStable>(options, items + n / 2, wanted, less).size == wanted;
}

/// Whether most of n items seem to be in order, or in the opposite order if `descending`. Compares a few items that are far
/// from each other. The probability of true for random items is 1 / 700, for 1024 or more items 1 / 20,000.
template <class T, class Less>
bool look_ascending(T* items, std::size_t n, bool descending, Less less) {
  if (n < kLeastPresorted) return false;
  const std::size_t steps = n < 1024 ? 8 : 16;
  const std::size_t stride = n / (steps + 1);
  std::size_t wrong = 0;
  for (T* item = items + stride; item <= items + steps * stride; item += stride) {
    T* const low = descending ? item : item - stride;
    T* const high = descending ? item - stride : item;
    wrong += static_cast<bool>(less(*high, *low));
  }
  return wrong <= steps / 5;
}

template <class T>
void reverse_items(const AlgorithmOptions& options, T* items, std::size_t n) {
  if (n <= kSerialReversal<T>) {
    std::reverse(items, items + n);
  } else {
    Reverse::run(options, items, n);
  }
}

}  // namespace blitz::detail
