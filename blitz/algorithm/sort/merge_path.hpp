/// @file
/// Merging two sorted ranges on several threads: by co-ranking the output is cut into equal parts, and each part is a merge of
/// its own.
///
/// Source: C. Siebert, J. L. Traff: Perfectly Load-Balanced, Optimal, Stable, Parallel Merge, 2013.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>

#include "blitz/algorithm/blocks.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/sort/merge_kernels.hpp"
#include "blitz/base/export.hpp"

namespace blitz::detail {

inline constexpr std::size_t kMostParts = 128;

/// Into how many parts `n` items are cut for that many threads, each of `least` items or more.
[[nodiscard]] constexpr std::size_t part_count(std::size_t n, std::size_t threads, std::size_t least) noexcept {
  constexpr std::size_t kPartsOfThread = 4;  // so that a thread that comes late finds some left
  return std::clamp<std::size_t>(n / least, 1, threads == 1 ? 1 : std::min(kMostParts, threads * kPartsOfThread));
}

/// Where part `part` of `parts` begins, of n items.
[[nodiscard]] constexpr std::size_t part_begin(std::size_t n, std::size_t parts, std::size_t part) noexcept {
  return n / parts * part + std::min(part, n % parts);
}

/// A function of a part of some items: which part it is, where it begins, and where it ends.
struct PartCall {
  void operator()(std::size_t part, std::size_t begin, std::size_t end) const { call(f, part, begin, end); }

  void (*call)(const void* f, std::size_t part, std::size_t begin, std::size_t end);
  const void* f;
};

/// See for_parts, all of which share it.
BLITZ_API void call_for_parts(const AlgorithmOptions& options, std::size_t n, std::size_t parts, PartCall f);

/// Calls `f(part, begin, end)` for each part of n items. If the pool has no memory for a loop, the calling thread runs the
/// parts that are left. Throws Stopped, and what `f` throws.
template <class F>
void for_parts(const AlgorithmOptions& options, std::size_t n, std::size_t parts, const F& f) {
  const auto call = [](const void* its_f, std::size_t part, std::size_t begin, std::size_t end) {
    (*static_cast<const F*>(its_f))(part, begin, end);
  };
  call_for_parts(options, n, parts, {call, std::addressof(f)});
}

/// Merges a[0..na) and b[0..nb) to `out`; see merge_serial. `parts`: see part_count. When it throws, some items were merged and
/// others were not.
template <class A, class B, class O, class Less, class Put>
void merge_parallel(const AlgorithmOptions& options, std::size_t parts, A a, std::size_t na, B b, std::size_t nb, O out,
                    Less less, Put put) {
  if (parts == 1) return static_cast<void>(merge_serial(a, na, b, nb, out, less, put));
  const std::size_t n = na + nb;
  // The cuts are made from left to right, each in what is left: so no part begins before the one to its left ends, whatever a
  // comparison returns.
  std::array<std::size_t, kMostParts + 1> cuts;
  cuts[0] = 0;
  for (std::size_t part = 1; part != parts; ++part) {
    const std::size_t done = part_begin(n, parts, part - 1);
    const std::size_t done_a = cuts[part - 1];
    const std::size_t done_b = done - done_a;
    cuts[part] = done_a + co_rank(part_begin(n, parts, part) - done, at(a, done_a), na - done_a, at(b, done_b),
                                  nb - done_b, less);
  }
  cuts[parts] = na;
  for_parts(options, n, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
    const std::size_t begin_a = cuts[part];
    const std::size_t end_a = cuts[part + 1];
    merge_serial(at(a, begin_a), end_a - begin_a, at(b, begin - begin_a), end - end_a - (begin - begin_a),
                 at(out, begin), less, put);
  });
}

}  // namespace blitz::detail
