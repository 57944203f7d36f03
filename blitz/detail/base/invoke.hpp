/// A std::invoke that is inlined even without optimisation, and in files so large that compilers stop inlining. <functional>,
/// which declares std::invoke, would add half to the compile time of join.hpp.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

// The program decides how its callable converts its arguments. std::invoke does not warn about it either, because it is in a
// system header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"

template <class F, class... Args>
  requires std::invocable<F, Args...>
BLITZ_ALWAYS_INLINE constexpr decltype(auto) invoke_inline(F&& f, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>) {
    return std::apply(std::forward<F>(f), std::forward_as_tuple(std::forward<Args>(args)...));
  } else {
    return static_cast<F&&>(f)(static_cast<Args&&>(args)...);
  }
}

#pragma GCC diagnostic pop

}  // namespace blitz::detail
