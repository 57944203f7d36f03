/// scope: a block of code that does not end before all that was spawned in it has.
#pragma once

#include "blitz/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "blitz/broadcast_context.hpp"
#include "blitz/core/fifo.hpp"
#include "blitz/core/heap_job.hpp"
#include "blitz/core/job.hpp"
#include "blitz/core/scope_state.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/spawn.hpp"

namespace blitz {

class Scope;

/// What can be spawned in a scope: callable without arguments, or with the scope.
template <class F>
concept ScopeTask = std::invocable<std::decay_t<F>&> || std::invocable<std::decay_t<F>&, Scope&>;

/// What can be spawned on every worker: callable with a BroadcastContext, perhaps after the scope.
template <class F>
concept ScopeBroadcastTask = std::invocable<const std::decay_t<F>&, BroadcastContext> ||
                             std::invocable<const std::decay_t<F>&, Scope&, BroadcastContext>;

/// The body of a scope: callable with a Scope.
template <class F>
concept ScopeBody = std::invocable<F, Scope&>;

/// The fine print of a scope.
struct ScopeOptions {
  /// When a stop is requested here, it is as if by Scope::request_stop.
  std::stop_token stop{};
};

namespace detail {

enum class SpawnOrder : bool { kLifo, kFifo };

struct ScopeAccess;

template <class F>
class ScopeJob;
template <class F>
class ScopeFifoJob;
template <class F>
class ScopeBroadcastJob;

}  // namespace detail

/// An open scope. Made by blitz::scope and its relatives; a reference to it is valid until all that was spawned in it
/// has ended.
///
/// Thread-safety: all members may be called by the scope's body and by the jobs of the scope, at once, and by other
/// threads while one of these certainly runs.
class Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// Has `f()` or `f(scope)` called, perhaps at once, before the scope ends. What `f` throws is kept if it is the first
  /// exception of the scope. Throws std::bad_alloc, and what the closure's move or copy throws; `f` is then not called.
  ///
  /// On one worker: the newest first in scope, the oldest first in scope_fifo. O(1), some ten nanoseconds; the job's
  /// memory comes from the worker's free blocks.
  template <ScopeTask F>
  void spawn(F&& f) {
    if (order_ == detail::SpawnOrder::kFifo) {
      spawn_fifo(std::forward<F>(f));
    } else if (auto* const worker = detail::CurrentWorker<ForkJoinPolicy>::worker;
               worker != nullptr && worker->pool() == &state_.pool()) {
      spawn_on(*worker, std::forward<F>(f));
    } else {
      spawn_elsewhere(std::forward<F>(f));
    }
  }

  /// As spawn; on one worker, the oldest first of those that were spawned so.
  template <ScopeTask F>
  void spawn_fifo(F&& f);

  /// Has `f(context)` or `f(scope, context)` called once on every worker of the pool, before the scope ends. `f` is
  /// copied or moved once, and called by several threads at once. Throws as spawn does, before any call.
  template <ScopeBroadcastTask F>
  void spawn_broadcast(F&& f);

  /// Jobs of the scope that have not begun will not: their closures are destroyed uncalled. Those that run may ask
  /// stop_requested(). The scope then ends as usual.
  void request_stop() noexcept { state_.stop().request(); }
  [[nodiscard]] bool stop_requested() const noexcept { return state_.stop().requested(); }
  /// For whatever takes a token. Allocates at the first call; throws std::bad_alloc.
  [[nodiscard]] std::stop_token stop_token() { return state_.stop().token(); }

 private:
  template <class F>
  friend class detail::ScopeJob;
  template <class F>
  friend class detail::ScopeFifoJob;
  template <class F>
  friend class detail::ScopeBroadcastJob;
  friend struct detail::ScopeAccess;

  Scope(detail::PoolBase& pool, detail::WorkerBase* owner, detail::SpawnOrder order, const ScopeOptions& options)
      : state_(pool, owner, options.stop), order_(order) {}

  template <class W, class F>
  void spawn_on(W& worker, F&& f);
  template <class F>
  [[gnu::noinline]] void spawn_elsewhere(F&& f);

  /// The worker that the calling thread is in the scope's pool; null if it is none.
  [[nodiscard]] detail::WorkerBase* worker_here() const noexcept { return detail::worker_of(state_.pool()); }

  /// Calls a job's closure, unless the scope is to stop.
  template <class F, class... Args>
  void call(F& f, Args&&... args) noexcept {
    if (state_.stop().requested()) return;
    try {
      if constexpr (std::invocable<F&, Scope&, Args...>) {
        static_cast<void>(std::invoke(f, *this, std::forward<Args>(args)...));
      } else {
        static_cast<void>(std::invoke(f, std::forward<Args>(args)...));
      }
    } catch (...) {
      state_.keep_exception();
    }
  }

  detail::ScopeState state_;
  detail::SpawnOrder order_;
  detail::JobFifo fifo_;
};

/// The scopes of scope_fifo. The same type: what differs is the order of Scope::spawn.
using ScopeFifo = Scope;

namespace detail {

/// How the functions below make scopes.
struct ScopeAccess {
  /// Runs a body in a new scope. Returns what it returns; throws the scope's first exception.
  template <class F>
  static CallResult<F, Scope&> run(PoolBase& pool, WorkerBase* owner, SpawnOrder order, const ScopeOptions& options,
                                   F&& body) {
    Scope scope(pool, owner, order, options);
    using R = CallResult<F, Scope&>;
    [[maybe_unused]] ValueOf<R> value = [&]() -> ValueOf<R> {
      try {
        return call_value(std::forward<F>(body), scope);
      } catch (...) {
        scope.state_.keep_exception();
        scope.state_.wait();
        scope.state_.rethrow();
        throw;  // Not reached: there is one to rethrow.
      }
    }();
    scope.state_.wait();
    scope.state_.rethrow();
    if constexpr (!std::is_void_v<R>) return std::forward<ValueOf<R>>(value);
  }
};

/// A job of a scope, with its closure.
template <class F>
class ScopeJob final : public Job {
 public:
  template <class G>
  ScopeJob(Scope& scope, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : Job(&execute_it), scope_(scope), f_(std::forward<G>(f)) {}

 private:
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto* const self = static_cast<ScopeJob*>(job);
    Scope& scope = self->scope_;
    scope.call(self->f_);
    destroy_heap_job(self, &worker);
    scope.state_.finished(worker);
  }

  Scope& scope_;
  F f_;
};

/// The same, in the order of spawning.
template <class F>
class ScopeFifoJob final : public FifoJob {
 public:
  template <class G>
  ScopeFifoJob(Scope& scope, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : FifoJob(scope.fifo_, &run_it, &free_it), scope_(scope), f_(std::in_place, std::forward<G>(f)) {}

 private:
  static void run_it(FifoJob& job, WorkerBase& worker) noexcept {
    auto& self = static_cast<ScopeFifoJob&>(job);
    Scope& scope = self.scope_;
    scope.call(*self.f_);
    self.f_.reset();
    scope.state_.finished(worker);
  }
  static void free_it(FifoJob& job, WorkerBase& worker) noexcept {
    destroy_heap_job(static_cast<ScopeFifoJob*>(&job), &worker);
  }

  Scope& scope_;
  std::optional<F> f_;
};

/// One worker's part of a broadcast.
template <class F>
class ScopeBroadcastJob final : public Job {
 public:
  ScopeBroadcastJob(Scope& scope, std::shared_ptr<const F> f, std::size_t count) noexcept
      : Job(&execute_it), scope_(scope), f_(std::move(f)), count_(count) {}

 private:
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto* const self = static_cast<ScopeBroadcastJob*>(job);
    Scope& scope = self->scope_;
    scope.call(*self->f_, BroadcastContext(worker.index(), self->count_));
    destroy_heap_job(self, &worker);
    scope.state_.finished(worker);
  }

  Scope& scope_;
  std::shared_ptr<const F> f_;
  std::size_t count_;
};

/// Calls `body` in a scope of `pool`, or, if that is null, of the pool that the caller works for, on one of its workers.
template <class F>
CallResult<F, Scope&> scope_here(PoolBase* pool, SpawnOrder order, const ScopeOptions& options, F&& body) {
  return on_worker(pool, [&](WorkerBase& worker) -> CallResult<F, Scope&> {
    return ScopeAccess::run(*worker.pool(), &worker, order, options, std::forward<F>(body));
  });
}

/// Calls `body` in a scope of `pool`, on the calling thread.
template <class F>
CallResult<F, Scope&> scope_in_place(PoolBase& pool, SpawnOrder order, const ScopeOptions& options, F&& body) {
  WorkerBase* const worker = worker_of(pool);
  if (worker == nullptr) pool.throw_if_unusable();
  return ScopeAccess::run(pool, worker, order, options, std::forward<F>(body));
}

}  // namespace detail

template <class W, class F>
void Scope::spawn_on(W& worker, F&& f) {
  using Job = detail::ScopeJob<std::decay_t<F>>;
  detail::WorkerBase& base = worker;
  auto* const job = detail::make_heap_job<Job>(&base, *this, std::forward<F>(f));
  state_.begun(&base);
  try {
    static_cast<void>(worker.offer(job));
  } catch (...) {
    state_.withdrawn(&base);
    detail::destroy_heap_job(job, &base);
    throw;
  }
}

template <class F>
void Scope::spawn_elsewhere(F&& f) {
  if (detail::WorkerBase* const worker = worker_here()) {
    detail::AnyWorker any(*worker);
    spawn_on(any, std::forward<F>(f));
    return;
  }
  using Job = detail::ScopeJob<std::decay_t<F>>;
  auto* const job = detail::make_heap_job<Job>(nullptr, *this, std::forward<F>(f));
  state_.begun(nullptr);
  state_.pool().inject(job);
}

template <ScopeTask F>
void Scope::spawn_fifo(F&& f) {
  using Job = detail::ScopeFifoJob<std::decay_t<F>>;
  detail::WorkerBase* const worker = worker_here();
  auto* const job = detail::make_heap_job<Job>(worker, *this, std::forward<F>(f));
  state_.begun(worker);
  fifo_.push(job);
  detail::push_token(worker, state_.pool(), job);
}

template <ScopeBroadcastTask F>
void Scope::spawn_broadcast(F&& f) {
  using Function = std::decay_t<F>;
  using Job = detail::ScopeBroadcastJob<Function>;
  detail::PoolBase& pool = state_.pool();
  const auto function = std::make_shared<const Function>(std::forward<F>(f));
  const std::size_t count = pool.num_threads();
  detail::HeapJobs<Job> jobs(worker_here(), count, std::ref(*this), function, count);
  for (std::size_t i = 0; i < count; ++i) state_.begun(worker_here());
  jobs.mail(pool);
}

/// Calls `body(scope)` on a worker, waits for everything that was spawned in the scope, also when the body throws, and
/// returns what the body returned. The first exception of the body and the jobs is rethrown, the others are dropped.
/// While it waits the caller runs other jobs of its pool, then sleeps.
///
/// What is spawned may refer to whatever lives longer than the call. All that a job does happens before the return. Any
/// thread; outside every pool the body runs in global_pool(). No allocation but for the jobs.
///
/// After rayon-core's scope.
template <ScopeBody F>
decltype(auto) scope(F&& body, const ScopeOptions& options = {}) {
  return detail::scope_here(detail::kHere, detail::SpawnOrder::kLifo, options, std::forward<F>(body));
}

/// As scope; on one worker, jobs run in the order in which they were spawned.
template <ScopeBody F>
decltype(auto) scope_fifo(F&& body, const ScopeOptions& options = {}) {
  return detail::scope_here(detail::kHere, detail::SpawnOrder::kFifo, options, std::forward<F>(body));
}

/// As scope, with the body on the calling thread, which need not be a worker and does not become one: only what it
/// spawns goes to the pool. A caller that is no worker blocks at the end.
template <ScopeBody F>
decltype(auto) in_place_scope(F&& body, const ScopeOptions& options = {}) {
  return detail::scope_in_place(detail::current_pool(), detail::SpawnOrder::kLifo, options, std::forward<F>(body));
}

/// As in_place_scope, in the order of scope_fifo.
template <ScopeBody F>
decltype(auto) in_place_scope_fifo(F&& body, const ScopeOptions& options = {}) {
  return detail::scope_in_place(detail::current_pool(), detail::SpawnOrder::kFifo, options, std::forward<F>(body));
}

}  // namespace blitz
