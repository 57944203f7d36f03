/// Copies of items are made from a const reference. A type may have a constructor template that takes anything, such as a
/// type-erased box. For a non-const lvalue, overload resolution prefers it to the copy constructor, and would wrap the item.
#pragma once

#include <type_traits>

#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// `x` as the constructor argument for a T. This is a const reference if `x` is a T, except for an rvalue that may be moved
/// from.
template <class T, class X>
[[nodiscard]] BLITZ_ALWAYS_INLINE constexpr auto&& to_copy(X&& x) noexcept {
  if constexpr (std::is_same_v<X, T&> || std::is_same_v<X, const T>) {
    return static_cast<const T&>(x);
  } else {
    return static_cast<X&&>(x);
  }
}

}  // namespace blitz::detail
