/// A counter with one writer and any number of readers, so that counting needs no read-modify-write.
#pragma once

#include <cstdint>

#include "blitz/detail/base/atomic.hpp"

namespace blitz::detail {

class SingleWriterCounter {
 public:
  /// Only the writer calls this. Another thread may become the writer if the two synchronise.
  void add(std::uint64_t n = 1, std::memory_order order = std::memory_order_relaxed) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, order);
  }

  [[nodiscard]] std::uint64_t value(std::memory_order order = std::memory_order_relaxed) const noexcept {
    return value_.load(order);
  }

 private:
  Atomic<std::uint64_t> value_{0};
};

}  // namespace blitz::detail
