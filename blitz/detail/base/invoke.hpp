/// std::invoke that is inlined, also without optimisation's help, and in files so large that compilers begin to refuse.
/// <functional>, which declares it, would add half to the time that join.hpp takes to compile.
#pragma once

#include <concepts>
#include <tuple>
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
    return std::apply(std::forward<F>(f), std::forward_as_tuple(std::forward<Args>(args)...));
  } else {
    return static_cast<F&&>(f)(static_cast<Args&&>(args)...);
  }
}

#pragma GCC diagnostic pop

}  // namespace blitz::detail
