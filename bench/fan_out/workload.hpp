// A few bodies with nothing to do, started together by the main thread and waited for: what it costs to fork and join,
// while the threads are at it all the time, and after an idle gap, when they sleep and a caller who wakes them pays.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "bench/harness/workload.hpp"

namespace bench {

template <bool Cold>
struct FanOut : Workload {
  static constexpr Spec spec{
      .name = Cold ? "fan_out_cold" : "fan_out",
      .title = Cold ? "64 empty bodies, called from main after 20 ms idle" : "64 empty bodies, hot, called from main",
      .unit_of_work = "call",
      .metric = Cold ? Metric::microseconds : Metric::nanoseconds,
      .timing = Cold ? Timing::wake : Timing::single_calls};

  explicit FanOut(Scale) {}

  void reset() override { visits.fill(0); }
  bool check(std::size_t runs) const override {
    return std::all_of(visits.begin(), visits.end(), [runs](std::uint32_t v) { return v == runs; });
  }

  /// Empty but for a count. A call of its own: 64 of them are not to become a few vector instructions.
  BENCH_NOINLINE static void body(std::uint32_t& count) { ++count; }

  std::array<std::uint32_t, 64> visits{};
};

}  // namespace bench
