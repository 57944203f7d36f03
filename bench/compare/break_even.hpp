// The break-even point of a parallel loop: the minimum length of its body that makes it faster than the serial one. Computed
// from the `grain` workloads.
#pragma once

#include <string>
#include <vector>

#include "bench/compare/results.hpp"

namespace bench {

/// One implementation's loops by the length of their body.
struct GrainCurve {
  struct Point {
    double nanoseconds;  ///< of the body in the serial loop
    double speed_up;     ///< over the serial loop
  };

  std::string peer;
  unsigned threads;
  std::vector<Point> points;  ///< at least two

  /// The length above which all loops are faster than the serial one, on straight lines between the points, with both axes
  /// logarithmic. 0: all lengths are faster; infinity: not even the longest is.
  [[nodiscard]] double break_even() const;
};

/// One curve for each implementation and each thread count above one. Empty unless at least two lengths were measured together
/// with the serial loop.
std::vector<GrainCurve> grain_curves(const Results& results);

}  // namespace bench
