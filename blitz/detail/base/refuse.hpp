/// Overloads for calls that cannot be made: the compiler's first line says what to do instead. To a requires-expression the
/// call does not exist.
/// @code
///   template <class... F>
///     requires(sizeof...(F) < 2)
///   BLITZ_REFUSE("join calls two functions or more")
///   join(F&&... fs) BLITZ_REFUSED;
/// @endcode
///
/// Where the call is right, the constraint must not hold: then the overload is not even considered.
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

/// What a refused call would return; its name is in the compiler's message.
template <Text kMessage>
struct Refused;

/// Has two members because the result of a call may be a pair with names.
struct Unavailable {
  Unavailable* first;
  Unavailable* second;
};

}  // namespace blitz::detail

/// Behind an enumerator of an earlier version: the compiler's first line says how it is called now.
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
