/// The distance at which two words written by different threads do not share a cache line.
///
/// Not std::hardware_destructive_interference_size: it changes with -mtune, and clang with libstdc++ lacks it. The
/// compiled library and the user's code must agree on layouts, so the number is fixed per architecture.
#pragma once

#include <cstddef>

namespace blitz::detail {

#if defined(__x86_64__) || defined(_M_X64) || defined(__aarch64__) || defined(_M_ARM64)
/// x86-64 has lines of 64 bytes but fetches them in adjacent pairs; several aarch64 processors have lines of 128.
inline constexpr std::size_t kCacheLine = 128;
#else
inline constexpr std::size_t kCacheLine = 64;
#endif

}  // namespace blitz::detail
