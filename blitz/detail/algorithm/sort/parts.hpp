/// @file
/// How sorts, merges and set operations get to several threads: on a worker of the pool, in parts of about the same size.
///
/// One thread adds up or compares a few numbers for each part, in nanoseconds. A cut takes a search, so several threads make
/// many of them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/function_ref.hpp"

namespace blitz::detail {

/// Two parts for each of 256 threads. As many positions take 4 KiB of the stack.
inline constexpr std::size_t kMostParts = 512;

/// Into how many parts `n` items are cut for that many threads, each of `least` items or more.
[[nodiscard]] constexpr std::size_t part_count(std::size_t n, std::size_t threads, std::size_t least) noexcept {
  constexpr std::size_t kPartsOfThread = 4;  // so that a thread that comes late finds some left
  return std::clamp<std::size_t>(n / least, 1, threads == 1 ? 1 : std::min(kMostParts, threads * kPartsOfThread));
}

/// In how many tasks the cuts between `parts` parts are made. One thread makes up to 32 cuts, each in the rest after the one
/// before: to share them would take longer.
[[nodiscard]] constexpr std::size_t cut_tasks(std::size_t parts) noexcept {
  constexpr std::size_t kCutsOfThread = 32;
  constexpr std::size_t kCutsOfTask = 8;
  return parts <= kCutsOfThread ? 1 : parts / kCutsOfTask;
}

/// Where part `part` of `parts` begins, of n items.
[[nodiscard]] constexpr std::size_t part_begin(std::size_t n, std::size_t parts, std::size_t part) noexcept {
  return n / parts * part + std::min(part, n % parts);
}

/// Calls `f(threads)` on a worker of the pool of the options, or here with 1 if there are no more than `least` items.
BLITZ_API void with_threads(const AlgorithmOptions& options, std::size_t n, std::size_t least,
                            FunctionRef<void(std::size_t threads)> f);

/// Calls `f(part, begin, end)` for each part of n items. If the pool has no memory for a loop, the calling thread runs the
/// parts that are left. Throws Stopped, and what `f` throws.
BLITZ_API void for_parts(const AlgorithmOptions& options, std::size_t n, std::size_t parts,
                         FunctionRef<void(std::size_t part, std::size_t begin, std::size_t end)> f);

/// Calls `f(i)` for all i in [0, n), in parts as part_count says. `f` must not throw.
template <class F>
void for_all(std::size_t n, std::size_t threads, std::size_t least, F f) noexcept {
  for_parts({}, n, part_count(n, threads, least), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (; begin != end; ++begin) f(begin);
  });
}

/// Calls `f`, and if it throws, calls `repair` before the exception goes on.
template <class F, class Repair>
void try_or(F&& f, Repair&& repair) {
  try {
    f();
  } catch (...) {
    repair();
    throw;
  }
}

}  // namespace blitz::detail
