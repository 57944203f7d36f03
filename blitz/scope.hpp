/// @file
/// scope: a block of code that ends after all jobs spawned in it have ended.
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

/// The argument of Scope::spawn(): callable without arguments, or with the scope. It is moved or copied into the job.
template <class F>
concept ScopeSpawnFunction = std::constructible_from<std::decay_t<F>, F> &&
                             (std::invocable<std::decay_t<F>&> || std::invocable<std::decay_t<F>&, Scope&>);

/// The argument of Scope::spawn_broadcast(): callable with a BroadcastContext, or with the scope and a BroadcastContext.
template <class F>
concept ScopeBroadcastFunction = std::invocable<const std::decay_t<F>&, BroadcastContext> ||
                                 std::invocable<const std::decay_t<F>&, Scope&, BroadcastContext>;

/// The body of scope() and its relatives: callable with a Scope.
template <class F>
concept ScopeFunction = std::invocable<F, Scope&>;

/// The order of the jobs of a scope on one worker.
enum class Order : unsigned char {
  kLifo,  ///< The newest first.
  kFifo   ///< The oldest first.
};

/// The options of a scope, which come first in a call. Plain data.
/// @code
///   blitz::scope({.order = blitz::Order::kFifo, .stop = token},
///                [](blitz::Scope& s) { s.spawn([] {}); });
/// @endcode
struct ScopeOptions {
  Order order = Order::kLifo;  ///< The order of the jobs of Scope::spawn on one worker.
  /// Whether the body runs on the calling thread, which need not be a worker and does not become one. Only the scope's jobs run
  /// in the pool. A caller that is no worker blocks at the end.
  bool in_place = false;
  /// A stop request on this token acts like Scope::request_stop.
  std::stop_token stop{};
  PoolRef pool{};  ///< The pool of the scope.
};

namespace detail {

struct OpenScope;

}  // namespace detail

/// @brief An open scope, created by blitz::scope and its relatives. A reference to it is valid until all jobs spawned in it
/// have ended.
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
/// Thread-safety: the scope's body and jobs may call all members concurrently. Other threads may call them only while the body
/// or a job is guaranteed to run.
class Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// @brief Spawns a job of the scope: a worker calls `f()` or `f(scope)` before the scope ends.
  ///
  /// ScopeOptions::order defines the order of the jobs on one worker. The scope keeps the first exception of its jobs.
  ///
  /// @param f  Copied or moved into the job.
  /// @throws std::bad_alloc, and the exception of the closure's move or copy. `f` is then not called.
  /// Complexity: O(1), some ten nanoseconds; the job's memory comes from the worker's free blocks.
  template <ScopeSpawnFunction F>
  void spawn(F&& f) {
    if (order_ == Order::kFifo) {
      spawn_fifo(std::forward<F>(f));
    } else if (auto* const worker = detail::default_worker(); worker != nullptr && worker->pool() == &state_.pool()) {
      detail::spawn_job(worker, state_.pool(), Owner{*this}, std::forward<F>(f));
    } else {
      spawn_elsewhere(std::forward<F>(f));
    }
  }

  /// @cond
  template <class... F>
    requires(sizeof...(F) != 1 || !(ScopeSpawnFunction<F> && ...))
  BLITZ_REFUSE(
      "a scope spawns one callable without arguments, or with the scope; capture the arguments: s.spawn([x] { f(x); "
      "}); "
      "move a callable that cannot be copied: std::move(f)") spawn(F&&... f) BLITZ_REFUSED;
  /// @endcond

  /// @brief Like spawn(), but in first-in, first-out order: on one worker, the oldest job that this function spawned in the
  /// scope runs first.
  /// @param f  Copied or moved into the job.
  /// @throws The exceptions of spawn().
  /// Complexity: O(1), some tens of nanoseconds.
  template <ScopeSpawnFunction F>
  void spawn_fifo(F&& f) {
    detail::spawn_job_fifo(detail::worker_of(state_.pool()), state_.pool(), fifo_, Owner{*this}, std::forward<F>(f));
  }

  /// @brief Spawns one job on every worker of the pool: each worker calls `f(context)` or `f(scope, context)` once.
  ///
  /// @param f  Copied or moved once; several workers call it concurrently.
  /// @throws The exceptions of spawn(), before any call.
  /// Complexity: O(n) for n workers; each worker is woken.
  template <ScopeBroadcastFunction F>
  void spawn_broadcast(F&& f) {
    detail::spawn_broadcast_in(state_.pool(), std::forward<F>(f), Owner{*this});
  }

  /// Requests a stop: jobs of the scope that have not begun are skipped, and their closures are destroyed. Running jobs may
  /// check stop_requested(). The scope then ends as usual.
  void request_stop() noexcept { state_.stop().request(); }
  /// Whether a stop is requested. One load.
  [[nodiscard]] bool stop_requested() const noexcept { return state_.stop().requested(); }
  /// A token for the stop request, for functions that take one. The first call allocates; throws std::bad_alloc.
  [[nodiscard]] std::stop_token stop_token() { return state_.stop().token(); }

 private:
  friend struct detail::OpenScope;

  /// A job's reference to its scope; see detail::JobOwner.
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

  Scope(detail::PoolBase& pool, detail::WorkerBase* owner, const ScopeOptions& options)
      : state_(pool, owner, options.stop), order_(options.order) {}

  template <class F>
  [[gnu::noinline]] void spawn_elsewhere(F&& f) {
    detail::spawn_job(detail::worker_of(state_.pool()), state_.pool(), Owner{*this}, std::forward<F>(f));
  }

  detail::ScopeState state_;
  Order order_;
  detail::JobFifo fifo_;
};

/// The scope of scope_fifo. An alias, because only the order of Scope::spawn differs.
using ScopeFifo = Scope;

namespace detail {

/// Opens a scope, calls its body, and waits for its jobs.
struct OpenScope {
  const ScopeOptions& options;

  /// Runs the body on a worker of the pool.
  template <class F>
  CallResult<F, Scope&> on_worker(F&& body) const {
    return detail::on_worker(options.pool.base(), OnWorker<F>{options, body});
  }

  /// Runs the body on the calling thread.
  template <class F>
  CallResult<F, Scope&> in_place(F&& body) const {
    PoolBase* const where = options.pool.base();
    PoolBase& pool = where != kHere ? *where : current_pool();
    WorkerBase* const worker = worker_of(pool);
    if (worker == nullptr) pool.throw_if_unusable();
    Scope scope(pool, worker, options);
    return scope.state_.run(scope, std::forward<F>(body));
  }

 private:
  // A type with a name: the symbol of a lambda has the types of its function, too.
  template <class F>
  struct OnWorker {
    CallResult<F, Scope&> operator()(WorkerBase& worker) const {
      Scope scope(*worker.pool(), &worker, options);
      return scope.state_.run(scope, std::forward<F>(body));
    }
    const ScopeOptions& options;
    std::remove_reference_t<F>& body;
  };
};

}  // namespace detail

/// @brief Calls `body(scope)` on a worker and waits for all jobs spawned in the scope, even if the body throws.
///
/// If the caller is a worker, the body runs on the calling thread; otherwise on a worker of global_pool(). With
/// ScopeOptions::pool, it runs on a worker of that pool. While the caller waits, it runs other jobs of its pool, then sleeps.
/// Jobs may refer to all objects that outlive the call. Each job happens before the return. No allocation except for the jobs.
///
/// @code
///   int left = 0, right = 0;
///   blitz::scope([&](blitz::Scope& s) {
///     s.spawn([&] { left = 1; });
///     s.spawn([&] { right = 2; });
///   });
/// @endcode
///
/// @par Source
/// rayon-core's scope.
///
/// @param body     Called with the scope.
/// @return The result of the body.
/// @throws The first exception of the body and the jobs; the others are discarded. The exceptions of global_pool() and, with a
///         stop token, std::bad_alloc; the body is then not called.
/// Complexity: O(1) in addition to the body and the jobs. Thread-safety: any thread.
template <ScopeFunction F>
decltype(auto) scope(F&& body) {
  return detail::OpenScope{ScopeOptions{}}.on_worker(std::forward<F>(body));
}
/// @copydoc blitz::scope(F&&)
/// @param options  The order of the jobs, the thread of the body, a stop token, the pool.
template <ScopeFunction F>
decltype(auto) scope(const ScopeOptions& options, F&& body) {
  const detail::OpenScope open{options};
  return options.in_place ? open.in_place(std::forward<F>(body)) : open.on_worker(std::forward<F>(body));
}

/// @cond
template <class F>
  requires(!ScopeFunction<F>)
BLITZ_REFUSE(
    "the body of a scope does not take the scope by reference; use "
    "blitz::scope([&](blitz::Scope& s) { s.spawn(f); })") scope(F&& body) BLITZ_REFUSED;
template <class F>
  requires(!ScopeFunction<F>)
BLITZ_REFUSE(
    "the body of a scope does not take the scope by reference; use "
    "blitz::scope({.stop = token}, [&](blitz::Scope& s) { s.spawn(f); })")
    scope(const ScopeOptions& options, F&& body) BLITZ_REFUSED;
template <class F>
BLITZ_REFUSE("the options come first: blitz::scope({.stop = token}, [&](blitz::Scope& s) { s.spawn(f); })")
scope(F&& body, const ScopeOptions& options) BLITZ_REFUSED;
/// @endcond

/// @brief scope() with Order::kFifo, under its name in Rayon.
/// @code
///   blitz::scope_fifo([&](blitz::Scope& s) {
///     for (Part& part : parts) s.spawn([&part] { part.load(); });
///   });
/// @endcode
/// @param body     Called with the scope.
/// @return The result of the body.
/// @throws The exceptions of scope(). Complexity: O(1) in addition to the body and the jobs. Thread-safety: any thread.
template <ScopeFunction F>
decltype(auto) scope_fifo(F&& body) {
  return detail::OpenScope{{.order = Order::kFifo}}.on_worker(std::forward<F>(body));
}

/// @brief scope() with `in_place`, under its name in Rayon.
/// @code
///   blitz::in_place_scope([&](blitz::Scope& s) {
///     for (Part& part : parts) s.spawn([&part] { part.load(); });
///   });
/// @endcode
/// @param body     Called with the scope on the calling thread.
/// @return The result of the body.
/// @throws The exceptions of scope(). Complexity: O(1) in addition to the body and the jobs. Thread-safety: any thread.
template <ScopeFunction F>
decltype(auto) in_place_scope(F&& body) {
  return detail::OpenScope{{}}.in_place(std::forward<F>(body));
}

/// @brief in_place_scope() with Order::kFifo, under its name in Rayon.
/// @code
///   blitz::in_place_scope_fifo([&](blitz::Scope& s) {
///     for (Part& part : parts) s.spawn([&part] { part.load(); });
///   });
/// @endcode
/// @param body     Called with the scope on the calling thread.
/// @return The result of the body.
/// @throws The exceptions of scope(). Complexity: O(1) in addition to the body and the jobs. Thread-safety: any thread.
template <ScopeFunction F>
decltype(auto) in_place_scope_fifo(F&& body) {
  return detail::OpenScope{{.order = Order::kFifo}}.in_place(std::forward<F>(body));
}

/// @cond
template <class F>
BLITZ_REFUSE("scope_fifo has no options; use blitz::scope({.order = blitz::Order::kFifo, .stop = token}, body)")
scope_fifo(F&& body, const ScopeOptions& options) BLITZ_REFUSED;
template <class F>
BLITZ_REFUSE("in_place_scope has no options; use blitz::scope({.in_place = true, .stop = token}, body)")
in_place_scope(F&& body, const ScopeOptions& options) BLITZ_REFUSED;
template <class F>
BLITZ_REFUSE(
    "in_place_scope_fifo has no options; use blitz::scope({.order = blitz::Order::kFifo, .in_place = true}, body)")
in_place_scope_fifo(F&& body, const ScopeOptions& options) BLITZ_REFUSED;
/// @endcond

}  // namespace blitz
