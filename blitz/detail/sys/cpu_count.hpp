/// The set and the number of the processors that this process may use. Slow (it reads files): call it once, when a pool is
/// made.
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

/// The processors in the calling thread's affinity mask, or on Windows the processors of the process in all its groups, in
/// ascending order. Empty if the system does not provide it. Throws std::bad_alloc.
[[nodiscard]] BLITZ_API Processors allowed_processors();
/// A copy of `count` numbers. Throws std::bad_alloc.
[[nodiscard]] Processors processors_of(const unsigned* numbers, std::size_t count);

/// The number of allowed_processors(), or the limit of the cgroup or the Windows job object if that is less; at least 1.
/// On other systems std::thread::hardware_concurrency(), at least 1.
[[nodiscard]] BLITZ_API std::size_t available_cpus() noexcept;

/// The CPU time per unit of wall time that the control group or job of this process allows; none if there is no limit.
[[nodiscard]] std::optional<double> cpu_limit() noexcept;

/// The smaller of `affinity` and the quota, rounded up, at least 1. Two threads that are sometimes throttled make the best
/// use of 1.5 processors.
[[nodiscard]] std::size_t combine_cpu_limits(std::size_t affinity, std::optional<double> quota) noexcept;

/// The CPU time per unit of wall time that the control groups of this process allow: the minimum over the v2 hierarchy and the
/// v1 cpu controller, in each over the process's own group and all its visible ancestors. None if there is no limit; a file
/// that cannot be read or parsed sets no limit.
///
/// `root` replaces "/": root/proc/self/cgroup and root/proc/self/mountinfo are read, and the paths in them are relative to
/// root.
[[nodiscard]] std::optional<double> cgroup_cpu_limit(const std::filesystem::path& root) noexcept;

/// Windows only. The CPU time per unit of wall time that a job object allows on a machine with `processors` processors. `flags`
/// and `rate` are the ControlFlags and the CpuRate of its JOBOBJECT_CPU_RATE_CONTROL_INFORMATION. A weight sets no limit.
[[nodiscard]] std::optional<double> job_cpu_limit(std::uint32_t flags, std::uint32_t rate,
                                                  unsigned processors) noexcept;

}  // namespace blitz::detail
