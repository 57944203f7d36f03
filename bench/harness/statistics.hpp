// Order statistics of small samples.
#pragma once

#include <utility>
#include <vector>

namespace bench {

/// The `q`-quantile, 0 <= q <= 1, with linear interpolation between neighbours; NaN for an empty sample.
double quantile(std::vector<double> sample, double q);

/// The mean of the values between the quartiles: as robust against outliers as the median, and finer for values in steps, as
/// from a clock that ticks every ten nanoseconds.
double middle_mean(std::vector<double> sample);

inline double median(std::vector<double> sample) { return quantile(std::move(sample), 0.5); }

}  // namespace bench
