// The project's aims that these workloads can check: a ratio or a time of this run, and its limit.
#pragma once

#include <string>
#include <vector>

#include "bench/compare/results.hpp"

namespace bench {

struct Target {
  std::string aim;
  double measured;  ///< not finite: its rows were not measured, or were within the noise
  double limit;
  bool at_least;           ///< `limit` is the least allowed, not the most
  std::string unit = "x";  ///< as it follows a number

  [[nodiscard]] bool known() const { return std::isfinite(measured); }
  [[nodiscard]] bool met() const { return at_least ? measured >= limit : measured <= limit; }
};

std::vector<Target> targets(const Results& results);

}  // namespace bench
