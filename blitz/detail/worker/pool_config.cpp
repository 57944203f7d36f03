#include "blitz/detail/worker/pool_config.hpp"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/xorshift.hpp"
#include "blitz/detail/sys/topology.hpp"

namespace blitz::detail {
namespace {

/// No system has more threads: the largest process number of a 64-bit Linux, far above the limits of other systems.
constexpr std::size_t kMoreThanAnyMachine = std::size_t{1} << 22;
/// Half of the largest address space in use: 48 bits with 64-bit addresses.
constexpr std::size_t kLargestStack = std::numeric_limits<std::size_t>::max() >> (sizeof(std::size_t) == 8 ? 17 : 1);

std::size_t threads_from_environment() {
  const char* const text = std::getenv("BLITZ_NUM_THREADS");
  if (text == nullptr || *text == '\0') return 0;
  const char* const end = text + std::strlen(text);
  std::size_t value = 0;
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || rest != end || value > kMoreThanAnyMachine) {
    throw ThreadPoolError(
        ThreadPoolErrorCode::kCannotStart,
        "blitz: the environment variable BLITZ_NUM_THREADS is \"" + std::string(text) +
            "\"; set it to a number of threads, or to 0, or unset it, for as many as there are processors");
  }
  return value;
}

}  // namespace

std::size_t checked_num_threads(const ThreadPoolOptions& options, std::size_t limit) {
  std::size_t count = options.num_threads;
  if (count == 0) count = threads_from_environment();
  if (count == 0) count = available_cpus();
  if (count > kMoreThanAnyMachine) {
    throw std::invalid_argument("blitz: num_threads is " + std::to_string(count) +
                                ", more than any machine can run (a negative number?); use fewer, or 0 for as many as "
                                "there are processors");
  }
  if (count > limit) {
    throw ThreadPoolError(ThreadPoolErrorCode::kLimitExceeded,
                          "blitz: a pool of " + std::to_string(count) + " threads is too large; use at most " +
                              std::to_string(limit) + " threads, or several pools");
  }
  if (options.stack_size > kLargestStack) {
    throw std::invalid_argument("blitz: stack_size is " + std::to_string(options.stack_size) +
                                " bytes, more than any machine can map (a negative number?); use less, or 0 for the "
                                "system's default");
  }
  return count;
}

Processors processors_for(Affinity affinity) {
  if (affinity == Affinity::kNone) return {};
  Processors processors = allowed_processors();
  if (processors.count == 0) {
    throw ThreadPoolError(ThreadPoolErrorCode::kCannotStart,
                          "blitz: this system does not let a thread choose its processor; leave affinity at kNone");
  }
  if (affinity == Affinity::kCompact) return compact(processors, "/");
  if (affinity == Affinity::kSpread) return spread(processors, "/");
  return processors;
}

std::uint64_t first_seed(const ThreadPoolOptions& options) noexcept {
  if (options.seed.has_value()) return splitmix64(*options.seed);
  // The count differs between the pools of a process, even if the clock is coarse; clock and address differ between processes.
  static constinit Atomic<std::uint64_t> pools{0};
  const std::uint64_t count = pools.fetch_add(1, std::memory_order_relaxed);  // relaxed: it orders nothing
  const auto time = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  return splitmix64(splitmix64(splitmix64(count) ^ time) ^ reinterpret_cast<std::uintptr_t>(&options));
}

std::string thread_failure(std::size_t started, std::size_t wanted, const char* reason) {
  return "blitz: thread " + std::to_string(started) + " of " + std::to_string(wanted) +
         " could not be started (those before it have been stopped again): " + reason;
}

std::string start_hook_failure(std::size_t index, const std::exception_ptr& error) {
  const std::string what = "blitz: on_thread_start threw on worker " + std::to_string(index) +
                           ", so the pool was not made; catch the exception there, or mend its cause: ";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return what + e.what();
  } catch (...) {
    return what + "an exception that is no std::exception";
  }
}

}  // namespace blitz::detail
