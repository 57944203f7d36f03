/// Which processors, and how many, this process may really use. Slow (it reads files): ask once, when a pool is made.
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

/// The processors in the calling thread's affinity mask, in ascending order; none where the system does not tell.
/// Throws std::bad_alloc.
[[nodiscard]] BLITZ_API Processors allowed_processors();

/// As many as the calling thread's affinity mask has, or fewer where a cgroup quota allows fewer; at least 1.
/// Outside Linux: std::thread::hardware_concurrency(), at least 1.
[[nodiscard]] BLITZ_API std::size_t available_cpus() noexcept;

/// The quota, rounded up (1.5 processors are served best by two threads that are throttled now and then), if that is
/// less than `affinity`; at least 1.
[[nodiscard]] std::size_t combine_cpu_limits(std::size_t affinity, std::optional<double> quota) noexcept;

/// The CPU time per unit of wall time which the control groups of this process allow: the least over the v2 hierarchy
/// and the v1 cpu controller, and there over the process's own group and all its ancestors that are visible. Nothing
/// where there is no limit; whatever cannot be read or understood is no limit.
///
/// `root` stands for "/": root/proc/self/cgroup and root/proc/self/mountinfo are read, and what they name is looked up
/// below root.
[[nodiscard]] std::optional<double> cgroup_cpu_limit(const std::filesystem::path& root) noexcept;

}  // namespace blitz::detail
