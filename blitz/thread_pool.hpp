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

/// A set of threads that run jobs, under a scheduling policy: ForkJoinPolicy, AsyncPolicy, or one of the program's own,
/// for which every file that uses the pool includes blitz/custom_policy.hpp as well.
///
/// Thread-safety: all members but the destructor and shutdown may be called by any thread, the pool's own workers
/// included, at any time. A thread outside the pool that makes a call runs it itself, whatever other callers do, and the
/// pool's threads help: k callers use at most num_threads() + k - 1 threads together. A worker of another pool that
/// makes a call is such a caller. While the call waits, it runs jobs of its own pool as well.
///
/// A member that has the name of a free function does the same in this pool. Loops, reductions and algorithms have the pool
/// among their options; install() runs many calls in it.
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
  /// Starts the threads. Throws ThreadPoolError if they, or one of them, cannot be had, or on_thread_start throws;
  /// std::invalid_argument for options that no machine could honour; whatever thread_name throws; std::bad_alloc.
  /// After an exception all threads that had started are gone. Costs some tens of microseconds for each thread.
  /// @param options  See ThreadPoolOptions; those that are not named have defaults.
  explicit BasicThreadPool(ThreadPoolOptions options = {}) : base_(detail::start_pool<P>(std::move(options))) {}

  /// @cond
  template <std::integral N>
  explicit BasicThreadPool(N /*num_threads*/) {
    static_assert(!std::integral<N>, "blitz: name the option: blitz::ThreadPool pool({.num_threads = 8})");
  }
  template <class Q = P>
  explicit BasicThreadPool(const detail::MisspelledPoolOption& /*option*/) {
    static_assert(!std::same_as<P, Q>, "blitz: name the option: blitz::ThreadPool pool({.num_threads = 8})");
  }
  /// @endcond

  BasicThreadPool(const BasicThreadPool&) = delete;
  BasicThreadPool& operator=(const BasicThreadPool&) = delete;

  /// As shutdown(). On one of the pool's own workers it cannot succeed, and ends the program with a message.
  ~BasicThreadPool() { base_->stop(); }

  /// Runs everything that was given to the pool, and joins its threads. Idempotent. No other thread may be in a call of
  /// this pool. Throws ThreadPoolError on one of the pool's own workers. Calls made afterwards throw ThreadPoolError.
  void shutdown() { base_->stop(); }

  /// Calls `f` in the pool, on the calling thread, and returns or rethrows its outcome. Inside `f`, the free functions
  /// (blitz::join, ...) use this pool.
  /// @param f  Called once, without arguments.
  /// @return What `f` returns.
  /// @throws What `f` throws, and ThreadPoolError if the pool was shut down, or is the parent's in a forked child.
  /// Complexity: O(1) and some ten nanoseconds if there is no other caller, O(k) if there are k.
  template <std::invocable F>
  decltype(auto) install(F&& f) {
    return detail::in_pool<detail::enter>(base_.get(), std::forward<F>(f));
  }

  /// As install(), but while `f` waits, a worker of another pool runs no jobs of that pool. Use it if no other job may run on
  /// this thread before `f` has returned.
  /// @param f  Called once, without arguments.
  /// @return What `f` returns.
  /// @throws What install() throws.
  /// Complexity: that of install().
  template <std::invocable F>
  decltype(auto) install_blocking(F&& f) {
    return detail::in_pool<detail::enter_blocking>(base_.get(), std::forward<F>(f));
  }

  /// @copydoc blitz::join(A&&, B&&)
  /// @param more  As `b`; the result is then a tuple.
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

  /// What a coroutine awaits to go on as a job of this pool; see blitz::schedule in blitz/adaptor/coroutine.hpp, which the
  /// program includes.
  /// @param stop  If a stop is requested when the coroutine goes on, the `co_await` throws Stopped.
  /// @throws Nothing; awaiting it throws ThreadPoolError if the pool was shut down.
  template <class S = detail::PoolAwait>
  [[nodiscard]] S schedule(std::stop_token stop = {}) {
    static_assert(
        requires { sizeof(S); }, "blitz: for schedule(), include <blitz/adaptor/coroutine.hpp>");
    return S(*base_, std::move(stop));
  }

  /// @cond
#define BLITZ_REFUSE_MEMBER(function)                                                                             \
  template <class... A>                                                                                           \
  BLITZ_REFUSE("loops have the pool among their options: blitz::" #function                                       \
               "({.pool = &pool}, ...); many calls run "                                                          \
               "in a pool by pool.install(f)")                                                                    \
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

  /// The most threads that run this pool's jobs at any time, a caller from outside included. At least 1.
  [[nodiscard]] std::size_t num_threads() const noexcept { return base_->num_threads(); }

  /// The index, below num_threads(), of the worker that the calling thread is; none outside this pool.
  [[nodiscard]] std::optional<std::size_t> current_thread_index() const noexcept {
    if (detail::current_worker == nullptr || detail::current_worker->pool() != base_.get()) return std::nullopt;
    return detail::current_worker->index();
  }

  /// How many workers may look for work from now on: 1 to num_threads(), which it is at first. Workers beyond that end
  /// what they have begun, and then sleep. Each outside caller works on its own thread, whatever the limit. O(num_threads()).
  /// @param threads  1 to num_threads().
  /// @throws std::invalid_argument for another number.
  void set_max_concurrency(std::size_t threads) { base_->set_max_concurrency(threads); }
  /// What set_max_concurrency() was last called with; at first num_threads().
  [[nodiscard]] std::size_t max_concurrency() const noexcept { return base_->max_concurrency(); }

  /// Work is coming: wakes the workers, and keeps those that find none awake for `time`, so that the next call does not
  /// wait for their waking, which takes tens of microseconds. They use the processors for that time.
  void warm_up(std::chrono::nanoseconds time = std::chrono::milliseconds(1)) noexcept { base_->warm_up(time); }

  /// What the pool has done so far. O(num_threads()). Throws std::bad_alloc.
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

/// The pool for programs in which many independent jobs arrive from many threads; see AsyncPolicy.
using AsyncThreadPool = BasicThreadPool<AsyncPolicy>;

/// The pool that free functions use on threads that belong to none. Starts it, with default options unless
/// init_global_pool came before.
///
/// At the end of the program, after the destructors of statics that were made after the pool, everything that was spawned
/// is run, and from then on the thread that ends the program gets ThreadPoolError. Other threads go on with their calls
/// until the process is gone. While the end waits for spawned jobs, what threads outside every pool spawn waits, too. If no
/// other thread than the one that ends the program has ever called the pool, it is shut down; a thread that comes later
/// gets a new one, with default options, and one that calls the old one, by a reference, does not return. Otherwise the
/// pool's threads end with the process, without on_thread_exit. If `dlclose` unloads a plug-in that contains the library, its
/// global pool is shut down in any case.
/// @return The pool, which must not be used after the end of the program.
/// @throws What the constructor of ThreadPool throws (the next call then tries again); ThreadPoolError after
///         shutdown_global_pool, and in a hook of the global pool while that starts.
/// Complexity: O(1), but for the first call. Thread-safety: any thread.
/// @code
///   std::printf("%zu threads\n", blitz::global_pool().num_threads());
/// @endcode
[[nodiscard]] BLITZ_API ThreadPool& global_pool();

/// Starts the global pool with these options.
/// @param options  See ThreadPoolOptions.
/// @throws ThreadPoolError if it has been started already, by this function or by its first use, and what the
///         constructor of ThreadPool throws.
/// Complexity: that of starting the threads. Thread-safety: any thread.
/// @code
///   blitz::init_global_pool({.num_threads = 4});  // at the begin of main()
/// @endcode
BLITZ_API void init_global_pool(ThreadPoolOptions options);

/// Shuts the global pool down, for good; nothing happens if it was never started, or the end of the program came first.
/// See ThreadPool::shutdown.
/// @throws ThreadPoolError on one of the pool's threads, in its hooks too.
/// Complexity: that of the jobs that are left, and of ending the threads. Thread-safety: any thread outside the pool.
/// @code
///   blitz::shutdown_global_pool();  // everything that was spawned has run
/// @endcode
BLITZ_API void shutdown_global_pool();

}  // namespace blitz
