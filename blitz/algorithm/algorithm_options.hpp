/// @file
/// The options of the parallel algorithms.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <stop_token>

#include "blitz/detail/base/export.hpp"
#include "blitz/pool_ref.hpp"
#include "blitz/stopped.hpp"

namespace blitz {

/// The options of a parallel algorithm. Plain data. All members have defaults. The options are the first argument, with or
/// without braces:
/// @code
///   blitz::sort({.min_grain = 4096, .pool = &pool}, v);
/// @endcode
struct AlgorithmOptions {
  /// The minimum number of items in a block, unless the algorithm has fewer. 0: the algorithm decides.
  std::size_t min_grain = 0;
  /// After a stop request no new blocks start, and the algorithm throws Stopped. for_each returns instead, like a loop.
  std::stop_token stop{};
  /// Makes the result bitwise identical on any number of threads, for operations that are only nearly associative, such as
  /// floating-point addition. Ignored by algorithms with a result that never depends on the number of threads.
  bool deterministic = false;
  PoolRef pool{};  ///< The pool that runs the algorithm.
};

namespace detail {

/// The number of threads in the pool of an algorithm.
[[nodiscard]] BLITZ_API std::size_t threads_of(const AlgorithmOptions& options);

/// Throws Stopped if a stop was requested: then blocks may have been skipped.
inline void throw_if_stopped(const AlgorithmOptions& options) {
  if (options.stop.stop_requested()) [[unlikely]]
    throw_stopped();
}

}  // namespace detail
}  // namespace blitz
