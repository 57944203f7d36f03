/// @file
/// The pool that the caller works for, and the entry of the free functions into it.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "blitz/detail/fork_join/fork_join_policy.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz {

/// The number of threads, at least 1, of the pool that the calling thread works for. Outside every pool it starts the global
/// pool and returns its number.
/// @code
///   std::vector<Result> results(blitz::current_num_threads());
/// @endcode
/// @throws The exceptions of global_pool().
/// Complexity: O(1). Thread-safety: any thread.
[[nodiscard]] BLITZ_API std::size_t current_num_threads();

/// The calling thread's index, below current_num_threads(), in the pool that it works for; none if it works for none.
/// @code
///   if (const auto index = blitz::current_thread_index()) ++calls_of[*index];
/// @endcode
/// Complexity: O(1). Thread-safety: any thread.
[[nodiscard]] inline std::optional<std::size_t> current_thread_index() noexcept {
  if (detail::current_worker == nullptr) return std::nullopt;
  return detail::current_worker->index();
}

namespace detail {

/// The worker that the calling thread runs. Null if it runs none, or one of another policy, or a confined one.
[[nodiscard]] inline Worker<ForkJoinPolicy>* default_worker() noexcept {
  return static_cast<Worker<ForkJoinPolicy>*>(hot_worker);
}

/// The global pool while it is started; null before and after.
BLITZ_API extern constinit Atomic<PoolBase*> started_global_pool;

[[nodiscard]] BLITZ_COLD BLITZ_API PoolBase& start_global_pool();

/// The global pool, started if need be, after its throw_if_unusable(); throws as blitz::global_pool() does.
[[nodiscard]] inline PoolBase& global_pool_base() {
  // Pairs with the store (release) after the pool was created. A thread's first call takes the slow path, which excludes the
  // end of the program.
  auto* const pool = started_global_pool.load(std::memory_order_acquire);
  if (pool != nullptr && pool->admitted()) [[likely]]
    return *pool;
  return start_global_pool();
}

/// The pool that the calling thread works for; if there is none, the global pool, which it starts. Throws as global_pool()
/// does.
[[nodiscard]] inline PoolBase& current_pool() {
  if (WorkerBase* const worker = current_worker) return *worker->pool();
  return global_pool_base();
}

inline void enter(PoolBase* pool, PoolCall call, void* argument) { pool->enter(call, argument); }
inline void enter_blocking(PoolBase* pool, PoolCall call, void* argument) { pool->enter_blocking(call, argument); }

/// The pool for a Stay, after throw_if_unusable().
[[nodiscard]] inline PoolBase& pool_to_enter(PoolBase* pool) {
  if (pool == kHere) return global_pool_base();
  pool->throw_if_unusable();
  return *pool;
}

// Two calls of `f`. They are types with names: the symbol of a lambda has the types of its function, too.
template <class R, class F>
struct CallForResult {
  void operator()(WorkerBase& worker) const {
    result.run([&]() -> R { return std::invoke(f, worker); });
  }
  F& f;
  JobResult<R>& result;
};
template <class F>
struct CallWithoutWorker {
  CallResult<F> operator()(WorkerBase& /*worker*/) const { return std::invoke(std::forward<F>(f)); }
  std::remove_reference_t<F>& f;
};

/// Out of line: a caller that finds a vacant slot needs no room for a second copy of its result.
template <class R, EnterPool kEnter, class F>
BLITZ_COLD R result_from_worker(PoolBase* pool, F& f) {
  JobResult<R> result;
  call_on_worker<kEnter>(pool, CallForResult<R, F>{f, result});
  return result.take();
}

/// Calls `f` with a worker of `pool`. If `pool` is null, uses the pool that the caller works for; if there is none, the global
/// pool. Returns or rethrows the outcome of `f`. Throws the exceptions of PoolBase::enter.
template <EnterPool kEnter = enter_pool, class F>
std::invoke_result_t<F, WorkerBase&> on_worker(PoolBase* pool, F&& f) {
  using R = std::invoke_result_t<F, WorkerBase&>;
  if (WorkerBase* const worker = worker_for(pool)) return std::invoke(std::forward<F>(f), *worker);
  if constexpr (std::is_void_v<R>) {
    call_on_worker<kEnter>(pool, std::forward<F>(f));
  } else {
    {
      const Stay stay(pool_to_enter(pool), kEnter == static_cast<EnterPool>(enter_blocking));
      if (stay.worker() != nullptr) return std::invoke(std::forward<F>(f), *stay.worker());
    }
    return result_from_worker<R, kEnter>(pool, f);
  }
}

/// Like on_worker, for an `f` without arguments.
template <EnterPool kEnter, class F>
CallResult<F> in_pool(PoolBase* pool, F&& f) {
  return on_worker<kEnter>(pool, CallWithoutWorker<F>{f});
}

}  // namespace detail
}  // namespace blitz
