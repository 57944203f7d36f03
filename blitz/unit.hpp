/// @file
/// Unit: a value in place of void.
#pragma once

#include "blitz/detail/base/compiler.hpp"

namespace blitz {

/// A value that represents a void result, for example in the pair of join(). All values are equal.
/// @code
///   const auto [sum, nothing] = blitz::join([] { return 1 + 2; }, [] {});
///   static_assert(std::same_as<decltype(nothing), const blitz::Unit>);
/// @endcode
///
/// Thread-safety: no state.
struct Unit {
  /// Returns true. O(1).
  friend constexpr bool operator==(Unit, Unit) noexcept { return true; }
};

}  // namespace blitz
