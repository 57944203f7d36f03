/// Overloads for invalid calls: the first line of the compiler's message says what to write instead. In a requires-expression
/// such a call is ill-formed.
/// @code
///   template <class... F>
///     requires(sizeof...(F) < 2)
///   BLITZ_REFUSE("join got fewer than two functions; call one as f()")
///   join(F&&... fs) BLITZ_REFUSED;
/// @endcode
///
/// The constraint must not hold for a valid call, so that the overload is not viable.
#pragma once

#include <cstddef>

namespace blitz::detail {

/// A string literal as an argument of a template.
template <std::size_t N>
struct Text {
  consteval Text(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) characters[i] = literal[i];
  }
  char characters[N];
};

/// The return type of a refused call; its name appears in the compiler's message.
template <Text kMessage>
struct Refused;

/// Has two members because the result of a call may be a pair with names.
struct Unavailable {
  Unavailable* first;
  Unavailable* second;
};

}  // namespace blitz::detail

/// After a renamed enumerator: the first line of the compiler's message gives the new name.
#if defined(__clang__) || __GNUC__ >= 12
#define BLITZ_RENAMED(name) __attribute__((unavailable("blitz: it is called " name)))
#else
#define BLITZ_RENAMED(name) [[deprecated("blitz: it is called " name)]]
#endif

#if defined(__clang__)
#define BLITZ_REFUSE(message) __attribute__((unavailable("blitz: " message))) ::blitz::detail::Unavailable
#define BLITZ_REFUSED
#else
#define BLITZ_REFUSE(message) ::blitz::detail::Refused<"blitz: " message>
#define BLITZ_REFUSED = delete
#endif
