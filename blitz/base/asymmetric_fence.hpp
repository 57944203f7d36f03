/// A pair of fences of which one side costs nothing.
///
/// Two threads that each store one word and then load the other's need a store-load fence on both sides, or both may
/// miss the other's store. Where one side runs a million times as often as the other, the rare side can pay for both:
/// membarrier(2) makes every running thread of this process execute a full fence, so the frequent side needs to keep
/// its order only against the compiler.
///
///   frequent side                      rare side
///     a.store(1)                         b.store(1)
///     asymmetric_light_fence()           asymmetric_heavy_fence()
///     b.load()                           a.load()
///
/// At least one of the two loads sees the other's store. Where the system call is missing or refused, which is found
/// out once, when the program starts, both sides are seq_cst fences.
///
/// The idea: D. Dice, H. Huang, M. Yang, "Asymmetric Dekker synchronization", 2001; the call: membarrier(2).
#pragma once

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"

namespace blitz::detail {

#if defined(BLITZ_NO_ASYMMETRIC_FENCES)

inline constexpr bool asymmetric_fences_available() noexcept { return false; }
inline void asymmetric_light_fence() noexcept { seq_cst_fence(); }
inline void asymmetric_heavy_fence() noexcept { seq_cst_fence(); }

#else

/// False until the registration with the kernel has succeeded: a fence before that is a real one, on both sides.
/// Written once, by the library's initialisation or by the first thread pool, before any worker exists.
BLITZ_API extern constinit bool membarrier_registered;

/// Registers this process with membarrier(2): the first call does, and those that follow return its answer. Must have
/// returned before the first worker starts; a forked child inherits the registration. Any thread. Returns whether the
/// kernel accepted.
BLITZ_API bool register_asymmetric_fences() noexcept;

/// Returns after a system call that began after this call: a full fence on every running thread of this process. Calls
/// that come at the same time share one (coalesced_fence.hpp).
BLITZ_API void membarrier_all() noexcept;

[[nodiscard]] inline bool asymmetric_fences_available() noexcept { return membarrier_registered; }

/// The side that runs often: no instruction but a well predicted branch.
inline void asymmetric_light_fence() noexcept {
  if (membarrier_registered) [[likely]] {
    compiler_fence();
  } else {
    seq_cst_fence();
  }
}

/// The side that runs rarely: about a microsecond, and an interrupt for each processor that runs this process. Those that
/// come while another is under way wait for it, and then share the next.
inline void asymmetric_heavy_fence() noexcept {
  if (membarrier_registered) [[likely]] {
    membarrier_all();
  } else {
    seq_cst_fence();
  }
}

#endif

}  // namespace blitz::detail
