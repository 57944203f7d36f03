/// A pair of fences for one frequent and one rare side. The fence of the frequent side costs nothing.
///
/// Two threads that each store one word and then load the other's need a store-load fence on both sides, or both may
/// miss the other's store. If one side runs a million times as often as the other, the rare side can pay for both:
/// membarrier(2) makes every running thread of this process execute a full fence, so the frequent side only has to
/// prevent reordering by the compiler.
///
///   frequent side                      rare side
///     a.store(1)                         b.store(1)
///     asymmetric_light_fence()           asymmetric_heavy_fence()
///     b.load()                           a.load()
///
/// At least one of the two loads sees the other's store. If the system call is missing or refused, both sides are seq_cst
/// fences. The program determines this once, when it starts.
///
/// The idea: D. Dice, H. Huang, M. Yang, "Asymmetric Dekker synchronization", 2001; the call: membarrier(2).
#pragma once

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

#if defined(BLITZ_NO_ASYMMETRIC_FENCES)

inline constexpr bool membarrier_registered = false;
inline bool register_asymmetric_fences() noexcept { return false; }
inline void membarrier_all() noexcept {}

#else

/// False until the registration with the kernel has succeeded; until then both fences are seq_cst fences. Written once,
/// by the library's initialisation or by the first thread pool, before any worker exists.
BLITZ_API extern constinit bool membarrier_registered;

/// Registers this process with membarrier(2) in the first call. Returns whether the kernel accepted; later calls return the
/// same answer. Must return before the first worker starts. A forked child inherits the registration. Any thread.
BLITZ_API bool register_asymmetric_fences() noexcept;

/// Returns when a membarrier(2) that began after this call has ended. Concurrent calls share one (coalesced_fence.hpp).
BLITZ_API void membarrier_all() noexcept;

#endif

[[nodiscard]] inline bool asymmetric_fences_available() noexcept { return membarrier_registered; }

/// The frequent side: a well-predicted branch, no other instruction.
inline void asymmetric_light_fence() noexcept {
  if (membarrier_registered) [[likely]] {
    compiler_fence();
  } else {
    seq_cst_fence();
  }
}

/// The rare side: about a microsecond, and an interrupt on every processor that runs this process.
inline void asymmetric_heavy_fence() noexcept {
  if (membarrier_registered) [[likely]] {
    membarrier_all();
  } else {
    seq_cst_fence();
  }
}

}  // namespace blitz::detail
