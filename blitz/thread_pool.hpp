/// @file
/// The pool, and the global pool.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "blitz/async_handle.hpp"
#include "blitz/broadcast.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/loop/mistake.hpp"
#include "blitz/detail/worker/pool_base.hpp"
#include "blitz/join.hpp"
#include "blitz/join_all.hpp"
#include "blitz/options.hpp"
#include "blitz/parallel_reduce.hpp"
#include "blitz/policy.hpp"
#include "blitz/scope.hpp"
#include "blitz/spawn.hpp"
#include "blitz/stats.hpp"

namespace blitz {

namespace detail {

class PoolAwait;  // blitz/adaptor/coroutine.hpp

extern template Shared<PoolBase> start_pool<ForkJoinPolicy>(ThreadPoolOptions);
extern template Shared<PoolBase> start_pool<AsyncPolicy>(ThreadPoolOptions);

}  // namespace detail

/// A set of threads that run jobs under a scheduling policy: ForkJoinPolicy, AsyncPolicy, or a policy of the program. For the
/// latter, every file that uses the pool must also include blitz/custom_policy.hpp.
///
/// A member with the name of a free function is that function in this pool. Loops, reductions and algorithms take the pool as
/// an option; install() runs many calls in it.
/// @code
///   blitz::ThreadPool pool({.num_threads = 4});
///   blitz::parallel_for({.pool = &pool}, items, work_on);
///   const double sum = pool.install([&] { return blitz::par(numbers).sum(); });
/// @endcode
///
/// Thread-safety: any thread, including the pool's own workers, may call all members at any time, except the destructor and
/// shutdown. A thread outside the pool that makes a call runs it itself, independently of other callers, and the pool's threads
/// help: k callers use at most num_threads() + k - 1 threads together, and one more while there are jobs of spawn, async or
/// task groups. A worker of another pool is also such a caller. While the call waits, that worker also runs jobs of its own
/// pool.
///
/// @par Source
/// Randomised work stealing: R. D. Blumofe, C. E. Leiserson, "Scheduling multithreaded computations by work stealing", JACM
/// 1999. With P threads a computation of work T1 and critical path Tinf takes an expected time of T1/P + O(Tinf).
template <PoolPolicy P>
class BasicThreadPool {
 public:
  /// Starts the threads. Throws ThreadPoolError if a thread cannot be created, a pool cannot have so many threads, or
  /// `on_thread_start` throws; std::invalid_argument for impossible options, such as a negative number of threads; the
  /// exception of `thread_name`; std::bad_alloc. If it throws, all threads that had started have ended.
  /// Complexity: O(n) for n threads, some tens of microseconds each.
  /// @param options  See ThreadPoolOptions. Unnamed options have defaults.
  explicit BasicThreadPool(ThreadPoolOptions options = {}) : base_(detail::start_pool<P>(std::move(options))) {}

  /// @cond
  template <std::integral N>
  explicit BasicThreadPool(N /*num_threads*/) {
    static_assert(!std::integral<N>,
                  "blitz: the number of threads is an option; name it: blitz::ThreadPool pool({.num_threads = 8})");
  }
  template <class Q = P>
  explicit BasicThreadPool(const detail::MisspelledPoolOption& /*option*/) {
    static_assert(
        !std::same_as<P, Q>,
        "blitz: a pool has no such option; name the number of threads: blitz::ThreadPool pool({.num_threads = 8})");
  }
  /// @endcond

  BasicThreadPool(const BasicThreadPool&) = delete;
  BasicThreadPool& operator=(const BasicThreadPool&) = delete;

  /// Like shutdown(). If called on one of the pool's own workers, it ends the program with a message.
  ~BasicThreadPool() { base_->stop(); }

  /// Runs all remaining jobs of the pool, and joins its threads. Idempotent. No other thread may be in a call of this pool.
  /// Throws ThreadPoolError on one of the pool's own workers. Calls made afterwards throw ThreadPoolError.
  void shutdown() { base_->stop(); }

  /// Calls `f` in the pool, on the calling thread, and returns or rethrows its outcome. Inside `f`, the free functions
  /// (blitz::join, ...) use this pool.
  /// @param f  Called once, without arguments.
  /// @return The result of `f`.
  /// @throws The exception of `f`, and ThreadPoolError if the pool was shut down or belongs to the parent of a forked child.
  /// Complexity: O(1), some ten nanoseconds, if there is no other caller; O(k) for k other callers.
  template <std::invocable F>
  decltype(auto) install(F&& f) {
    return detail::in_pool<detail::enter>(base_.get(), std::forward<F>(f));
  }

  /// Like install(), but a calling worker of another pool runs no jobs of that pool while `f` waits. Use it if no other job may
  /// run on this thread before `f` has returned.
  /// @param f  Called once, without arguments.
  /// @return The result of `f`.
  /// @throws The exceptions of install().
  /// Complexity: as for install().
  template <std::invocable F>
  decltype(auto) install_blocking(F&& f) {
    return detail::in_pool<detail::enter_blocking>(base_.get(), std::forward<F>(f));
  }

  /// Runs `a`, `b` and `more` in this pool, possibly in parallel, and returns their results, Unit for void: see blitz::join.
  /// @param a  Called on the calling thread.
  /// @param b  Called after it, or on another worker; so are `more`.
  /// @param more  See `b`.
  /// @return std::pair of the results; with `more` std::tuple.
  /// @throws The exception of the leftmost callable that throws. std::bad_alloc from a queue that cannot grow. ThreadPoolError
  ///         if the pool was shut down or belongs to the parent of a forked child; none is then called.
  /// Complexity: O(n) for n callables, in addition to the calls.
  template <JoinFunction A, JoinFunction B, JoinFunction... More>
  auto join(A&& a, B&& b, More&&... more) {
    return install([&] { return blitz::join(std::forward<A>(a), std::forward<B>(b), std::forward<More>(more)...); });
  }
  /// Calls each callable of a range in this pool, possibly in parallel: see blitz::join_all.
  /// @param callables  Each is called once.
  /// @return std::vector of the results, in the order of the range; nothing if they return void.
  /// @throws The exception of the first callable in the range that throws. std::bad_alloc. ThreadPoolError if the pool was shut
  ///         down or belongs to the parent of a forked child; none is then called.
  /// Complexity: n - 1 joins for n callables.
  template <JoinAllRange R>
  auto join_all(R&& callables) {
    return install([&] { return blitz::join_all(callables); });
  }
  /// Like join(), for callables that take a JoinContext: see blitz::join_context.
  /// @param a  Called on the calling thread; its context.migrated() is false.
  /// @param b  Called after `a`, or on another worker; see JoinContext::migrated().
  /// @return std::pair of the results, Unit for void.
  /// @throws The exceptions of join().
  /// Complexity: O(1) in addition to the two calls.
  template <JoinContextFunction A, JoinContextFunction B>
  auto join_context(A&& a, B&& b) {
    return install([&] { return blitz::join_context(std::forward<A>(a), std::forward<B>(b)); });
  }
  /// Runs all callables in this pool, possibly in parallel, and discards their results: see blitz::parallel_invoke.
  /// @param f  Called on the calling thread.
  /// @param g  Called after it, or on another worker; so are `more`.
  /// @param more  See `g`.
  /// @throws The exceptions of join().
  /// Complexity: O(n) for n callables, in addition to the calls.
  template <JoinFunction F, JoinFunction G, JoinFunction... More>
  void parallel_invoke(F&& f, G&& g, More&&... more) {
    install([&] { blitz::parallel_invoke(std::forward<F>(f), std::forward<G>(g), std::forward<More>(more)...); });
  }

  /// Calls `body(scope)` on a worker of this pool, and waits for all jobs spawned in the scope: see blitz::scope,
  /// which also takes options.
  /// @param body  Called with the scope.
  /// @return The result of the body.
  /// @throws The first exception of the body and the jobs. ThreadPoolError if the pool was shut down or belongs to the parent
  ///         of a forked child; the body is then not called.
  /// Complexity: O(1) in addition to the body and the jobs.
  template <ScopeFunction F>
  decltype(auto) scope(F&& body) {
    return detail::OpenScope{{.pool = this}}.on_worker(std::forward<F>(body));
  }
  /// Like scope(), with Order::kFifo: on one worker, the oldest job of the scope runs first.
  /// @param body  Called with the scope.
  /// @return The result of the body.
  /// @throws The exceptions of scope().
  /// Complexity: O(1) in addition to the body and the jobs.
  template <ScopeFunction F>
  decltype(auto) scope_fifo(F&& body) {
    return detail::OpenScope{{.order = Order::kFifo, .pool = this}}.on_worker(std::forward<F>(body));
  }
  /// Like scope(), but the calling thread does not become a worker of the pool: only the scope's jobs run there. A caller that
  /// is no worker blocks at the end.
  /// @param body  Called with the scope on the calling thread.
  /// @return The result of the body.
  /// @throws The exceptions of scope().
  /// Complexity: O(1) in addition to the body and the jobs.
  template <ScopeFunction F>
  decltype(auto) in_place_scope(F&& body) {
    return detail::OpenScope{{.pool = this}}.in_place(std::forward<F>(body));
  }
  /// Like in_place_scope(), with Order::kFifo: on one worker, the oldest job of the scope runs first.
  /// @param body  Called with the scope on the calling thread.
  /// @return The result of the body.
  /// @throws The exceptions of scope().
  /// Complexity: O(1) in addition to the body and the jobs.
  template <ScopeFunction F>
  decltype(auto) in_place_scope_fifo(F&& body) {
    return detail::OpenScope{{.order = Order::kFifo, .pool = this}}.in_place(std::forward<F>(body));
  }

  /// Spawns a detached job: a worker of this pool calls `f()`. No call waits for the job; the pool's destructor does. For the
  /// order of jobs, and for exceptions of `f`, see blitz::spawn.
  /// @param f  Copied or moved into the job. Objects that it refers to must live until the job has run.
  /// @throws std::bad_alloc, the exception of the closure's move or copy, and ThreadPoolError if the pool was shut down or
  ///         belongs to the parent of a forked child. `f` is then not called.
  /// Complexity: O(1).
  template <SpawnFunction F>
  void spawn(F&& f) {
    detail::spawn_in(*base_, std::forward<F>(f));
  }
  /// Like spawn(), but in first-in, first-out order: of the jobs that one worker has spawned by this function, the oldest runs
  /// first.
  /// @param f  Copied or moved into the job, as by spawn().
  /// @throws The exceptions of spawn().
  /// Complexity: O(1).
  template <SpawnFunction F>
  void spawn_fifo(F&& f) {
    detail::spawn_fifo_in(*base_, std::forward<F>(f));
  }
  /// Spawns one detached job on every worker of this pool: each worker calls `f(context)` once, with a BroadcastContext.
  /// @param f  Copied or moved once; several workers call it concurrently.
  /// @throws The exceptions of spawn(), before any call.
  /// Complexity: O(n) for n workers; each worker is woken.
  template <SpawnBroadcastFunction F>
  void spawn_broadcast(F&& f) {
    detail::spawn_broadcast_in(*base_, std::forward<F>(f));
  }
  /// Calls `f(context)` once on every worker of this pool, with a BroadcastContext, and waits for all calls: see
  /// blitz::broadcast.
  /// @param f  Called through a reference, by several threads concurrently.
  /// @return A `std::vector` of the results, indexed by worker; nothing if `f` returns void.
  /// @throws The exception of the worker with the lowest index; the others are discarded. Before any call, std::bad_alloc, and
  ///         ThreadPoolError if the pool was shut down or belongs to the parent of a forked child.
  /// Complexity: O(n) for n workers; each is woken. A caller outside the pool blocks.
  template <BroadcastFunction F>
  auto broadcast(F&& f) {
    return detail::broadcast_in(*base_, std::forward<F>(f));
  }
  /// Spawns a job with a result: a worker of this pool calls `f()`. The pool's destructor waits for the job, with or without a
  /// handle: see blitz::async.
  /// @param f  Copied or moved into the job.
  /// @return An AsyncHandle for the result.
  /// @throws The exceptions of spawn().
  /// Complexity: O(1); one allocation.
  template <SpawnFunction F>
  [[nodiscard]] auto async(F&& f) {
    return detail::async_in(*base_, std::forward<F>(f));
  }

  /// Returns an awaitable that resumes a coroutine as a job of this pool. See blitz::schedule in blitz/adaptor/coroutine.hpp,
  /// which the program must include.
  /// @param stop  If a stop was requested when the coroutine resumes, the `co_await` throws Stopped.
  /// @throws Nothing; awaiting it throws ThreadPoolError if the pool was shut down.
  template <class S = detail::PoolAwait>
  [[nodiscard]] S schedule(std::stop_token stop = {}) {
    static_assert(
        requires { sizeof(S); },
        "blitz: schedule() was called without coroutines; include <blitz/adaptor/coroutine.hpp>");
    return S(*base_, std::move(stop));
  }

  /// @cond
#define BLITZ_REFUSE_MEMBER(function)                                                                             \
  template <class... A>                                                                                           \
  BLITZ_REFUSE("loops are no members of a pool; pass the pool as an option: blitz::" #function                    \
               "({.pool = &pool}, ...), or run many calls by pool.install(f)")                                    \
  function(A&&... arguments) BLITZ_REFUSED;                                                                       \
  template <class A, class B>                                                                                     \
  BLITZ_REFUSE("the options come first, and the pool is one of them: blitz::" #function "({.pool = &pool}, ...)") \
  function(A&& a, B&& b, const ReduceOptions& options) BLITZ_REFUSED;                                             \
  template <class A, class B, class C>                                                                            \
  BLITZ_REFUSE("the options come first, and the pool is one of them: blitz::" #function "({.pool = &pool}, ...)") \
  function(A&& a, B&& b, C&& c, const ReduceOptions& options) BLITZ_REFUSED
  BLITZ_REFUSE_MEMBER(parallel_for);
  BLITZ_REFUSE_MEMBER(parallel_for_blocks);
  BLITZ_REFUSE_MEMBER(parallel_for_each);
  BLITZ_REFUSE_MEMBER(parallel_for_tiles);
  BLITZ_REFUSE_MEMBER(parallel_reduce);
  BLITZ_REFUSE_MEMBER(parallel_reduce_blocks);
  BLITZ_REFUSE_MEMBER(parallel_transform_reduce);
#undef BLITZ_REFUSE_MEMBER
  /// @endcond

  /// The maximum number of threads that run a join, a loop or a scope of this pool, including a caller from outside. At least
  /// 1.
  [[nodiscard]] std::size_t num_threads() const noexcept { return base_->num_threads(); }

  /// The index of the calling thread among this pool's workers, below num_threads(); none outside this pool.
  [[nodiscard]] std::optional<std::size_t> current_thread_index() const noexcept {
    if (detail::current_worker == nullptr || detail::current_worker->pool() != base_.get()) return std::nullopt;
    return detail::current_worker->index();
  }

  /// Limits the number of workers that look for work from now on. The initial limit is num_threads(). Surplus workers finish
  /// the jobs that they have begun, and then sleep. The limit does not apply to outside callers, which work on their own
  /// threads. O(num_threads()).
  /// @param threads  1 to num_threads().
  /// @throws std::invalid_argument for another number.
  void set_max_concurrency(std::size_t threads) { base_->set_max_concurrency(threads); }
  /// The limit set by set_max_concurrency(); initially num_threads().
  [[nodiscard]] std::size_t max_concurrency() const noexcept { return base_->max_concurrency(); }

  /// Prepares for work: wakes the workers, and keeps those that find no work awake for `time`, so that the next call need not
  /// wait for their wake-up, which takes tens of microseconds. The workers use their processors during that time.
  void warm_up(std::chrono::nanoseconds time = std::chrono::milliseconds(1)) noexcept { base_->warm_up(time); }

  /// The counters of the pool since its construction. O(num_threads()). Throws std::bad_alloc.
  [[nodiscard]] ThreadPoolStats stats() const {
    ThreadPoolStats stats;
    stats.workers.reserve(num_threads());
    for (std::size_t i = 0; i < num_threads(); ++i) {
      stats.workers.push_back(base_->stats(i));
      stats.total += stats.workers.back();
    }
    base_->count_idle(stats.searching, stats.parked);
    return stats;
  }

 private:
  friend detail::PoolBase& detail::base_of<P>(BasicThreadPool<P>& pool) noexcept;

  detail::Shared<detail::PoolBase> base_;
};

namespace detail {

template <class P>
PoolBase& base_of(BasicThreadPool<P>& pool) noexcept {
  return *pool.base_;
}

}  // namespace detail

/// The pool for fork-join programs; see ForkJoinPolicy.
using ThreadPool = BasicThreadPool<ForkJoinPolicy>;

/// The pool for programs with many independent jobs that arrive from many threads; see AsyncPolicy.
using AsyncThreadPool = BasicThreadPool<AsyncPolicy>;

/// The pool that free functions use on threads outside every pool. Starts it with default options, unless init_global_pool()
/// has started it.
///
/// At the end of the program, after the destructors of statics that were constructed after the pool, all spawned jobs run. From
/// then on, calls of the thread that ends the program throw ThreadPoolError. Other threads continue their calls until the
/// process ends. While the end of the program waits for spawned jobs, jobs spawned by threads outside every pool wait, too. If
/// only the thread that ends the program has ever called the pool, the pool is shut down. A thread that comes later gets a new
/// pool with default options; a call of the old pool through a reference does not return. Otherwise the pool's threads end with
/// the process, without `on_thread_exit`. If `dlclose` unloads a plug-in that contains the library, its global pool is always
/// shut down.
/// @code
///   std::printf("%zu threads\n", blitz::global_pool().num_threads());
/// @endcode
/// @return The pool, which must not be used after the end of the program.
/// @throws The exceptions of the constructor of ThreadPool (the next call then tries again). ThreadPoolError after
///         shutdown_global_pool(), and in a hook of the global pool while the pool starts.
/// Complexity: O(1), except the first call. Thread-safety: any thread.
[[nodiscard]] BLITZ_API ThreadPool& global_pool();

/// Starts the global pool with these options.
/// @code
///   blitz::init_global_pool({.num_threads = 4});  // at the begin of main()
/// @endcode
/// @param options  See ThreadPoolOptions.
/// @throws ThreadPoolError if the pool has already been started, by this function or by its first use. The exceptions of the
///         constructor of ThreadPool.
/// Complexity: as for the constructor of ThreadPool. Thread-safety: any thread.
BLITZ_API void init_global_pool(ThreadPoolOptions options);

/// Shuts the global pool down permanently. Does nothing if the pool was never started, or after the end of the program. See
/// ThreadPool::shutdown.
/// @code
///   blitz::shutdown_global_pool();  // everything that was spawned has run
/// @endcode
/// @throws ThreadPoolError on one of the pool's threads, also in its hooks.
/// Complexity: runs the remaining jobs and joins the threads. Thread-safety: any thread outside the pool.
BLITZ_API void shutdown_global_pool();

}  // namespace blitz
