/// Atomics, fences, mutexes and the processor's yield. All synchronisation in blitz uses these names.
///
/// A test build can replace them by a file of this name in an earlier include directory: the interleaving tests run the library
/// on a deterministic scheduler, the simulation in bench/ runs it on a model of a machine. Asymmetric fences are in
/// asymmetric_fence.hpp, blocking and waking in futex.hpp.
#pragma once

#include <atomic>
#include <mutex>  // also brings the clocks and durations of <chrono>: headers use no more of it

#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

template <class T>
using Atomic = std::atomic<T>;

using Mutex = std::mutex;

/// Orders this thread's accesses for the compiler only; emits no instruction.
inline void compiler_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }

#if defined(BLITZ_THREAD_SANITIZER)
/// Models the total order of fences in a ThreadSanitizer build: one word for the program and its shared libraries.
BLITZ_API inline std::atomic<unsigned> fence_word{0};
#endif

/// A full fence: all earlier accesses are performed before all later ones, also a store before a load.
///
/// ThreadSanitizer does not model fences, so there the fence is a read-modify-write of one common word. These operations are
/// totally ordered and each synchronises with the next, which is stronger than a seq_cst fence.
inline void seq_cst_fence() noexcept {
#if defined(BLITZ_THREAD_SANITIZER)
  fence_word.fetch_add(1, std::memory_order_acq_rel);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// Tells the processor that this is a spin loop; takes a few tens of nanoseconds at most.
inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield" ::: "memory");
#endif
}

/// Lets the system run another thread on this processor.
BLITZ_API void yield_thread() noexcept;

}  // namespace blitz::detail
