/// How an item is copied: from a const reference. A type may have a constructor template that takes anything, as a type-erased box
/// has. For an lvalue that is not const, overload resolution prefers it to the copy constructor, and the item gets wrapped.
#pragma once

#include <type_traits>

#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// `x` as the argument that makes a T. If it is a T, but no rvalue that may be moved from, this is a const reference.
template <class T, class X>
[[nodiscard]] BLITZ_ALWAYS_INLINE constexpr auto&& to_copy(X&& x) noexcept {
  if constexpr (std::is_same_v<X, T&> || std::is_same_v<X, const T>) {
    return static_cast<const T&>(x);
  } else {
    return static_cast<X&&>(x);
  }
}

}  // namespace blitz::detail
