/// A value about which the compiler knows nothing.
#pragma once

#include "blitz/base/export.hpp"

namespace blitz::detail {

/// `value`, an integer or a pointer, of which the compiler does not know that it has anything to do with others: what it
/// would keep in a register across a call, because it can be made of both, it now makes from this one, where it is used.
/// No instruction. For GCC alone: clang makes such values where they are used anyway.
template <class T>
[[nodiscard]] BLITZ_ALWAYS_INLINE T opaque(T value) noexcept {
#if defined(__GNUC__) && !defined(__clang__)
  asm("" : "+r"(value));
#endif
  return value;
}

/// `value`, written to memory, of which the compiler does not know how it came there: so what is done with its parts
/// from here on does not decide in which registers they are kept before.
template <class T>
[[nodiscard]] BLITZ_ALWAYS_INLINE T opaque_memory(T value) noexcept {
#if defined(__GNUC__)
  asm("" : "+m"(value));
#endif
  return value;
}

}  // namespace blitz::detail
