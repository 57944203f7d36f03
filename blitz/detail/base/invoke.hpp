/// std::invoke that is inlined, also without optimisation's help, and in files so large that compilers begin to refuse.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

// How a program's callable converts its arguments is the program's affair. std::invoke, in a system header, warns of it no
// more than this does.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"

template <class F, class... Args>
  requires std::invocable<F, Args...>
BLITZ_ALWAYS_INLINE constexpr decltype(auto) invoke_inline(F&& f, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>) {
    return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  } else {
    return static_cast<F&&>(f)(static_cast<Args&&>(args)...);
  }
}

#pragma GCC diagnostic pop

}  // namespace blitz::detail
