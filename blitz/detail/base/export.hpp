/// Macros for declarations and build modes, and functions that hide the origin of a value from the optimiser.
///
/// BLITZ_API marks the symbols that the shared library exports; all others are hidden.
///
/// BLITZ_TLS marks thread-local variables that every call reads. Their offset is fixed when the program starts, so
/// position-independent code also reads them with two loads and no call. glibc reserves room for the few bytes of a library
/// that is loaded later by dlopen; other C libraries may not.
#pragma once

#include <cstddef>  // defines __GLIBC__

#if defined(__GNUC__)
#define BLITZ_API [[gnu::visibility("default")]]
#define BLITZ_COLD [[gnu::cold, gnu::noinline]]
#define BLITZ_ALWAYS_INLINE [[gnu::always_inline]] inline
#define BLITZ_LAMBDA_INLINE __attribute__((always_inline))
#else
#define BLITZ_API
#define BLITZ_COLD
#define BLITZ_ALWAYS_INLINE inline
#define BLITZ_LAMBDA_INLINE
#endif

#if defined(__GNUC__) && defined(__GLIBC__)
#define BLITZ_TLS [[gnu::tls_model("initial-exec")]]
#else
#define BLITZ_TLS
#endif

// The active sanitizer. Headers of other libraries, such as Eigen, define a __has_feature for compilers that have none.
#if defined(__clang__)
#define BLITZ_HAS_FEATURE(name) __has_feature(name)
#else
#define BLITZ_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || BLITZ_HAS_FEATURE(thread_sanitizer)
#define BLITZ_THREAD_SANITIZER 1
#endif
#if defined(__SANITIZE_ADDRESS__) || BLITZ_HAS_FEATURE(address_sanitizer)
#define BLITZ_ADDRESS_SANITIZER 1
#endif
#undef BLITZ_HAS_FEATURE

// Between BEGIN and END, code may depend on BLITZ_OPTIMIZES. Without the optimiser it is in another namespace, because two
// files of a program that are compiled differently must not define the same function in two ways.
#if defined(__OPTIMIZE__) || !defined(__GNUC__)
#define BLITZ_OPTIMIZES true
#define BLITZ_BEGIN_BY_OPTIMIZATION
#define BLITZ_END_BY_OPTIMIZATION
#else
#define BLITZ_OPTIMIZES false
#define BLITZ_BEGIN_BY_OPTIMIZATION inline namespace unoptimized {
#define BLITZ_END_BY_OPTIMIZATION }
#endif

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

/// Like opaque(), for a `value` that is written to memory: later uses of its parts do not affect how they were kept in
/// registers before.
template <class T>
[[nodiscard]] BLITZ_ALWAYS_INLINE T opaque_memory(T value) noexcept {
#if defined(__GNUC__)
  asm("" : "+m"(value));
#endif
  return value;
}

}  // namespace blitz::detail
