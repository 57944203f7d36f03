#include "blitz/detail/algorithm/sort/select.hpp"

#include <algorithm>
#include <cmath>

namespace blitz::detail {

std::size_t rank_in_sample(std::size_t size, std::size_t nth, std::size_t n) noexcept {
  const double part = static_cast<double>(nth) / static_cast<double>(n);
  const double margin = 2 * std::sqrt(static_cast<double>(size) * part * (1 - part)) + 1;
  const double rank = static_cast<double>(size) * part + (part < 0.5 ? margin : -margin);
  return static_cast<std::size_t>(std::clamp(rank, 0.0, static_cast<double>(size - 1)));
}

}  // namespace blitz::detail
