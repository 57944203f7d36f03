/// Jobs that lie in nobody's frame: made and freed with the memory of the workers.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "blitz/core/worker.hpp"

namespace blitz::detail {

template <class J>
inline constexpr bool kFromJobMemory = sizeof(J) <= JobMemory::kLargest && alignof(J) <= alignof(std::max_align_t);

template <class J>
[[nodiscard]] void* allocate_heap_job(WorkerBase* worker) {
#if defined(BLITZ_ADDRESS_SANITIZER)
  static_cast<void>(worker);  // Each job by itself, so that its use after its end is found.
  return ::operator new(sizeof(J), std::align_val_t{alignof(J)});
#else
  if constexpr (kFromJobMemory<J>) {
    constexpr std::size_t size_class = JobMemory::class_of(sizeof(J));
    return worker != nullptr ? worker->memory().allocate(size_class) : JobMemory::allocate_outside(size_class);
  } else {
    return ::operator new(sizeof(J), std::align_val_t{alignof(J)});
  }
#endif
}

template <class J>
void free_heap_job(void* memory, WorkerBase* worker) noexcept {
#if defined(BLITZ_ADDRESS_SANITIZER)
  static_cast<void>(worker);
  ::operator delete(memory, std::align_val_t{alignof(J)});
#else
  if constexpr (kFromJobMemory<J>) {
    constexpr std::size_t size_class = JobMemory::class_of(sizeof(J));
    worker != nullptr ? worker->memory().free(memory, size_class) : JobMemory::free_outside(memory, size_class);
  } else {
    ::operator delete(memory, std::align_val_t{alignof(J)});
  }
#endif
}

/// Makes a job. `worker`: the one that the calling thread runs, or null. Throws std::bad_alloc, and what the constructor
/// throws.
template <class J, class... Args>
[[nodiscard]] J* make_heap_job(WorkerBase* worker, Args&&... args) {
  void* const memory = allocate_heap_job<J>(worker);
  if constexpr (std::is_nothrow_constructible_v<J, Args...>) {
    return ::new (memory) J(std::forward<Args>(args)...);
  } else {
    try {
      return ::new (memory) J(std::forward<Args>(args)...);
    } catch (...) {
      free_heap_job<J>(memory, worker);
      throw;
    }
  }
}

/// Destroys a job and frees its memory.
template <class J>
void destroy_heap_job(J* job, WorkerBase* worker) noexcept {
  std::destroy_at(job);
  free_heap_job<J>(job, worker);
}

/// Sends the token of a job that is in its list: to the worker's queue, or, where there is no worker or no room, to the
/// injector. So it cannot fail.
inline void push_token(WorkerBase* worker, PoolBase& pool, Job* token) noexcept {
  if (worker != nullptr) {
    try {
      worker->push(token);
      return;
    } catch (...) {
      // There is no memory for a larger queue; the injector needs none.
    }
  }
  pool.inject(token);
}

/// One job for each worker of a pool: all are made, or none.
template <class J>
class HeapJobs {
 public:
  /// Makes `count` jobs from equal arguments. Throws std::bad_alloc, and what the constructor throws.
  template <class... Args>
  HeapJobs(WorkerBase* worker, std::size_t count, const Args&... args) : jobs_(std::make_unique<J*[]>(count)) {
    try {
      for (; count_ < count; ++count_) jobs_[count_] = make_heap_job<J>(worker, args...);
    } catch (...) {
      while (count_ > 0) destroy_heap_job(jobs_[--count_], worker);
      throw;
    }
  }
  /// Sends each to its worker.
  void mail(PoolBase& pool) noexcept {
    for (std::size_t slot = 0; slot < count_; ++slot) pool.mail_to(slot, jobs_[slot]);
  }

 private:
  std::unique_ptr<J*[]> jobs_;
  std::size_t count_ = 0;
};

}  // namespace blitz::detail
