#include "blitz/algorithm/sort/set_kernels.hpp"

#include <algorithm>
#include <array>

#include "blitz/base/atomic.hpp"

namespace blitz::detail {

namespace {

/// Calls `f(part, items)` for each part, side by side.
template <class F>
void for_each_part(const AlgorithmOptions& options, const SetCuts& cuts, std::size_t parts, const F& f) {
  for_parts(options, parts, parts, [&](std::size_t part, std::size_t, std::size_t) {
    const std::size_t i = cuts.first[part];
    const std::size_t j = cuts.second[part];
    f(part, {i, cuts.first[part + 1] - i, j, cuts.second[part + 1] - j});
  });
}

}  // namespace

SetProgress write_sets(const AlgorithmOptions& options, std::size_t na, std::size_t nb, std::size_t room,
                       std::size_t grain, const SetFunctions& functions) {
  SetProgress progress{};
  throw_if_stopped(options);
  with_threads(options, na + nb, grain, [&](std::size_t threads) {
    const std::size_t parts = part_count(na + nb, threads, grain);
    if (parts == 1) {
      progress = functions.write({0, na, 0, nb}, 0, room, false);
      return;
    }
    SetCuts cuts;
    functions.cut(cuts, parts);
    std::array<std::size_t, kMostParts + 1> begins;  // where each part writes to
    for_each_part(options, cuts, parts,
                  [&](std::size_t part, const SetPart& items) { begins[part + 1] = functions.count(items); });
    begins[0] = 0;
    for (std::size_t part = 0; part != parts; ++part) begins[part + 1] += begins[part];
    progress = {na, nb, std::min(begins[parts], room)};
    for_each_part(options, cuts, parts, [&](std::size_t part, const SetPart& items) {
      const std::size_t begin = begins[part];
      if (begin > room) return;
      const bool fits = begins[part + 1] <= room;
      const SetProgress its = functions.write(items, begin, fits ? begins[part + 1] - begin : room - begin, fits);
      // One part at most ends at an item that does not fit, and says how far it came.
      if (!fits) progress = {items.first + its.first, items.second + its.second, room};
    });
  });
  return progress;
}

bool all_of_sets(const AlgorithmOptions& options, std::size_t na, std::size_t nb, std::size_t grain, CutSets cut,
                 FunctionRef<bool(const SetPart& part)> test) {
  Atomic<bool> all{true};  // cleared by a part for which it does not hold, read by each before it begins
  throw_if_stopped(options);
  with_threads(options, na + nb, grain, [&](std::size_t threads) {
    const std::size_t parts = part_count(na + nb, threads, grain);
    SetCuts cuts;
    cuts.first[0] = 0;
    cuts.second[0] = 0;
    cuts.first[1] = na;
    cuts.second[1] = nb;
    if (parts > 1) cut(cuts, parts);
    for_each_part(options, cuts, parts, [&](std::size_t, const SetPart& items) {
      // Relaxed, here and below: the end of the loop orders the write before the caller's read, and an old value costs needless
      // work and no more.
      if (all.load(std::memory_order_relaxed) && !test(items)) all.store(false, std::memory_order_relaxed);
    });
  });
  return all.load(std::memory_order_relaxed);
}

}  // namespace blitz::detail
