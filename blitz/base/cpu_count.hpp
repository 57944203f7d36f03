/// Which processors this process may use, and how many. Slow (it reads files): ask once, when a pool is made.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>

#include "blitz/base/export.hpp"

namespace blitz::detail {

/// Numbers of processors, as the system counts them.
struct Processors {
  std::unique_ptr<unsigned[]> numbers;
  std::size_t count = 0;

  [[nodiscard]] const unsigned* begin() const noexcept { return numbers.get(); }
  [[nodiscard]] const unsigned* end() const noexcept { return numbers.get() + count; }
};

/// The processors in the calling thread's affinity mask, in ascending order; none if the system does not provide it.
/// Throws std::bad_alloc.
[[nodiscard]] BLITZ_API Processors allowed_processors();

/// The number of processors in the calling thread's affinity mask, or the cgroup quota if that is less; at least 1.
/// Outside Linux: std::thread::hardware_concurrency(), at least 1.
[[nodiscard]] BLITZ_API std::size_t available_cpus() noexcept;

/// The smaller of `affinity` and the quota, rounded up (1.5 processors are used best by two threads that are throttled
/// now and then); at least 1.
[[nodiscard]] std::size_t combine_cpu_limits(std::size_t affinity, std::optional<double> quota) noexcept;

/// The CPU time per unit of wall time that the control groups of this process allow: the least over the v2 hierarchy
/// and the v1 cpu controller, in each over the process's own group and all its visible ancestors. None if there is no
/// limit; a file that cannot be read or parsed sets no limit.
///
/// `root` stands for "/": root/proc/self/cgroup and root/proc/self/mountinfo are read, and the paths in them are looked
/// up below root.
[[nodiscard]] std::optional<double> cgroup_cpu_limit(const std::filesystem::path& root) noexcept;

}  // namespace blitz::detail
