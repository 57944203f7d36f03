// A million small tasks spawned one after the other by one thread into a group, which is then waited for: the cost of
// making a task, queueing it, running it and freeing it.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/harness/workload.hpp"

namespace bench {

struct Spawn : Workload {
  static constexpr Spec spec{.name = "spawn",
                             .title = "many tasks spawned into one scope, each adds one to a counter of its own",
                             .unit_of_work = "task",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs};

  explicit Spawn(Scale scale) : counters(pick<std::size_t>(scale, 1'000'000, 250'000, 2'000)) {}

  void reset() override { counters.assign(counters.size(), 0); }
  bool check(std::size_t runs) const override {
    for (const std::uint32_t c : counters) {
      if (c != runs) return false;
    }
    return true;
  }
  double units() const override { return static_cast<double>(counters.size()); }

  std::vector<std::uint32_t> counters;
};

}  // namespace bench
