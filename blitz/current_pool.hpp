/// Which pool the caller works for, and how the free functions get there.
#pragma once

#include "blitz/base/compiler.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "blitz/async/policy.hpp"
#include "blitz/core/job.hpp"
#include "blitz/core/registry.hpp"
#include "blitz/fork_join/policy.hpp"

namespace blitz {

/// The number of threads of the pool that the calling thread works for, or else of the global pool, which it starts.
/// Throws what global_pool() throws.
[[nodiscard]] BLITZ_API std::size_t current_num_threads();

/// The calling thread's index in the pool that it works for; none if it works for none.
[[nodiscard]] inline std::optional<std::size_t> current_thread_index() noexcept {
  if (detail::current_worker == nullptr) return std::nullopt;
  return detail::current_worker->index();
}

namespace detail {

extern template struct BLITZ_API_CLASS CurrentWorker<ForkJoinPolicy>;
extern template class BLITZ_API_CLASS Worker<ForkJoinPolicy>;
extern template class BLITZ_API_CLASS Registry<ForkJoinPolicy>;
extern template struct BLITZ_API_CLASS CurrentWorker<AsyncPolicy>;
extern template class BLITZ_API_CLASS Worker<AsyncPolicy>;
extern template class BLITZ_API_CLASS Registry<AsyncPolicy>;

/// The global pool's registry while it is started; null before and after.
BLITZ_API extern constinit Atomic<Registry<ForkJoinPolicy>*> started_global_registry;

[[nodiscard]] BLITZ_COLD BLITZ_API Registry<ForkJoinPolicy>& start_global_registry();

/// The registry of the global pool, started if need be, after its throw_if_unusable(); throws as global_pool() does.
[[nodiscard]] inline Registry<ForkJoinPolicy>& global_registry() {
  // Pairs with the store (release) after the pool was made. A thread's first call goes the other way, where the end of
  // the program cannot come between.
  auto* const registry = started_global_registry.load(std::memory_order_acquire);
  if (registry != nullptr && registry->admitted()) [[likely]]
    return *registry;
  return start_global_registry();
}

/// The pool that the calling thread works for, or else the global one, which it starts; throws as global_pool() does.
[[nodiscard]] inline PoolBase& current_pool() {
  if (WorkerBase* const worker = current_worker) return *worker->pool();
  return global_registry();
}

/// How a thread that is not a worker of a pool has `call` made in it. `pool` is a Registry<P>*, not null, or a PoolBase*.
struct Enter {
  template <class Pool>
  void operator()(Pool* pool, PoolCall call, void* argument) const {
    if constexpr (std::is_same_v<Pool, PoolBase>) {
      enter_pool(pool, call, argument);
    } else {
      pool->enter(call, argument);
    }
  }
};
struct EnterBlocking {
  void operator()(PoolBase* pool, PoolCall call, void* argument) const { pool->enter_blocking(call, argument); }
};

/// The pool for a Visit, after throw_if_unusable().
[[nodiscard]] inline PoolBase& pool_for_visit(PoolBase* pool) {
  if (pool == kHere) return global_registry();
  pool->throw_if_unusable();
  return *pool;
}

template <class How, class Pool, class F>
void call_on_worker(Pool* pool, F& f) {
  const auto call = [](void* its_f, WorkerBase& worker) { (*static_cast<F*>(its_f))(worker); };
  How{}(pool, call, const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

/// Out of line: a caller that finds a vacant slot needs no room for a result beside the one that it returns.
template <class R, class How, class Pool, class F>
BLITZ_COLD R result_from_worker(Pool* pool, F& f) {
  JobResult<R> result;
  const auto run = [&](WorkerBase& worker) { result.run([&]() -> R { return std::invoke(f, worker); }); };
  call_on_worker<How>(pool, run);
  return result.take();
}

/// Calls `f` with a worker: of `pool`, or, if that is null, of the pool that the caller works for, or else of the global
/// pool. Returns or rethrows its outcome; throws what PoolBase::enter throws.
template <class How = Enter, class Pool, class F>
std::invoke_result_t<F, WorkerBase&> on_worker(Pool* pool, F&& f) {
  using R = std::invoke_result_t<F, WorkerBase&>;
  if (WorkerBase* const worker = worker_for(pool)) return std::invoke(std::forward<F>(f), *worker);
  if constexpr (std::is_void_v<R>) {
    const auto run = [&](WorkerBase& worker) { std::invoke(std::forward<F>(f), worker); };
    call_on_worker<How>(pool, run);
  } else {
    {
      const Visit visit(pool_for_visit(pool));
      if (visit.worker() != nullptr) return std::invoke(std::forward<F>(f), *visit.worker());
    }
    return result_from_worker<R, How>(pool, f);
  }
}

/// The same of an `f` without arguments.
template <class How = Enter, class Pool, class F>
CallResult<F> in_pool(Pool* pool, F&& f) {
  return on_worker<How>(pool, [&](WorkerBase&) -> CallResult<F> { return std::invoke(std::forward<F>(f)); });
}

}  // namespace detail
}  // namespace blitz
