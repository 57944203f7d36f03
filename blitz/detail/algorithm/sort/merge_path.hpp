/// @file
/// Merge of two sorted ranges on several threads: co-ranking cuts the output into equal parts, and each part is an independent
/// merge.
///
/// Complexity for n items on p threads: work T1 = O(n + c log n) for the merge and c <= min(4 p, 512) cuts; span
/// O(n / c + log p log n): a part, and a task of eight cuts. One thread compares c numbers.
///
/// Source: C. Siebert, J. L. Träff: Perfectly Load-Balanced, Optimal, Stable, Parallel Merge, 2013.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/sort/merge_kernels.hpp"
#include "blitz/detail/algorithm/sort/parts.hpp"

namespace blitz::detail {

/// Merges a[0..na) and b[0..nb) to `out`; see merge_serial(). `parts`: see part_count(). If it throws, some items have been
/// merged and others have not.
template <class A, class B, class O, class Less, class Put>
void merge_parallel(const AlgorithmOptions& options, std::size_t parts, A a, std::size_t na, B b, std::size_t nb, O out,
                    Less less, Put put) {
  if (parts == 1) return static_cast<void>(merge_serial(a, na, b, nb, out, less, put));
  const std::size_t n = na + nb;
  // A task makes its cuts from left to right, each in the rest after the previous one.
  std::array<std::size_t, kMostParts + 1> cuts;
  for_parts(options, parts, cut_tasks(parts), [&](std::size_t, std::size_t part, std::size_t end) {
    std::size_t done = 0;
    std::size_t done_a = 0;
    for (; part != end; ++part) {
      const std::size_t rank = part_begin(n, parts, part);
      const std::size_t done_b = done - done_a;
      done_a += co_rank(rank - done, at(a, done_a), na - done_a, at(b, done_b), nb - done_b, less);
      cuts[part] = done_a;
      done = rank;
    }
  });
  // Neither side of a part ends before it begins, for any results of a comparison.
  for (std::size_t part = 1; part != parts; ++part) {
    const std::size_t size = part_begin(n, parts, part) - part_begin(n, parts, part - 1);
    cuts[part] = std::clamp(cuts[part], cuts[part - 1], cuts[part - 1] + size);
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
