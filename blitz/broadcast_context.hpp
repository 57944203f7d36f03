/// What a function that is broadcast learns about its call.
#pragma once

#include "blitz/base/compiler.hpp"

#include <cstddef>

namespace blitz {

class BroadcastContext {
 public:
  constexpr BroadcastContext(std::size_t index, std::size_t num_threads) noexcept
      : index_(index), num_threads_(num_threads) {}

  /// The worker's index, below num_threads().
  [[nodiscard]] constexpr std::size_t index() const noexcept { return index_; }
  /// The workers of the pool, each of which is called once.
  [[nodiscard]] constexpr std::size_t num_threads() const noexcept { return num_threads_; }

 private:
  std::size_t index_;
  std::size_t num_threads_;
};

}  // namespace blitz
