#include "blitz/detail/algorithm/sort/parallel_partition.hpp"

#include <algorithm>
#include <array>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/sort/parts.hpp"

namespace blitz::detail {

std::size_t parallel_partition(const AlgorithmOptions& options, std::size_t n, std::size_t parts,
                               FunctionRef<std::size_t(std::size_t begin, std::size_t end)> partition,
                               FunctionRef<void(std::size_t a, std::size_t b, std::size_t size)> swap) {
  parts = std::min(parts, kMostPartitionParts);
  struct Run {
    std::size_t begin;  // at first, the middle of a part
    std::size_t size;
  };
  std::array<Run, kMostPartitionParts> runs;
  for_blocks({.stop = options.stop, .pool = options.pool}, parts, 1, [&](LoopIndex part, LoopIndex last) {
    for (; part != last; ++part)
      runs[part].begin = partition(part_begin(n, parts, part), part_begin(n, parts, part + 1));
  });
  throw_if_stopped(options);

  std::size_t boundary = 0;
  for (std::size_t part = 0; part != parts; ++part) boundary += runs[part].begin - part_begin(n, parts, part);
  // The runs of misplaced items, in order: first those on the left of the boundary. Each part has at most one, so no run
  // overwrites a part that has not been read.
  std::size_t lefts = 0;
  std::size_t count = 0;
  std::size_t wrong = 0;  // the number of misplaced items on the left
  for (std::size_t part = 0; part != parts; ++part) {
    const std::size_t middle = runs[part].begin;
    if (const std::size_t to = std::min(part_begin(n, parts, part + 1), boundary); middle < to) {
      runs[count++] = {middle, to - middle};
      lefts = count;
      wrong += to - middle;
    } else if (const std::size_t from = std::max(part_begin(n, parts, part), boundary); from < middle) {
      runs[count++] = {from, middle - from};
    }
  }
  const std::size_t least_swaps =
      std::max<std::size_t>(4096, 32 * parts);  // far more than the search for the first run takes
  for_blocks({.pool = options.pool}, wrong, least_swaps, [&](LoopIndex from, LoopIndex to) {
    const Run* a = runs.data();
    const Run* b = runs.data() + lefts;
    std::size_t at_a = from;
    std::size_t at_b = from;
    for (; at_a >= a->size; ++a) at_a -= a->size;
    for (; at_b >= b->size; ++b) at_b -= b->size;
    for (std::size_t left_over = to - from; left_over != 0;) {
      const std::size_t size = std::min({left_over, a->size - at_a, b->size - at_b});
      swap(a->begin + at_a, b->begin + at_b, size);
      left_over -= size;
      if ((at_a += size) == a->size) ++a, at_a = 0;
      if ((at_b += size) == b->size) ++b, at_b = 0;
    }
  });
  return boundary;
}

}  // namespace blitz::detail
