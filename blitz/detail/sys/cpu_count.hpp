/// Which processors this process may use, and how many. Slow (it reads files): ask once, when a pool is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// Numbers of processors, as the system counts them. On Windows number n is the processor n % 64 of the group n / 64.
struct Processors {
  std::unique_ptr<unsigned[]> numbers;
  std::size_t count = 0;

  [[nodiscard]] const unsigned* begin() const noexcept { return numbers.get(); }
  [[nodiscard]] const unsigned* end() const noexcept { return numbers.get() + count; }
};

/// The processors in the calling thread's affinity mask, or on Windows those that the process runs on, in all its groups;
/// in ascending order. None if the system does not provide it. Throws std::bad_alloc.
[[nodiscard]] BLITZ_API Processors allowed_processors();
/// `count` of them, copied. Throws std::bad_alloc.
[[nodiscard]] Processors processors_of(const unsigned* numbers, std::size_t count);

/// The number of allowed_processors(), or the limit of the cgroup or the Windows job object if that is less; at least 1.
/// On other systems std::thread::hardware_concurrency(), at least 1.
[[nodiscard]] BLITZ_API std::size_t available_cpus() noexcept;

/// How many processors' time this process may take at most, by its control group or job; none if there is no limit.
[[nodiscard]] std::optional<double> cpu_limit() noexcept;

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

/// Windows alone. The same of a job object on a machine of that many processors, by the ControlFlags and the CpuRate of its
/// JOBOBJECT_CPU_RATE_CONTROL_INFORMATION. A weight sets no limit.
[[nodiscard]] std::optional<double> job_cpu_limit(std::uint32_t flags, std::uint32_t rate,
                                                  unsigned processors) noexcept;

}  // namespace blitz::detail
