/// @file
/// The options of a pool, and the exception that it throws.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/refuse.hpp"

namespace blitz {

/// The kinds of ThreadPoolError.
enum class ThreadPoolErrorCode : unsigned char {
  kCannotStart,  ///< The threads cannot be created, `on_thread_start` has thrown, or `BLITZ_NUM_THREADS` is no number.
  kLimitExceeded,      ///< More threads than a pool can have.
  kAlreadyConfigured,  ///< The global pool has been started already.
  kShutDown,           ///< The pool was shut down.
  kForked,             ///< The pool is the parent's, in a forked child.
  kWouldDeadlock       ///< The call would wait for its own thread.
};

/// Thrown if a pool cannot be constructed, or can no longer be used. The message suggests a remedy.
/// @code
///   try {
///     blitz::ThreadPool many({.num_threads = 1000});
///   } catch (const blitz::ThreadPoolError& error) {
///     if (error.code() == blitz::ThreadPoolErrorCode::kLimitExceeded) std::puts(error.what());
///   }
/// @endcode
///
/// Thread-safety: as for a standard exception.
class BLITZ_API ThreadPoolError : public std::runtime_error {
 public:
  /// Constructs an error with a kind and a message.
  /// @param code     The kind.
  /// @param message  The message.
  ThreadPoolError(ThreadPoolErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  /// The kind of the error. O(1).
  [[nodiscard]] ThreadPoolErrorCode code() const noexcept { return code_; }

 private:
  ThreadPoolErrorCode code_;
};

/// The processors that run the threads of a pool.
///
/// kCompact and kSpread take the second hardware thread of a core after the first ones of all cores: of the same cache
/// (kCompact) or of the machine (kSpread). A cache here is the last-level cache of several cores. Only Linux tells the
/// positions of processors; on other systems both are like kOnePerWorker. These are the orders that OpenMP calls close and
/// spread.
enum class Affinity : unsigned char {
  kNone,          ///< On any processor.
  kOnePerWorker,  ///< Worker i on the i-th processor that this process may use, modulo their number.
  /// As kOnePerWorker, and workers with adjacent indices are close together: the processors of one memory node after those of
  /// another, and within a node those of one cache after those of another. For threads that use the same memory.
  kCompact,
  /// As kOnePerWorker, and workers with adjacent indices are far apart: the memory nodes take turns, and in each node its
  /// caches. For a pool with fewer threads than processors that needs the bandwidth or the caches of the whole machine.
  kSpread,
  /// @cond
  none BLITZ_RENAMED("blitz::Affinity::kNone") = kNone,
  one_per_worker BLITZ_RENAMED("blitz::Affinity::kOnePerWorker") = kOnePerWorker
  /// @endcond
};

/// The options of a pool. Plain data. All members have defaults; name those to change:
/// @code
///   blitz::ThreadPool eight({.num_threads = 8});
/// @endcode
struct ThreadPoolOptions {
  /// The number of the pool's threads. Outside callers work on their own threads: k of them use at most `num_threads + k - 1`
  /// threads together, and `num_threads + k` while there are spawned jobs. 0: the environment variable `BLITZ_NUM_THREADS`; if
  /// it is not set, the number of processors that this process may use.
  std::size_t num_threads = 0;

  /// Returns the name of a worker's thread, given its index. The system may truncate it (to 15 bytes on Linux).
  /// Empty: the names are blitz-0, blitz-1 and so on.
  std::function<std::string(std::size_t)> thread_name = nullptr;

  /// The stack size of each thread, in bytes. 0: the system's default.
  std::size_t stack_size = 0;

  /// Called on each thread of the pool, with its index, before anything else. If it throws, the pool's constructor throws
  /// ThreadPoolError. The constructor waits for all of these calls, so they must not wait for the pool. If this hook or
  /// `thread_name` of the global pool uses that pool, directly or by a free function, the use throws ThreadPoolError. The hook
  /// must not wait for another thread that uses the global pool.
  std::function<void(std::size_t)> on_thread_start = nullptr;

  /// Called on each thread of the pool, with its index, as the thread's last action, unless `on_thread_start` has thrown. The
  /// pool no longer runs jobs, and its calls throw ThreadPoolError. An exception of the hook is passed to exception_handler.
  /// For the global pool at the end of the program see global_pool().
  std::function<void(std::size_t)> on_thread_exit = nullptr;

  /// Receives the exceptions of detached jobs and of `on_thread_exit`, because no call waits for these. Called on the thread
  /// that ran the job or the hook, possibly on several concurrently. Empty: std::terminate is called instead.
  std::function<void(std::exception_ptr)> exception_handler = nullptr;

  Affinity affinity = Affinity::kNone;  ///< The processors that run the threads.

  /// How many waits may be nested on a worker's stack while it still takes other workers' jobs. A worker that waits deeper runs
  /// only jobs of its queue, and sleeps when there are none, so that its stack does not fill with unrelated jobs. 0: a waiting
  /// worker never takes another worker's job. If all workers wait that deep, one of them continues to take jobs. A job that
  /// yields at that depth runs no other job, see yield_now().
  std::size_t max_nested_waits = 32;

  /// The seed of the random numbers that select victims. In pools of the same size and seed, workers of the same index try
  /// their victims in the same order. For tests, and for runs that are repeatable except for the timing of threads. None: a new
  /// seed for each pool and each run.
  std::optional<std::uint64_t> seed = std::nullopt;
};

}  // namespace blitz
