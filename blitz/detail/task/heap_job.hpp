/// Jobs on the heap, in the memory of the workers.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/job/job_memory.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

/// Under AddressSanitizer each job is a separate allocation, so that a use after its end is found.
template <class J>
inline constexpr bool kFromJobMemory =
#if defined(BLITZ_ADDRESS_SANITIZER)
    false;
#else
    sizeof(J) <= JobMemory::kLargest && alignof(J) <= alignof(std::max_align_t);
#endif

template <class J>
[[nodiscard]] void* allocate_heap_job([[maybe_unused]] WorkerBase* worker) {
  if constexpr (kFromJobMemory<J>) {
    constexpr std::size_t size_class = JobMemory::class_of(sizeof(J));
    return worker != nullptr ? worker->memory().allocate(size_class) : JobMemory::allocate_outside(size_class);
  } else {
    return ::operator new(sizeof(J), std::align_val_t{alignof(J)});
  }
}

template <class J>
void free_heap_job(void* memory, [[maybe_unused]] WorkerBase* worker) noexcept {
  if constexpr (kFromJobMemory<J>) {
    constexpr std::size_t size_class = JobMemory::class_of(sizeof(J));
    worker != nullptr ? worker->memory().free(memory, size_class) : JobMemory::free_outside(memory, size_class);
  } else {
    ::operator delete(memory, std::align_val_t{alignof(J)});
  }
}

/// Destroys a job and frees its memory. `worker`: the worker that the calling thread runs, or null.
template <class J>
void destroy_heap_job(J* job, WorkerBase* worker) noexcept {
  job->~J();
  free_heap_job<J>(job, worker);
}

struct DestroyHeapJob {
  template <class J>
  void operator()(J* job) const noexcept {
    destroy_heap_job(job, worker);
  }
  WorkerBase* worker = nullptr;
};

/// A job that has not been given to a pool, for the thread that made it.
template <class J>
using HeapJob = Owned<J, DestroyHeapJob>;

/// Makes a job. `worker`: the worker that the calling thread runs, or null. Throws std::bad_alloc and the exceptions of the
/// constructor.
template <class J, class... Args>
[[nodiscard]] HeapJob<J> make_heap_job(WorkerBase* worker, Args&&... args) {
  void* const memory = allocate_heap_job<J>(worker);
  try {
    return HeapJob<J>(::new (memory) J(std::forward<Args>(args)...), DestroyHeapJob{worker});
  } catch (...) {
    free_heap_job<J>(memory, worker);
    throw;
  }
}

}  // namespace blitz::detail
