/// How a pool is made, and how its making fails.
#pragma once

#include "blitz/base/compiler.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "blitz/base/export.hpp"

namespace blitz {

/// A pool cannot be made, or cannot be used any more. The message says what to do.
class BLITZ_API ThreadPoolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where the threads of a pool run.
enum class Affinity : unsigned char {
  none,           ///< wherever the system puts them
  one_per_worker  ///< worker i on the i-th processor that this process may use, counted around
};

/// All members have defaults; name those you want: `ThreadPool pool({.num_threads = 8})`.
struct ThreadPoolOptions {
  /// At most this many threads run the pool's jobs at any time, an outside caller included.
  /// 0: the environment variable BLITZ_NUM_THREADS, or else the processors that this process may use.
  std::size_t num_threads = 0;

  /// The name of a worker's thread, from its index; of the result the system keeps what it can (15 bytes on Linux).
  /// Empty: blitz-0, blitz-1, ...
  std::function<std::string(std::size_t)> thread_name = nullptr;

  /// In bytes; 0: the system's default.
  std::size_t stack_size = 0;

  /// Called on each thread of the pool, with its index, before it does anything else. If it throws, the pool is not
  /// made. The pool's constructor waits for all of these calls, so they must not wait for the pool. A hook of the global
  /// pool, this one or thread_name, that uses that pool, by a free function too, gets ThreadPoolError; it must not wait for
  /// another thread that does.
  std::function<void(std::size_t)> on_thread_start = nullptr;

  /// Called on each thread of the pool, with its index, as the last thing it does; only where on_thread_start, if
  /// there is one, has returned. The pool runs nothing any more, and a call of it throws ThreadPoolError. If the hook
  /// throws: see exception_handler. In the global pool, at the end of the program: see global_pool().
  std::function<void(std::size_t)> on_thread_exit = nullptr;

  /// Given the exceptions that nobody waits for. Called on a worker's thread, perhaps on several at once. Empty:
  /// std::terminate.
  std::function<void(std::exception_ptr)> exception_handler = nullptr;

  Affinity affinity = Affinity::none;

  /// How many waits may be nested on a worker's stack while it takes jobs from others in each. A worker that waits
  /// deeper keeps to the jobs of its own queue, and sleeps when there are none, so that its stack does not fill with
  /// other people's work. 0: a worker that waits never takes a job from another. Where all workers wait as deep as that,
  /// one of them goes on as before, lest nobody take the jobs that come.
  std::size_t max_nested_waits = 32;

  /// Where the random numbers begin by which the workers choose whom to steal from. With the same seed each worker of two
  /// pools of a size asks the others in the same order: for tests, and for runs that are to be repeated, as far as the
  /// threads' timing can be. None: a new one for each pool and each run.
  std::optional<std::uint64_t> seed = std::nullopt;
};

}  // namespace blitz
