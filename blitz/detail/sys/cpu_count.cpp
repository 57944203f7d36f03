#include "blitz/detail/sys/cpu_count.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "blitz/detail/sys/usual_cpus.hpp"

namespace blitz::detail {

Processors processors_of(const unsigned* numbers, std::size_t count) {
  Processors processors{std::make_unique<unsigned[]>(count), count};
  std::copy_n(numbers, count, processors.numbers.get());
  return processors;
}

std::size_t combine_cpu_limits(std::size_t affinity, std::optional<double> quota) noexcept {
  std::size_t count = affinity;
  if (quota && *quota < static_cast<double>(affinity)) count = static_cast<std::size_t>(std::ceil(*quota));
  return std::max<std::size_t>(count, 1);
}

namespace {

/// Throws std::bad_alloc.
std::size_t count_cpus() {
  const std::size_t allowed = allowed_processors().count;
  return combine_cpu_limits(allowed != 0 ? allowed : std::thread::hardware_concurrency(), cpu_limit());
}

}  // namespace

std::size_t available_cpus() noexcept try { return count_cpus(); } catch (...) {
  return 1;
}

std::size_t usual_cpus() noexcept try {
  static const std::size_t count = count_cpus();  // If it throws, the next call tries again.
  return count;
} catch (...) {
  return 1;
}

}  // namespace blitz::detail
