/// Values whose provenance is hidden from the optimiser.
#pragma once

#include "blitz/base/export.hpp"

namespace blitz::detail {

/// Hides the provenance of `value`, an integer or a pointer, so the optimiser recomputes derived addresses at the use
/// instead of keeping them in registers across a call. No instruction. GCC only: clang recomputes them anyway.
template <class T>
[[nodiscard]] BLITZ_ALWAYS_INLINE T opaque(T value) noexcept {
#if defined(__GNUC__) && !defined(__clang__)
  asm("" : "+r"(value));
#endif
  return value;
}

/// The same for a `value` that is written to memory: uses of its parts from here on do not affect how they were kept in
/// registers before.
template <class T>
[[nodiscard]] BLITZ_ALWAYS_INLINE T opaque_memory(T value) noexcept {
#if defined(__GNUC__)
  asm("" : "+m"(value));
#endif
  return value;
}

}  // namespace blitz::detail
