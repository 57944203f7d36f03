/// @file
/// Set operations on sorted ranges. The ranges are cut into parts that are processed in parallel.
///
/// Equal items are in the same part: item k of a run of equal items in the first range is paired with item k of the equal run
/// in the second range. Each part first counts the items that it will write, and then writes them to their places. With an
/// inconsistent comparison it may write fewer; reads and writes are within bounds and every loop ends for any results of a
/// comparison.
///
/// Complexity for n items on p threads: work T1 = O(n + c log n) for c <= min(4 p, 512) cuts; span O(n / c + log p log n) plus
/// the length of the longest run of equal items. One thread adds up c numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/sort/merge_kernels.hpp"
#include "blitz/detail/algorithm/sort/parts.hpp"
#include "blitz/detail/algorithm/sort/small_sort.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/function_ref.hpp"

namespace blitz::detail {

/// Which items a set operation writes: items that are only in the first range, items that are only in the second range, and
/// items in both ranges. The latter are taken from the first range.
struct SetItems {
  bool first;
  bool second;
  bool both;
};

/// The progress of a set operation: the number of items consumed of each range, and the number of items written.
struct SetProgress {
  std::size_t first;
  std::size_t second;
  std::size_t written;
};

/// Whether the operation writes the next item. It is only in the first range if `first`, only in the second range if `second`,
/// otherwise in both.
template <SetItems kItems>
[[nodiscard]] constexpr bool writes(bool first, bool second) noexcept {
  constexpr unsigned kTable = (kItems.both ? 1U : 0U) | (kItems.first ? 2U : 0U) | (kItems.second ? 4U : 0U);
  return (kTable >> (unsigned{first} | unsigned{second} << 1U) & 1U) != 0;
}

/// A part: the first position and the number of items in each range.
struct SetPart {
  std::size_t first;
  std::size_t first_size;
  std::size_t second;
  std::size_t second_size;
};

/// The number of items of a[0..na) and b[0..nb) that the operation writes.
template <SetItems kItems, class A, class B, class Less>
std::size_t count_set(A a, std::size_t na, B b, std::size_t nb, Less less) {
  const A a_end = at(a, na);
  const B b_end = at(b, nb);
  std::size_t count = 0;
  while (a != a_end && b != b_end) {
    const bool second = less(*b, *a);
    const bool first = !second && less.first_less(*a, *b);
    count += writes<kItems>(first, second);
    a += !second;
    b += !first;
  }
  if (kItems.first) count += static_cast<std::size_t>(a_end - a);
  if (kItems.second) count += static_cast<std::size_t>(b_end - b);
  return count;
}

/// Writes the result of the operation on a[0..na) and b[0..nb). Stops at the first item that does not fit into `room`.
template <SetItems kItems, class A, class B, class O, class Less>
[[gnu::noinline]] SetProgress write_set(A a, std::size_t na, B b, std::size_t nb, O out, std::size_t room, Less less) {
  const A a_begin = a;
  const B b_begin = b;
  const A a_end = at(a, na);
  const B b_end = at(b, nb);
  std::size_t written = 0;
  const auto progress = [&] {
    return SetProgress{static_cast<std::size_t>(a - a_begin), static_cast<std::size_t>(b - b_begin), written};
  };
  const auto write = [&](const auto& item) {
    if (written == room) return false;
    *out = *item;
    ++out;
    ++written;
    return true;
  };
  while (a != a_end && b != b_end) {
    if (less(*b, *a)) {
      if (kItems.second && !write(b)) return progress();
      ++b;
    } else if (less.first_less(*a, *b)) {
      if (kItems.first && !write(a)) return progress();
      ++a;
    } else {
      if (kItems.both && !write(a)) return progress();
      ++a;
      ++b;
    }
  }
  for (; kItems.first && a != a_end; ++a) {
    if (!write(a)) return progress();
  }
  for (; kItems.second && b != b_end; ++b) {
    if (!write(b)) return progress();
  }
  return {na, nb, written};
}

/// Runs the operation on two parts. The output of part i is [places[i], places[i + 1]). If `places` is null, nothing is
/// written, and the number of items that each part would write is returned.
template <SetItems kItems, class A, class B, class O, class Less>
std::array<std::size_t, 2> run_sets(A a, B b, const SetPart (&parts)[2], O out, const std::size_t* places, Less less) {
  std::array<std::size_t, 2> counts{};
  for (std::size_t i = 0; i != 2; ++i) {
    const auto [first, na, second, nb] = parts[i];
    if (places != nullptr) {
      write_set<kItems>(at(a, first), na, at(b, second), nb, at(out, places[i]), places[i + 1] - places[i], less);
    } else {
      counts[i] = count_set<kItems>(at(a, first), na, at(b, second), nb, less);
    }
  }
  return counts;
}

/// The state of the operation in a part. The next result belongs at `place`.
template <class T>
struct SetLane {
  SetLane(T* first, T* second, const SetPart& part, std::size_t its_place, std::size_t its_end)
      : a(first + part.first),
        a_end(a + part.first_size),
        b(second + part.second),
        b_end(b + part.second_size),
        place(its_place),
        end(its_end) {}

  /// The number of steps that stay within the ranges for any results of a comparison.
  [[nodiscard]] std::size_t free_steps() const {
    return std::min({static_cast<std::size_t>(a_end - a), static_cast<std::size_t>(b_end - b), end - place});
  }

  T* a;
  T* a_end;
  T* b;
  T* b_end;
  std::size_t place;
  std::size_t end;
};

/// run_sets() for items that are cheap to move. It takes a step in each part in turn, without branches on the items, until one
/// of the parts is at an end. A step in one part need not wait for the reads of the other. Each step writes to the next place,
/// and advances the place if the item belongs to the result. So the last place may be written several times, and no place after
/// it.
template <SetItems kItems, class T, class O, class Less>
  requires kCheapToMove<std::remove_const_t<T>>
std::array<std::size_t, 2> run_sets(T* a, T* b, const SetPart (&parts)[2], O* out, const std::size_t* places,
                                    Less less) {
  constexpr std::size_t kNoPlaces[] = {0, 0, std::numeric_limits<std::size_t>::max()};
  const bool write = places != nullptr;
  if (!write) places = kNoPlaces;
  const auto step = [less, out, write](SetLane<T>& lane) BLITZ_LAMBDA_INLINE {
    const bool second = less(*lane.b, *lane.a);
    const bool before = less.first_less(*lane.a, *lane.b);
    const bool first = before && !second;
    if (write) out[lane.place] = *(second ? lane.b : lane.a);
    lane.place += writes<kItems>(first, second);
    lane.a += !second;
    lane.b += !first;
  };
  SetLane<T> x(a, b, parts[0], places[0], write ? places[1] : places[2]);
  SetLane<T> y(a, b, parts[1], places[1], places[2]);
  while (std::size_t steps = std::min(x.free_steps(), y.free_steps())) {
    for (; steps != 0; --steps) {
      step(x);
      step(y);
    }
  }
  std::array<std::size_t, 2> counts{x.place, y.place};
  for (std::size_t i = 0; i != 2; ++i) {
    const SetLane<T>& lane = i == 0 ? x : y;
    const auto na = static_cast<std::size_t>(lane.a_end - lane.a);
    const auto nb = static_cast<std::size_t>(lane.b_end - lane.b);
    if (write) {
      write_set<kItems>(lane.a, na, lane.b, nb, out + lane.place, lane.end - lane.place, less);
    } else {
      counts[i] += count_set<kItems>(lane.a, na, lane.b, nb, less);
    }
  }
  return counts;
}

/// The beginnings of the parts in each range.
struct SetCuts {
  std::array<std::size_t, kMostParts + 1> first;
  std::array<std::size_t, kMostParts + 1> second;
};

/// Computes the cuts [first, last) of `parts` parts.
using CutFunction = FunctionRef<void(SetCuts& cuts, std::size_t parts, std::size_t first, std::size_t last)>;

/// The functions of a set operation. Several workers call `run` concurrently for different parts.
struct SetFunctions {
  CutFunction cut;
  /// See run_sets.
  FunctionRef<std::array<std::size_t, 2>(const SetPart (&parts)[2], const std::size_t* places)> run;
  /// Writes the result of a part to the output at `place`, at most `room` items. Returns the progress.
  FunctionRef<SetProgress(const SetPart& part, std::size_t place, std::size_t room)> write;
};

/// Runs a set operation on ranges of `na` and `nb` items, in tasks of two parts each. All parts count their results first, and
/// then write them to their places. Stops at the first item that does not fit into `room`. Throws Stopped.
BLITZ_API SetProgress write_sets(const AlgorithmOptions& options, std::size_t na, std::size_t nb, std::size_t room,
                                 std::size_t grain, const SetFunctions& functions);

/// Whether `test(part)` returns true for all parts. Throws Stopped.
BLITZ_API bool all_of_sets(const AlgorithmOptions& options, std::size_t na, std::size_t nb, std::size_t grain,
                           CutFunction cut, FunctionRef<bool(const SetPart& part)> test);

/// TwoProjections::first_less as a comparison.
template <class Less>
struct FirstLess {
  bool operator()(auto&& a, auto&& b) const { return less.first_less(a, b); }
  const Less& less;
};

/// The first position in [from, to) of an item that is not less than `key`, or `to`.
template <class I, class Key, class Less>
std::size_t first_not_less(const I& items, std::size_t from, std::size_t to, Key& key, const Less& less) {
  while (from != to) {
    const std::size_t middle = from + (to - from) / 2;
    if (less(*at(items, middle), key)) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

/// Cuts a[0..na) and b[0..nb) into `parts` parts of about the same size, but never between equal items. Like RunSets, a type
/// with a name: the name of a lambda contains the enclosing function.
template <class A, class B, class Less>
struct CutSets;

template <class A, class B, class C, class P1, class P2>
struct CutSets<A, B, TwoProjections<C, P1, P2>> {
  /// Computes the beginnings of the parts [part, end).
  void operator()(SetCuts& cuts, std::size_t parts, std::size_t part, std::size_t end) const {
    // Each cut is made in the rest after the previous one. So the cuts ascend for any results of a comparison.
    std::size_t i = 0;
    std::size_t j = 0;
    for (; part != end; ++part) {
      const std::size_t rank = part_begin(na + nb, parts, part);
      if (rank > i + j) {
        const std::size_t more = co_rank(rank - i - j, at(a, i), na - i, at(b, j), nb - j, less);
        const std::size_t next_i = i + more;
        const std::size_t next_j = rank - next_i;
        // Moves the cut back to the first item that is equal to the item at the cut.
        if (next_i != na && (next_j == nb || !less(*at(b, next_j), *at(a, next_i)))) {
          auto&& key = *at(a, next_i);
          i = first_not_less(a, i, next_i, key, TwoProjections<C, P1, P1>{less.comp, less.proj1, less.proj1});
          j = first_not_less(b, j, next_j, key, less);
        } else {
          auto&& key = *at(b, next_j);
          i = first_not_less(a, i, next_i, key, FirstLess<TwoProjections<C, P1, P2>>{less});
          j = first_not_less(b, j, next_j, key, TwoProjections<C, P2, P2>{less.comp, less.proj2, less.proj2});
        }
      }
      cuts.first[part] = i;
      cuts.second[part] = j;
    }
  }
  A a;
  std::size_t na;
  B b;
  std::size_t nb;
  TwoProjections<C, P1, P2> less;
};
template <class A, class B, class Less>
CutSets<A, B, Less> cut_sets(const A& a, std::size_t na, const B& b, std::size_t nb, const Less& less) {
  return {a, na, b, nb, less};
}

/// SetFunctions::run and write of an operation on the ranges at `a` and `b`.
template <SetItems kItems, class A, class B, class O, class Less>
struct RunSets {
  std::array<std::size_t, 2> operator()(const SetPart (&parts)[2], const std::size_t* places) const {
    return run_sets<kItems>(a, b, parts, to, places, less);
  }
  SetProgress operator()(const SetPart& part, std::size_t place, std::size_t room) const {
    return write_set<kItems>(at(a, part.first), part.first_size, at(b, part.second), part.second_size, at(to, place),
                             room, less);
  }
  A a;
  B b;
  O to;
  Less less;
};

/// Whether a[0..na) includes b[0..nb).
template <class A, class B, class Less>
bool includes_serial(A a, std::size_t na, B b, std::size_t nb, Less less) {
  const A a_end = at(a, na);
  const B b_end = at(b, nb);
  while (b != b_end) {
    if (a == a_end || less(*b, *a)) return false;
    if (!less.first_less(*a, *b)) ++b;
    ++a;
  }
  return true;
}

}  // namespace blitz::detail
