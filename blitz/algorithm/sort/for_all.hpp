/// @file
/// A loop that is complete in any case.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "blitz/algorithm/blocks.hpp"
#include "blitz/algorithm/options.hpp"

namespace blitz::detail {

/// Calls `f(i)` for all i in [0, n), by several threads if they are `least` or more. What the pool has no memory for is
/// called by the caller. `f` must not throw.
template <class F>
void for_all(std::size_t n, std::size_t least, F f) noexcept {
  constexpr std::size_t kParts = 64;
  std::array<bool, kParts> begun{};
  const std::size_t parts = std::clamp<std::size_t>(n / least, 1, kParts);
  const auto run = [&](std::size_t part) {
    begun[part] = true;
    const std::size_t end = part + 1 == parts ? n : n / parts * (part + 1);
    for (std::size_t i = n / parts * part; i != end; ++i) f(i);
  };
  if (parts == 1) return run(0);
  try {
    for_blocks(AlgorithmOptions{}, parts, 1, [&](LoopIndex first, LoopIndex last) {
      for (; first != last; ++first) run(first);
    });
  } catch (...) {
    for (std::size_t part = 0; part != parts; ++part) {
      if (!begun[part]) run(part);
    }
  }
}

}  // namespace blitz::detail
