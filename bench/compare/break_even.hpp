// From which length of the body on a parallel loop is faster than the serial one: what the `grain` workloads say together.
#pragma once

#include <string>
#include <vector>

#include "bench/compare/results.hpp"

namespace bench {

struct BreakEven {
  std::string peer;
  unsigned threads;
  double nanoseconds;  ///< of the body in the serial loop; 0: faster from the shortest on; infinite: not by the longest
};

/// One for each implementation and each thread count above one, where anything can be gained. Empty where not at least
/// two lengths were measured together with the serial loop.
std::vector<BreakEven> break_evens(const Results& results);

}  // namespace bench
