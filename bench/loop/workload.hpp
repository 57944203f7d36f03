// A loop of a few cheap items, called over and over by the main thread: what a call costs that is hardly worth being
// parallel, and how much its time varies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/harness/workload.hpp"

namespace bench {

template <std::size_t Items>
struct Loop : Workload {
  static constexpr Spec spec{.name = Items == 2 ? "loop_2" : "loop_1000",
                             .title = Items == 2 ? "a loop of 2 cheap items, hot, called from main"
                                                 : "a loop of 1000 cheap items, hot, called from main",
                             .unit_of_work = "call",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::single_calls};
  static_assert(Items == 2 || Items == 1000);

  explicit Loop(Scale) : visits(Items) {}

  void reset() override { std::fill(visits.begin(), visits.end(), 0u); }
  bool check(std::size_t runs) const override {
    return std::all_of(visits.begin(), visits.end(), [runs](std::uint32_t v) { return v == runs; });
  }

  static constexpr std::size_t size = Items;
  std::vector<std::uint32_t> visits;
};

}  // namespace bench
