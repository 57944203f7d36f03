// Numbers as text.
#pragma once

#include <string>

namespace bench {

/// `digits` significant digits, never in scientific notation; "-" for NaN.
std::string number_text(double value, int digits = 3);

/// A time in the unit that suits it: "4.61 ns", "20.4 ms"; "-" for NaN.
std::string time_text(double seconds, int digits = 3);

/// A share as whole percent.
std::string percent_text(double share);

}  // namespace bench
