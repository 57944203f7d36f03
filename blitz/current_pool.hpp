/// Which pool the caller works for, and how the free functions get there.
#pragma once

#include "blitz/base/compiler.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "blitz/async/policy.hpp"
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

/// Calls `f` with the worker of a pool of another policy, or in the global pool.
template <class F>
[[gnu::noinline]] decltype(auto) on_other_pool(F&& f) {
  if (WorkerBase* const worker = current_worker) return std::invoke(std::forward<F>(f), *worker);
  return global_registry().in_worker_from_no_pool(std::forward<F>(f));
}

/// Calls `f` with a worker: of the pool that the caller works for, or else of the global pool. `f` takes either kind of
/// worker, Worker<ForkJoinPolicy>& or WorkerBase&, and returns the same for both.
template <class F>
BLITZ_ALWAYS_INLINE decltype(auto) on_current_pool(F&& f) {
  if (auto* const worker = CurrentWorker<ForkJoinPolicy>::worker) [[likely]]
    return std::invoke(std::forward<F>(f), *worker);
  return on_other_pool(std::forward<F>(f));
}

}  // namespace detail
}  // namespace blitz
