/// @file
/// The options of the parallel algorithms, and the exception that ends one.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <stop_token>

#include "blitz/detail/base/export.hpp"
#include "blitz/pool_ref.hpp"
#include "blitz/stopped.hpp"

namespace blitz {

/// The options of a parallel algorithm. Plain data. All members have defaults. They lead the arguments, in braces or not:
/// @code
///   blitz::sort({.min_grain = 4096, .pool = &pool}, v);
/// @endcode
struct AlgorithmOptions {
  /// No block has fewer items than this, unless the algorithm has. 0: the algorithm's own choice.
  std::size_t min_grain = 0;
  /// When a stop is requested here, blocks that have not begun never do. The algorithm then throws Stopped; for_each, which
  /// is a loop, returns.
  std::stop_token stop{};
  /// The same bits on any number of threads, for operations that are not quite associative, such as the addition of
  /// floating-point numbers. Algorithms whose result never depends on the number of threads do not heed it.
  bool deterministic = false;
  PoolRef pool{};  ///< The pool that runs the algorithm.
};

namespace detail {

/// How many threads the pool of an algorithm has.
[[nodiscard]] BLITZ_API std::size_t threads_of(const AlgorithmOptions& options);

/// Throws Stopped if a stop was requested: then blocks may have been left out.
inline void throw_if_stopped(const AlgorithmOptions& options) {
  if (options.stop.stop_requested()) [[unlikely]]
    throw_stopped();
}

}  // namespace detail
}  // namespace blitz
