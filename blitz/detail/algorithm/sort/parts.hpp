/// @file
/// How sorts, merges and set operations run on several threads: on a worker of the pool, in parts of about the same size.
///
/// One thread adds up or compares a few numbers per part, which takes nanoseconds. A cut takes a search, so several threads
/// share the computation of many cuts.
#pragma once

#include <algorithm>
#include <cstddef>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/function_ref.hpp"

namespace blitz::detail {

/// The maximum number of parts: two per thread for 256 threads. That many positions take 4 KiB of the stack.
inline constexpr std::size_t kMostParts = 512;

/// The number of parts of `n` items for `threads` threads: each part has at least `least` items, unless there is only one part.
[[nodiscard]] constexpr std::size_t part_count(std::size_t n, std::size_t threads, std::size_t least) noexcept {
  constexpr std::size_t kPartsOfThread = 4;  // so that parts are left for a thread that starts late
  return std::clamp<std::size_t>(n / least, 1, threads == 1 ? 1 : std::min(kMostParts, threads * kPartsOfThread));
}

/// The number of tasks that compute the cuts between `parts` parts. One thread makes up to 32 cuts, each in the rest after the
/// previous one: sharing them would take longer.
[[nodiscard]] constexpr std::size_t cut_tasks(std::size_t parts) noexcept {
  constexpr std::size_t kCutsOfThread = 32;
  constexpr std::size_t kCutsOfTask = 8;
  return parts <= kCutsOfThread ? 1 : parts / kCutsOfTask;
}

/// The beginning of part `part` of `parts` parts of n items.
[[nodiscard]] constexpr std::size_t part_begin(std::size_t n, std::size_t parts, std::size_t part) noexcept {
  return n / parts * part + std::min(part, n % parts);
}

/// Calls `f(threads)` on a worker of the pool of the options, or `f(1)` on the calling thread if n is at most `least`.
BLITZ_API void with_threads(const AlgorithmOptions& options, std::size_t n, std::size_t least,
                            FunctionRef<void(std::size_t threads)> f);

/// Calls `f(part, begin, end)` for each part of n items. If the pool cannot allocate memory for a loop, the calling thread runs
/// the remaining parts. Throws Stopped, and the exceptions of `f`.
BLITZ_API void for_parts(const AlgorithmOptions& options, std::size_t n, std::size_t parts,
                         FunctionRef<void(std::size_t part, std::size_t begin, std::size_t end)> f);

/// Calls `f(i)` for all i in [0, n), in part_count() parts. `f` must not throw.
template <class F>
void for_all(std::size_t n, std::size_t threads, std::size_t least, F f) noexcept {
  for_parts({}, n, part_count(n, threads, least), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (; begin != end; ++begin) f(begin);
  });
}

}  // namespace blitz::detail
