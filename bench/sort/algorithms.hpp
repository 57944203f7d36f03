// Both sorts, written once: `fork(a, b)` calls a and b, perhaps at once, and returns when both are done.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "bench/sort/workload.hpp"

namespace bench {

/// The median of three numbers; of distinct ones, so that neither side of it can be empty.
inline std::uint64_t pivot_of(const std::uint64_t* first, const std::uint64_t* last) {
  std::array<std::uint64_t, 3> three{*first, first[(last - first) / 2], last[-1]};
  std::sort(three.begin(), three.end());
  return three[1];
}

/// Sorts numbers that are in the right part of `sorted` already.
template <class Fork>
void quicksort(Quicksort& work, std::uint64_t* first, std::uint64_t* last, const Fork& fork) {
  if (last - first <= Sort::kCutOff) {
    std::sort(first, last);
    work.record(first, last);
    return;
  }
  const std::uint64_t pivot = pivot_of(first, last);
  std::uint64_t* const middle = std::partition(first, last, [pivot](std::uint64_t x) { return x < pivot; });
  fork([&, first, middle] { quicksort(work, first, middle, fork); },
       [&, middle, last] { quicksort(work, middle, last, fork); });
}

/// The first partition brings the numbers from the input to their part of `sorted`.
template <class Fork>
void quicksort(Quicksort& work, const Fork& fork) {
  std::uint64_t* const first = work.sorted.data();
  std::uint64_t* const last = first + work.sorted.size();
  const std::uint64_t pivot = pivot_of(work.input.data(), work.input.data() + work.input.size());
  const auto [middle, rest] = std::partition_copy(work.input.begin(), work.input.end(), first,
                                                  std::reverse_iterator(last), [pivot](auto x) { return x < pivot; });
  fork([&, m = middle] { quicksort(work, first, m, fork); }, [&, m = middle] { quicksort(work, m, last, fork); });
}

/// A piece of one of the two arrays, in order.
struct SortedRun {
  const std::uint64_t* first;
  const std::uint64_t* last;

  [[nodiscard]] std::ptrdiff_t size() const { return last - first; }
};

/// Merges two sorted runs by cutting the longer one in the middle. `final`: into the final place.
template <class Fork>
void merge_runs(Mergesort& work, SortedRun a, SortedRun b, std::uint64_t* out, bool final, const Fork& fork) {
  if (a.size() + b.size() <= 2 * Sort::kCutOff) {
    std::uint64_t* const end = std::merge(a.first, a.last, b.first, b.last, out);
    if (final) work.record(out, end);
    return;
  }
  if (a.size() < b.size()) std::swap(a, b);
  const std::uint64_t* const a_cut = a.first + a.size() / 2;
  const std::uint64_t* const b_cut = std::lower_bound(b.first, b.last, *a_cut);
  std::uint64_t* const out_cut = out + (a_cut - a.first) + (b_cut - b.first);
  fork(
      [&, a, b, out] {
        merge_runs(work, {a.first, a_cut}, {b.first, b_cut}, out, final, fork);
      },
      [&, a, b, out_cut] {
        merge_runs(work, {a_cut, a.last}, {b_cut, b.last}, out_cut, final, fork);
      });
}

/// Sorts the numbers of the input between two places into the same places of `to`; `other` is scratch.
template <class Fork>
void mergesort(Mergesort& work, std::size_t first, std::size_t last, Numbers& to, Numbers& other, bool final,
               const Fork& fork) {
  std::uint64_t* const out = to.data() + first;
  if (static_cast<std::ptrdiff_t>(last - first) <= Sort::kCutOff) {
    std::sort(out, std::copy(work.input.data() + first, work.input.data() + last, out));
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  fork([&, first, middle] { mergesort(work, first, middle, other, to, false, fork); },
       [&, middle, last] { mergesort(work, middle, last, other, to, false, fork); });
  const std::uint64_t* const from = other.data();
  merge_runs(work, {from + first, from + middle}, {from + middle, from + last}, out, final, fork);
}

template <class Fork>
void mergesort(Mergesort& work, const Fork& fork) {
  mergesort(work, 0, work.sorted.size(), work.sorted, work.other, true, fork);
}

}  // namespace bench
