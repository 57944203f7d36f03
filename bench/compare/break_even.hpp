// From which length of the body on a parallel loop is faster than the serial one: what the `grain` workloads say together.
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

  /// The length from which on all longer loops are faster than the serial one, on straight lines between the points and
  /// both axes logarithmic; 0: faster from the shortest on; infinite: not even the longest is.
  [[nodiscard]] double break_even() const;
};

/// One for each implementation and each thread count above one, where anything can be gained. Empty where not at least
/// two lengths were measured together with the serial loop.
std::vector<GrainCurve> grain_curves(const Results& results);

}  // namespace bench
