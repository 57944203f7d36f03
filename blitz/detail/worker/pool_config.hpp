/// The policy-independent parts of making a pool: the check of its options, and the messages of errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/sys/cpu_count.hpp"
#include "blitz/options.hpp"

namespace blitz::detail {

/// The number of threads to start. Throws std::invalid_argument for options that no machine could satisfy. Throws
/// ThreadPoolError for more than `limit` threads, and if BLITZ_NUM_THREADS is not a valid number of threads.
[[nodiscard]] BLITZ_API std::size_t checked_num_threads(const ThreadPoolOptions& options, std::size_t limit);

/// The processors to assign to workers in turn; none for Affinity::kNone. Throws ThreadPoolError if the system does not let a
/// thread choose, and std::bad_alloc.
[[nodiscard]] BLITZ_API Processors processors_for(Affinity affinity);

/// The seed of a pool's random numbers: options.seed, otherwise a different one for each pool and each run.
[[nodiscard]] BLITZ_API std::uint64_t first_seed(const ThreadPoolOptions& options) noexcept;

[[nodiscard]] BLITZ_API std::string thread_failure(std::size_t started, std::size_t wanted, const char* reason);
[[nodiscard]] BLITZ_API std::string start_hook_failure(std::size_t index, const std::exception_ptr& error);

inline constexpr const char* kStoppedByOwnWorker =
    "blitz: a thread pool was shut down or destroyed by one of its own workers, which would wait for itself; "
    "do it on a thread outside the pool";
inline constexpr const char* kUsedAfterFork =
    "blitz: this thread pool belongs to the parent process, and its threads do not exist in a forked child; make a new "
    "pool there, or use the global pool, which starts again";
inline constexpr const char* kUsedAfterShutdown =
    "blitz: this thread pool was shut down; make a new one, or shut it down after its last use";

}  // namespace blitz::detail
