/// @file
/// broadcast: a call on every worker, with the results.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/current_pool.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/detail/worker/caller_latch.hpp"
#include "blitz/spawn.hpp"

namespace blitz {

/// The argument of broadcast(): a SpawnBroadcastFunction without a result, or with one that can be collected.
template <class F>
concept BroadcastFunction =
    SpawnBroadcastFunction<F> && !std::is_reference_v<std::invoke_result_t<const std::decay_t<F>&, BroadcastContext>>;

namespace detail {

/// Shared by the jobs of a broadcast. The last job to end sets the latch.
template <class F>
struct Broadcast {
  F& f;
  CallerLatch latch;
  Atomic<std::size_t> unfinished;
};

/// The job of one worker, and its outcome.
template <class F>
struct BroadcastJob final : Job {
  BroadcastJob() noexcept : Job(&execute_it) {}

  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto& self = *static_cast<BroadcastJob*>(job);
    Broadcast<F>& all = *self.all;
    try {
      self.value.emplace(call_value(all.f, context_of(worker)));
    } catch (...) {
      self.error = std::current_exception();
    }
    // Release and acquire: all outcomes are visible to the thread that the last job wakes.
    if (all.unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) all.latch.set();
  }

  Broadcast<F>* all = nullptr;
  std::optional<CallValue<F&, BroadcastContext>> value;
  std::exception_ptr error;
};

template <class F>
auto broadcast_in(PoolBase& pool, F&& f) {
  using Callable = std::remove_reference_t<F>;
  using J = BroadcastJob<Callable>;
  WorkerBase* const worker = worker_of(pool);
  if (worker == nullptr) pool.throw_if_unusable();
  WorkerBase* const here = worker != nullptr ? worker->at_home() : nullptr;

  const std::size_t count = pool.num_threads();
  const auto jobs = make_array<J>(count);
  constexpr bool kHasValues = !std::is_void_v<std::invoke_result_t<Callable&, BroadcastContext>>;
  std::vector<CallValue<Callable&, BroadcastContext>> values;
  if constexpr (kHasValues) values.reserve(count);  // Allocate before the first call.
  Broadcast<Callable> all{f, CallerLatch(&pool), {count}};
  for (std::size_t slot = 0; slot < count; ++slot) {
    jobs[slot].all = &all;
    if (here == nullptr || slot != here->index()) pool.mail_to(slot, &jobs[slot]);
  }
  if (here != nullptr) execute_at_home(&jobs[here->index()], *worker);  // Like its mail.
  all.latch.wait();

  for (std::size_t slot = 0; slot < count; ++slot) {
    if (jobs[slot].error != nullptr) std::rethrow_exception(std::move(jobs[slot].error));
  }
  if constexpr (kHasValues) {
    for (std::size_t slot = 0; slot < count; ++slot) values.push_back(std::move(*jobs[slot].value));
    return values;
  }
}

}  // namespace detail

/// @brief Calls `f(context)` once on every worker of the caller's pool, and waits for all calls. Outside every pool it uses the
/// global pool.
///
/// A busy worker makes its call when it next looks for work, after the jobs of its queue. A waiting worker makes it during the
/// wait, also inside isolate, except inside isolate in another pool. All calls are made, even if some throw.
///
/// @code
///   const std::vector<std::size_t> indices =
///       blitz::broadcast([](blitz::BroadcastContext c) { return c.index(); });
/// @endcode
/// @param f  Called through a reference, by several threads concurrently.
/// @return A `std::vector` of the results, indexed by worker; nothing if `f` returns void.
/// @throws The exception of the worker with the lowest index; the others are discarded. Before any call, std::bad_alloc and the
///         exceptions of global_pool().
/// Complexity: O(n) for n workers; each is woken. Thread-safety: any thread; a caller outside the pool blocks.
template <BroadcastFunction F>
auto broadcast(F&& f) {
  return detail::broadcast_in(detail::current_pool(), std::forward<F>(f));
}

/// @cond
template <class F>
  requires(!BroadcastFunction<F>)
BLITZ_REFUSE(
    "the function of broadcast cannot be called with the context, which knows the worker; use "
    "blitz::broadcast([](blitz::BroadcastContext c) { return c.index(); })") broadcast(F&& f) BLITZ_REFUSED;
/// @endcond

}  // namespace blitz
