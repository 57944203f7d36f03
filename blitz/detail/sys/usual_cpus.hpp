/// How many processors this process may use: fast, unlike cpu_count.hpp.
#pragma once

#include <cstddef>

#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// available_cpus() as it was at the first call of this function. 1 if there is no memory to count them; the next call tries again.
[[nodiscard]] BLITZ_API std::size_t usual_cpus() noexcept;

}  // namespace blitz::detail
