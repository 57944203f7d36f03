/// @file
/// What is sorted already, or the wrong way round.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "blitz/algorithm/blocks.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/permute.hpp"
#include "blitz/algorithm/sort/small_sort.hpp"

namespace blitz::detail {

/// The first i of [from, to) for which `wrong(i)`; `to` if there is none. Asks for eight at a time, without a branch
/// between them.
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

/// How many items at the front, of n > 1 at `items`, are in order, and whether in the opposite one.
struct FrontRun {
  std::size_t size;
  bool reversed;
};

/// One that is as long as this is looked at by several threads.
inline constexpr std::size_t kSerialRun = 4096;
/// The same of one in the opposite order, which will be reversed. Fewer items fit into a processor's own cache, and to write to
/// lines that another thread has read takes longer than to read them all.
template <class T>
inline constexpr std::size_t kSerialReversal = kCheapToMove<T> ? (std::size_t{1} << 20) / sizeof(T) : kSerialRun;

/// If kStable, equal items are not in the opposite order.
template <bool kStable = false, class T, class Less>
FrontRun front_run(const AlgorithmOptions& options, T* items, std::size_t n, Less less) {
  const auto measure = [&](std::size_t serial_run, auto wrong) -> std::size_t {
    const std::size_t serial = std::min(n, serial_run);
    const std::size_t found = find_wrong(1, serial, wrong);
    if (found != serial || serial == n) return found;
    const auto probe = [&](LoopIndex from, LoopIndex to) {
      return static_cast<LoopIndex>(find_wrong(from + serial, to + serial, wrong)) - serial;
    };
    return serial + find_first(options, n - serial, kSerialRun, probe);
  };
  if (less(items[1], items[0])) {
    return {
        measure(kSerialReversal<T>,
                [&](std::size_t i) { return kStable ? !less(items[i], items[i - 1]) : less(items[i - 1], items[i]); }),
        true};
  }
  return {measure(kSerialRun, [&](std::size_t i) { return less(items[i], items[i - 1]); }), false};
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
