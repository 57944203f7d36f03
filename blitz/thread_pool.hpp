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
/// Thread-safety: any thread, including the pool's own workers, may call all members at any time, except the destructor and
/// shutdown. A thread outside the pool that makes a call runs it itself, independently of other callers, and the pool's threads
/// help: k callers use at most num_threads() + k - 1 threads together, and one more while there are jobs of spawn, async or task
/// groups. A worker of another pool is also such a caller. While the call waits, that worker also runs jobs of its own pool.
///
/// A member with the name of a free function is that function in this pool. Loops, reductions and algorithms take the pool as
/// an option; install() runs many calls in it.
///
/// @code
///   blitz::ThreadPool pool({.num_threads = 4});
///   blitz::parallel_for({.pool = &pool}, items, work_on);
///   const double sum = pool.install([&] { return blitz::par(numbers).sum(); });
/// @endcode
///
/// The algorithm: randomised work stealing, R. D. Blumofe, C. E. Leiserson, "Scheduling multithreaded computations by
/// work stealing", JACM 1999. With P threads a computation of work T1 and critical path Tinf takes an expected time of
/// T1/P + O(Tinf).
template <PoolPolicy P>
class BasicThreadPool {
 public:
  /// Starts the threads. Throws ThreadPoolError if a thread cannot be created, a pool cannot have so many threads, or
  /// on_thread_start throws; std::invalid_argument for impossible options, such as a negative number of threads; the exception
  /// of thread_name; std::bad_alloc. If it throws, all threads that had started have ended.
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

  /// @copydoc blitz::join(A&&, B&&)
  /// @param more  Like `b`; the result is then a tuple.
  template <JoinFunction A, JoinFunction B, JoinFunction... More>
  auto join(A&& a, B&& b, More&&... more) {
    return install([&] { return blitz::join(std::forward<A>(a), std::forward<B>(b), std::forward<More>(more)...); });
  }
  /// @copydoc blitz::join_all(R&&)
  template <JoinAllRange R>
  auto join_all(R&& callables) {
    return install([&] { return blitz::join_all(callables); });
  }
  /// @copydoc blitz::join_context(A&&, B&&)
  template <JoinContextFunction A, JoinContextFunction B>
  auto join_context(A&& a, B&& b) {
    return install([&] { return blitz::join_context(std::forward<A>(a), std::forward<B>(b)); });
  }
  /// @copydoc blitz::parallel_invoke
  template <JoinFunction F, JoinFunction G, JoinFunction... More>
  void parallel_invoke(F&& f, G&& g, More&&... more) {
    install([&] { blitz::parallel_invoke(std::forward<F>(f), std::forward<G>(g), std::forward<More>(more)...); });
  }

  /// @copydoc blitz::scope(F&&)
  template <ScopeFunction F>
  decltype(auto) scope(F&& body) {
    return detail::OpenScope{{.pool = this}}.on_worker(std::forward<F>(body));
  }
  /// @copydoc blitz::scope_fifo
  template <ScopeFunction F>
  decltype(auto) scope_fifo(F&& body) {
    return detail::OpenScope{{.order = Order::kFifo, .pool = this}}.on_worker(std::forward<F>(body));
  }
  /// @copydoc blitz::in_place_scope
  template <ScopeFunction F>
  decltype(auto) in_place_scope(F&& body) {
    return detail::OpenScope{{.pool = this}}.in_place(std::forward<F>(body));
  }
  /// @copydoc blitz::in_place_scope_fifo
  template <ScopeFunction F>
  decltype(auto) in_place_scope_fifo(F&& body) {
    return detail::OpenScope{{.order = Order::kFifo, .pool = this}}.in_place(std::forward<F>(body));
  }

  /// @copydoc blitz::spawn(F&&)
  template <SpawnFunction F>
  void spawn(F&& f) {
    detail::spawn_in(*base_, std::forward<F>(f));
  }
  /// @copydoc blitz::spawn_fifo(F&&)
  template <SpawnFunction F>
  void spawn_fifo(F&& f) {
    detail::spawn_fifo_in(*base_, std::forward<F>(f));
  }
  /// @copydoc blitz::spawn_broadcast(F&&)
  template <SpawnBroadcastFunction F>
  void spawn_broadcast(F&& f) {
    detail::spawn_broadcast_in(*base_, std::forward<F>(f));
  }
  /// @copydoc blitz::broadcast(F&&)
  template <BroadcastFunction F>
  auto broadcast(F&& f) {
    return detail::broadcast_in(*base_, std::forward<F>(f));
  }
  /// @copydoc blitz::async(F&&)
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

  /// The maximum number of threads that run a join, a loop or a scope of this pool, including a caller from outside. At least 1.
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

/// The pool that free functions use on threads outside every pool. Starts it with default options, unless init_global_pool has
/// started it.
///
/// At the end of the program, after the destructors of statics that were constructed after the pool, all spawned jobs run. From
/// then on, calls of the thread that ends the program throw ThreadPoolError. Other threads continue their calls until the
/// process ends. While the end of the program waits for spawned jobs, jobs spawned by threads outside every pool wait, too. If
/// only the thread that ends the program has ever called the pool, the pool is shut down. A thread that comes later gets a new
/// pool with default options; a call of the old pool through a reference does not return. Otherwise the pool's threads end with
/// the process, without on_thread_exit. If `dlclose` unloads a plug-in that contains the library, its global pool is always
/// shut down.
/// @return The pool, which must not be used after the end of the program.
/// @throws The exceptions of the constructor of ThreadPool (the next call then tries again). ThreadPoolError after
///         shutdown_global_pool, and in a hook of the global pool while the pool starts.
/// Complexity: O(1), except the first call. Thread-safety: any thread.
/// @code
///   std::printf("%zu threads\n", blitz::global_pool().num_threads());
/// @endcode
[[nodiscard]] BLITZ_API ThreadPool& global_pool();

/// Starts the global pool with these options.
/// @param options  See ThreadPoolOptions.
/// @throws ThreadPoolError if the pool has already been started, by this function or by its first use. The exceptions of the
///         constructor of ThreadPool.
/// Complexity: as for the constructor of ThreadPool. Thread-safety: any thread.
/// @code
///   blitz::init_global_pool({.num_threads = 4});  // at the begin of main()
/// @endcode
BLITZ_API void init_global_pool(ThreadPoolOptions options);

/// Shuts the global pool down permanently. Does nothing if the pool was never started, or after the end of the program. See
/// ThreadPool::shutdown.
/// @throws ThreadPoolError on one of the pool's threads, also in its hooks.
/// Complexity: runs the remaining jobs and joins the threads. Thread-safety: any thread outside the pool.
/// @code
///   blitz::shutdown_global_pool();  // everything that was spawned has run
/// @endcode
BLITZ_API void shutdown_global_pool();

}  // namespace blitz
