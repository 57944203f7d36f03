/// @file
/// BroadcastContext: the argument of a function that is called on every worker.
#pragma once

#include "blitz/base/compiler.hpp"

#include <cstddef>

namespace blitz {

/// Which worker makes the call, and of how many.
class BroadcastContext {
 public:
  constexpr BroadcastContext(std::size_t index, std::size_t num_threads) noexcept
      : index_(index), num_threads_(num_threads) {}

  /// The index of the worker that makes the call, below num_threads().
  [[nodiscard]] constexpr std::size_t index() const noexcept { return index_; }
  /// The number of workers of the pool, each of which makes one call.
  [[nodiscard]] constexpr std::size_t num_threads() const noexcept { return num_threads_; }

 private:
  std::size_t index_;
  std::size_t num_threads_;
};

}  // namespace blitz
