/// @file
/// scope: a block of code that does not end before all that was spawned in it has.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "blitz/current_pool.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/detail/task/scope_state.hpp"
#include "blitz/detail/task/spawned_job.hpp"
#include "blitz/detail/worker/fifo.hpp"
#include "blitz/pool_ref.hpp"
#include "blitz/spawn.hpp"

namespace blitz {

class Scope;

/// What Scope::spawn() takes: callable without arguments, or with the scope, and moved or copied from what is given.
template <class F>
concept ScopeTask = std::constructible_from<std::decay_t<F>, F> &&
                    (std::invocable<std::decay_t<F>&> || std::invocable<std::decay_t<F>&, Scope&>);

/// What Scope::spawn_broadcast() takes: callable with a BroadcastContext, perhaps after the scope.
template <class F>
concept ScopeBroadcastTask = std::invocable<const std::decay_t<F>&, BroadcastContext> ||
                             std::invocable<const std::decay_t<F>&, Scope&, BroadcastContext>;

/// The body of scope() and its relatives: callable with a Scope.
template <class F>
concept ScopeBody = std::invocable<F, Scope&>;

/// Options of a scope. Plain data.
/// @code
///   blitz::scope([](blitz::Scope& s) { s.spawn([] {}); }, {.stop = token});
/// @endcode
struct ScopeOptions {
  /// A stop that is requested here acts as Scope::request_stop.
  std::stop_token stop{};
  PoolRef pool{};  ///< The pool of the scope.
};

namespace detail {

enum class SpawnOrder : bool { kLifo, kFifo };

struct OpenScope;

}  // namespace detail

/// @brief An open scope. blitz::scope and its relatives make it; a reference to it is valid until all that was spawned
/// in it has ended.
///
/// @code
///   blitz::scope([&](blitz::Scope& s) {
///     for (Part& part : parts) {
///       s.spawn([&] {
///         if (!part.load()) s.request_stop();
///       });
///     }
///   });
/// @endcode
///
/// Thread-safety: the scope's body and the scope's jobs may call all members, at the same time; other threads may while
/// one of these certainly runs.
class Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// @brief Spawns a job of the scope: a worker calls `f()` or `f(scope)`, perhaps at once, before the scope ends.
  ///
  /// On one worker the newest job runs first in scope, the oldest in scope_fifo. The scope keeps the exception of `f`
  /// if it is the scope's first.
  ///
  /// @param f  Copied or moved into the job.
  /// @throws std::bad_alloc, and what the closure's move or copy throws; `f` is then not called.
  /// Complexity: O(1), some ten nanoseconds; the job's memory comes from the worker's free blocks.
  template <ScopeTask F>
  void spawn(F&& f) {
    if (order_ == detail::SpawnOrder::kFifo) {
      spawn_fifo(std::forward<F>(f));
    } else if (auto* const worker = detail::default_worker(); worker != nullptr && worker->pool() == &state_.pool()) {
      detail::spawn_job(worker, state_.pool(), Owner{*this}, std::forward<F>(f));
    } else {
      spawn_elsewhere(std::forward<F>(f));
    }
  }

  /// @cond
  template <class... F>
    requires(sizeof...(F) != 1 || !(ScopeTask<F> && ...))
  BLITZ_REFUSE(
      "a scope spawns one callable without arguments, or with the scope, which captures what it needs: "
      "s.spawn([x] { f(x); }); one that cannot be copied is given up with std::move(f)") spawn(F&&... f) BLITZ_REFUSED;
  /// @endcond

  /// @brief The same as spawn(), but in first-in, first-out order: of the jobs that were spawned in the scope by this
  /// function, the oldest runs first on one worker.
  /// @param f  Copied or moved into the job.
  /// @throws What spawn() throws.
  /// Complexity: O(1), some tens of nanoseconds.
  template <ScopeTask F>
  void spawn_fifo(F&& f) {
    detail::spawn_job_fifo(detail::worker_of(state_.pool()), state_.pool(), fifo_, Owner{*this}, std::forward<F>(f));
  }

  /// @brief The same as spawn(), but of a job on every worker of the pool: each calls `f(context)` or
  /// `f(scope, context)` once.
  ///
  /// @param f  Copied or moved once; several workers call it at once.
  /// @throws What spawn() throws, before any call.
  /// Complexity: O(n) for n workers, each of which is woken.
  template <ScopeBroadcastTask F>
  void spawn_broadcast(F&& f) {
    detail::spawn_broadcast_in(state_.pool(), std::forward<F>(f), Owner{*this});
  }

  /// Jobs of the scope that have not begun will not: their closures are destroyed uncalled. Those that run may ask
  /// stop_requested(). The scope then ends as usual.
  void request_stop() noexcept { state_.stop().request(); }
  /// Whether a stop is requested. One load.
  [[nodiscard]] bool stop_requested() const noexcept { return state_.stop().requested(); }
  /// A token that tells of the request to stop, for functions that take one. Allocates at the first call; throws
  /// std::bad_alloc.
  [[nodiscard]] std::stop_token stop_token() { return state_.stop().token(); }

 private:
  friend struct detail::OpenScope;

  /// What a job knows of its scope; see detail::JobOwner.
  struct Owner {
    void begun(const detail::WorkerBase* spawner, const detail::PoolBase& /*pool*/) const noexcept {
      scope.state_.begun(spawner);
    }
    template <class F>
    void call(F& f) const {
      if (scope.stop_requested()) return;
      if constexpr (std::invocable<F&, Scope&>) {
        static_cast<void>(std::invoke(f, scope));
      } else {
        static_cast<void>(std::invoke(f));
      }
    }
    void failed(detail::WorkerBase& /*worker*/) const noexcept { scope.state_.keep_exception(); }
    void finished(detail::WorkerBase& worker) const noexcept { scope.state_.finished(worker); }

    Scope& scope;
  };

  Scope(detail::PoolBase& pool, detail::WorkerBase* owner, detail::SpawnOrder order, const ScopeOptions& options)
      : state_(pool, owner, options.stop), order_(order) {}

  template <class F>
  [[gnu::noinline]] void spawn_elsewhere(F&& f) {
    detail::spawn_job(detail::worker_of(state_.pool()), state_.pool(), Owner{*this}, std::forward<F>(f));
  }

  detail::ScopeState state_;
  detail::SpawnOrder order_;
  detail::JobFifo fifo_;
};

/// The scopes of scope_fifo. The same type: what differs is the order of Scope::spawn.
using ScopeFifo = Scope;

namespace detail {

/// Opens a scope, calls its body, and waits for its jobs.
struct OpenScope {
  SpawnOrder order;
  const ScopeOptions& options;
  PoolBase* where = options.pool.base();

  /// With the body on a worker of the pool.
  template <class F>
  CallResult<F, Scope&> on_worker(F&& body) const {
    const auto call = [&](WorkerBase& worker) -> CallResult<F, Scope&> {
      Scope scope(*worker.pool(), &worker, order, options);
      return scope.state_.run(scope, std::forward<F>(body));
    };
    return detail::on_worker(where, call);
  }

  /// With the body on the calling thread.
  template <class F>
  CallResult<F, Scope&> in_place(F&& body) const {
    PoolBase& pool = where != kHere ? *where : current_pool();
    WorkerBase* const worker = worker_of(pool);
    if (worker == nullptr) pool.throw_if_unusable();
    Scope scope(pool, worker, order, options);
    return scope.state_.run(scope, std::forward<F>(body));
  }
};

}  // namespace detail

/// @brief Calls `body(scope)` on a worker and waits for everything that was spawned in the scope, also when the body
/// throws.
///
/// The body runs on a worker of the pool that the caller works for, or else of global_pool(); if the caller is a worker,
/// on the caller. While it waits the caller runs other jobs of its pool, then sleeps. What is spawned may refer to all
/// that lives longer than the call, and all that a job does happens before the return. No allocation except for the
/// jobs.
///
/// @code
///   int left = 0, right = 0;
///   blitz::scope([&](blitz::Scope& s) {
///     s.spawn([&] { left = 1; });
///     s.spawn([&] { right = 2; });
///   });
/// @endcode
///
/// After rayon-core's scope.
///
/// @param body     Called with the scope.
/// @param options  A stop token, and the pool.
/// @return What the body returns.
/// @throws The first exception of the body and the jobs; the others are dropped. What global_pool() throws, and, with
///         `options.stop`, std::bad_alloc; the body is then not called.
/// Complexity: O(1) beside the body and the jobs. Thread-safety: any thread.
template <ScopeBody F>
decltype(auto) scope(F&& body, const ScopeOptions& options = {}) {
  return detail::OpenScope{detail::SpawnOrder::kLifo, options}.on_worker(std::forward<F>(body));
}

/// @cond
template <class F>
  requires(!ScopeBody<F>)
BLITZ_REFUSE(
    "the body of a scope takes the scope by reference, and spawns in it: "
    "blitz::scope([&](blitz::Scope& s) { s.spawn(f); })")
    scope(F&& body, const ScopeOptions& options = {}) BLITZ_REFUSED;
/// @endcond

/// @brief The same as scope(), but on one worker the jobs of Scope::spawn run in the order in which they were spawned.
/// @param body     Called with the scope.
/// @param options  A stop token, and the pool.
/// @return What the body returns.
/// @throws What scope() throws. Complexity: O(1) beside the body and the jobs. Thread-safety: any thread.
/// @code
///   blitz::scope_fifo([&](blitz::Scope& s) {
///     for (Part& part : parts) s.spawn([&part] { part.load(); });
///   });
/// @endcode
template <ScopeBody F>
decltype(auto) scope_fifo(F&& body, const ScopeOptions& options = {}) {
  return detail::OpenScope{detail::SpawnOrder::kFifo, options}.on_worker(std::forward<F>(body));
}

/// @brief The same as scope(), but with the body on the calling thread, which need not be a worker and does not become
/// one: only what it spawns goes to the pool. A caller that is no worker blocks at the end.
/// @param body     Called with the scope on the calling thread.
/// @param options  A stop token, and the pool.
/// @return What the body returns.
/// @throws What scope() throws. Complexity: O(1) beside the body and the jobs. Thread-safety: any thread.
/// @code
///   blitz::in_place_scope([&](blitz::Scope& s) {
///     for (Part& part : parts) s.spawn([&part] { part.load(); });
///   });
/// @endcode
template <ScopeBody F>
decltype(auto) in_place_scope(F&& body, const ScopeOptions& options = {}) {
  return detail::OpenScope{detail::SpawnOrder::kLifo, options}.in_place(std::forward<F>(body));
}

/// @brief The same as in_place_scope(), in the order of scope_fifo().
/// @param body     Called with the scope on the calling thread.
/// @param options  A stop token, and the pool.
/// @return What the body returns.
/// @throws What scope() throws. Complexity: O(1) beside the body and the jobs. Thread-safety: any thread.
/// @code
///   blitz::in_place_scope_fifo([&](blitz::Scope& s) {
///     for (Part& part : parts) s.spawn([&part] { part.load(); });
///   });
/// @endcode
template <ScopeBody F>
decltype(auto) in_place_scope_fifo(F&& body, const ScopeOptions& options = {}) {
  return detail::OpenScope{detail::SpawnOrder::kFifo, options}.in_place(std::forward<F>(body));
}

}  // namespace blitz
