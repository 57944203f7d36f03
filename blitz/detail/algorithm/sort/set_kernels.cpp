#include "blitz/detail/algorithm/sort/set_kernels.hpp"

#include <algorithm>
#include <array>

#include "blitz/detail/base/atomic.hpp"

namespace blitz::detail {

namespace {

/// Part `part` of the cuts.
SetPart part_of(const SetCuts& cuts, std::size_t part) {
  const std::size_t i = cuts.first[part];
  const std::size_t j = cuts.second[part];
  return {i, cuts.first[part + 1] - i, j, cuts.second[part + 1] - j};
}

/// Cuts ranges of `na` and `nb` items into `parts` parts.
void make_cuts(const AlgorithmOptions& options, std::size_t na, std::size_t nb, CutFunction cut, SetCuts& cuts,
               std::size_t parts) {
  for_parts(options, parts, cut_tasks(parts),
            [&](std::size_t, std::size_t first, std::size_t last) { cut(cuts, parts, first, last); });
  // No part ends before it begins, for any results of a comparison.
  for (std::size_t part = 1; part != parts; ++part) {
    if (cuts.first[part] < cuts.first[part - 1] || cuts.second[part] < cuts.second[part - 1]) {
      cuts.first[part] = cuts.first[part - 1];
      cuts.second[part] = cuts.second[part - 1];
    }
  }
  cuts.first[parts] = na;
  cuts.second[parts] = nb;
}

}  // namespace

SetProgress write_sets(const AlgorithmOptions& options, std::size_t na, std::size_t nb, std::size_t room,
                       std::size_t grain, const SetFunctions& functions) {
  SetProgress progress{};
  throw_if_stopped(options);
  with_threads(options, na + nb, grain, [&](std::size_t threads) {
    const std::size_t pairs = std::min({part_count(na + nb, threads, grain), kMostParts / 2, (na + nb) / 2});
    if (pairs <= 1) {
      progress = functions.write({0, na, 0, nb}, 0, room);
      return;
    }
    const std::size_t parts = 2 * pairs;
    SetCuts cuts;
    make_cuts(options, na, nb, functions.cut, cuts, parts);
    std::array<std::size_t, kMostParts + 1> begins;  // the output position of each part
    for_parts(options, pairs, pairs, [&](std::size_t pair, std::size_t, std::size_t) {
      const std::size_t part = 2 * pair;
      const auto [left, right] = functions.run({part_of(cuts, part), part_of(cuts, part + 1)}, nullptr);
      begins[part + 1] = left;
      begins[part + 2] = right;
    });
    begins[0] = 0;
    for (std::size_t part = 0; part != parts; ++part) begins[part + 1] += begins[part];
    progress = {na, nb, std::min(begins[parts], room)};
    for_parts(options, pairs, pairs, [&](std::size_t pair, std::size_t, std::size_t) {
      const std::size_t first = 2 * pair;
      if (begins[first + 2] <= room) {
        functions.run({part_of(cuts, first), part_of(cuts, first + 1)}, begins.data() + first);
        return;
      }
      for (std::size_t part = first; part != first + 2 && begins[part] <= room; ++part) {
        const SetPart items = part_of(cuts, part);
        const bool fits = begins[part + 1] <= room;
        const SetProgress its = functions.write(items, begins[part], (fits ? begins[part + 1] : room) - begins[part]);
        // At most one part ends at an item that does not fit, and reports its progress.
        if (!fits) progress = {items.first + its.first, items.second + its.second, room};
      }
    });
  });
  return progress;
}

bool all_of_sets(const AlgorithmOptions& options, std::size_t na, std::size_t nb, std::size_t grain, CutFunction cut,
                 FunctionRef<bool(const SetPart& part)> test) {
  Atomic<bool> all{true};  // cleared by a part with a false test, read by each part before it starts
  throw_if_stopped(options);
  with_threads(options, na + nb, grain, [&](std::size_t threads) {
    const std::size_t parts = part_count(na + nb, threads, grain);
    SetCuts cuts;
    make_cuts(options, na, nb, cut, cuts, parts);
    for_parts(options, parts, parts, [&](std::size_t part, std::size_t, std::size_t) {
      // Relaxed, here and below: the end of the loop orders the write before the caller's read, and an old value only costs
      // needless work.
      if (all.load(std::memory_order_relaxed) && !test(part_of(cuts, part)))
        all.store(false, std::memory_order_relaxed);
    });
  });
  return all.load(std::memory_order_relaxed);
}

}  // namespace blitz::detail
