/// @file
/// A pool as an execution context of Asio; asio.hpp and boost_asio.hpp define its two instances.
///
/// A handler is a detached job of the pool. Its context counts it, like a TaskGroup counts its jobs. The template parameter
/// `Asio` supplies the library's types, so this header includes neither Asio nor Boost.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "blitz/current_pool.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/task/job_group.hpp"
#include "blitz/detail/task/spawned_job.hpp"
#include "blitz/detail/worker/pool_base.hpp"
#include "blitz/detail/worker/worker.hpp"
#include "blitz/policy.hpp"
#include "blitz/thread_pool.hpp"

namespace blitz {

namespace detail {

/// The work that a context waits for: its handlers, the executors that track work, and its first join(). The last item makes
/// attach() wait until another thread calls join().
///
/// Invariant: `unfinished_` counts the handlers and, until stop(), the tracking executors. track() counts an executor in
/// `unfinished_` before `tracked_`, and stop() subtracts the executors that `tracked_` counts. So `unfinished_` counts only
/// handlers after stop(), and never too few.
///
/// Any thread may call any member at any time. `tracked_` is relaxed: the order of changes to this one word decides which side
/// subtracts an executor, and `unfinished_` publishes the effects of the handlers to the waiter.
class AsioWork {
 public:
  explicit AsioWork(PoolBase& pool) noexcept : pool_(share(pool)), unfinished_(pool) { track(); }

  void track() noexcept {
    unfinished_.begun();
    if ((tracked_.fetch_add(1, std::memory_order_relaxed) & kStopped) != 0) unfinished_.finished();
  }
  /// Undoes track(). If it was the last work, the context may be destroyed before this returns.
  void untrack() noexcept {
    if ((tracked_.fetch_sub(1, std::memory_order_relaxed) & kStopped) == 0) unfinished_.finished();
  }

  void stop() noexcept {
    std::uint64_t left = tracked_.fetch_or(kStopped, std::memory_order_relaxed);
    if ((left & kStopped) != 0) return;
    for (; left > 0; --left) unfinished_.finished();
  }
  [[nodiscard]] bool stopped() const noexcept { return (tracked_.load(std::memory_order_relaxed) & kStopped) != 0; }
  [[nodiscard]] std::size_t num_threads() const noexcept { return pool_->num_threads(); }

  /// wait(), after the first call has removed the count for join().
  void join() noexcept {
    if (!joined_.exchange(true, std::memory_order_relaxed)) untrack();
    wait();
  }
  /// Returns immediately in a forked child because the jobs do not run there.
  void wait() noexcept {
    if (!pool_->from_before_fork()) static_cast<void>(unfinished_.wait());
  }

  /// Whether the calling thread is a worker of the pool. Not inlined, like post(): a coroutine that calls them may continue on
  /// another thread, and must not cache the address of a thread_local variable of this thread.
  [[nodiscard, gnu::noinline]] bool on_worker() const noexcept { return worker_of(*pool_) != nullptr; }

  /// Spawns `f` as a handler. Throws the exceptions of spawn_job().
  template <class F>
  [[gnu::noinline]] void post(F&& f) {
    spawn_job(worker_of(*pool_), *pool_, Handler{*this}, std::forward<F>(f));
  }

  /// Calls `f` on a worker of the pool and waits for it. The calling thread runs `f` itself if it is a worker, or if a slot is
  /// vacant.
  template <class F>
  [[gnu::noinline]] void run(F f) {
    unfinished_.begun();
    struct Frame {
      ~Frame() { unfinished.finished(); }
      JobGroup& unfinished;
    } const frame{unfinished_};
    detail::on_worker(pool_.get(), [&](WorkerBase&) {
      if (!stopped()) call(std::move(f));
    });
  }

  /// Calls `f` on the calling worker, and reports its exception.
  template <class F>
  void call(F f) noexcept {
    try {
      static_cast<F&&>(f)();
    } catch (...) {
      pool_->report(std::current_exception());
    }
  }

 private:
  static constexpr std::uint64_t kStopped = std::uint64_t{1} << 63;

  struct Handler {  // See JobOwner.
    void begun(WorkerBase* spawner, PoolBase& pool) const {
      Detached::begun(spawner, pool);
      work.unfinished_.begun();
    }
    template <class F>
    void call(F& f) const {
      if (!work.stopped()) static_cast<F&&>(f)();
    }
    void failed(WorkerBase& worker) const noexcept { Detached::failed(worker); }
    void finished(WorkerBase& worker) const noexcept {
      work.unfinished_.finished();
      Detached::finished(worker);
    }

    AsioWork& work;
  };

  Shared<PoolBase> pool_;  // owns the memory of the pool, but not its threads
  JobGroup unfinished_;
  Atomic<std::uint64_t> tracked_{0};  // tracking executors, 1 until join(), kStopped; each copy of one writes it
  Atomic<bool> joined_{false};        // written by join(); relaxed, publishes nothing
};

/// The context of an executor that tracks work. The context counts this object during its lifetime.
template <class Context>
class TrackedContext {
 public:
  TrackedContext(Context* context) noexcept : context_(context) { context_->work().track(); }
  TrackedContext(const TrackedContext& other) noexcept : TrackedContext(other.context_) {}
  TrackedContext(TrackedContext&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
  TrackedContext& operator=(TrackedContext other) noexcept {
    std::swap(context_, other.context_);
    return *this;
  }
  ~TrackedContext() {
    if (context_ != nullptr) context_->work().untrack();
  }
  operator Context*() const noexcept { return context_; }

 private:
  Context* context_;  // null after a move
};

/// A handler in memory of its associated allocator. The memory is freed before the call, so that the call may reuse it.
template <class F, class Allocator>
[[nodiscard]] auto allocated_handler(const Allocator& allocator, F&& f) {
  using Function = std::decay_t<F>;
  using Memory = typename std::allocator_traits<Allocator>::template rebind_alloc<Function>;
  using Traits = std::allocator_traits<Memory>;
  struct Free {
    void operator()(Function* function) noexcept {
      Traits::destroy(memory, function);
      Traits::deallocate(memory, function, 1);
    }
    [[no_unique_address]] Memory memory;
  };
  Memory memory(allocator);
  Function* const room = Traits::allocate(memory, 1);
  try {
    Traits::construct(memory, room, std::forward<F>(f));
  } catch (...) {
    Traits::deallocate(memory, room, 1);
    throw;
  }
  return [function = std::unique_ptr<Function, Free>(room, Free{memory})]() mutable {
    Function here(std::move(*function));
    function.reset();
    std::move(here)();
  };
}

/// The property `blocking` of an executor.
enum class AsioBlocking : unsigned char { possibly, always, never };

/// The executor of a BasicAsioContext. A copy of a tracking one counts as outstanding work of the context.
template <class Asio, class Context, class Allocator, bool kTracked>
class AsioExecutor {
  using Blocking = typename Asio::Blocking;
  using Relationship = typename Asio::Relationship;
  using Work = typename Asio::Work;
  using Mapping = typename Asio::Mapping;
  template <class A>
  using AllocatorProperty = typename Asio::template Allocator<A>;
  template <class A, bool kItTracks>
  using Other = AsioExecutor<Asio, Context, A, kItTracks>;

 public:
  AsioExecutor(Context* context, AsioBlocking blocking, bool continuation, const Allocator& allocator) noexcept
      : context_(context), blocking_(blocking), continuation_(continuation), allocator_(allocator) {}

  /// Calls `f` as a job of the pool. With blocking.always, or with blocking.possibly on a worker of the pool, `f` has finished
  /// when this returns.
  template <class F>
  void execute(F&& f) const {
    Context* const context = context_;
    if (blocking_ != AsioBlocking::never && context->work().on_worker()) {
      context->work().call(std::decay_t<F>(std::forward<F>(f)));
    } else if (blocking_ == AsioBlocking::always) {
      context->work().run(std::decay_t<F>(std::forward<F>(f)));
    } else if constexpr (std::same_as<Allocator, std::allocator<void>>) {
      context->work().post(std::forward<F>(f));
    } else {
      context->work().post(allocated_handler(allocator_, std::forward<F>(f)));
    }
  }

  [[nodiscard]] Context& query(typename Asio::Context) const noexcept { return *context_; }
  [[nodiscard]] Blocking query(Blocking) const noexcept {
    return blocking_ == AsioBlocking::never    ? Blocking(Blocking::never)
           : blocking_ == AsioBlocking::always ? Blocking(Blocking::always)
                                               : Blocking(Blocking::possibly);
  }
  /// A hint without effect on the order of jobs.
  [[nodiscard]] Relationship query(Relationship) const noexcept {
    return continuation_ ? Relationship(Relationship::continuation) : Relationship(Relationship::fork);
  }
  [[nodiscard]] static constexpr Work query(Work) noexcept {
    return kTracked ? Work(Work::tracked) : Work(Work::untracked);
  }
  template <class A>
  [[nodiscard]] Allocator query(AllocatorProperty<A>) const noexcept {
    return allocator_;
  }
  [[nodiscard]] static constexpr Mapping query(Mapping) noexcept { return Mapping(Mapping::thread); }
  /// Properties that exist only in some versions of Asio.
  template <class Property>
    requires requires {
      { Asio::fixed_value(Property()) } -> std::same_as<Property>;
    }
  [[nodiscard]] static constexpr Property query(Property property) noexcept {
    return Asio::fixed_value(property);
  }
  /// The number of threads of the pool.
  [[nodiscard]] std::size_t query(typename Asio::Occupancy) const noexcept { return context_->work().num_threads(); }

  /// Whether the calling thread is a worker of the pool.
  [[nodiscard]] bool running_in_this_thread() const noexcept { return context_->work().on_worker(); }

  [[nodiscard]] AsioExecutor require(typename Blocking::never_t) const noexcept {
    return {context_, AsioBlocking::never, continuation_, allocator_};
  }
  [[nodiscard]] AsioExecutor require(typename Blocking::possibly_t) const noexcept {
    return {context_, AsioBlocking::possibly, continuation_, allocator_};
  }
  [[nodiscard]] AsioExecutor require(typename Blocking::always_t) const noexcept {
    return {context_, AsioBlocking::always, continuation_, allocator_};
  }
  [[nodiscard]] AsioExecutor require(typename Relationship::fork_t) const noexcept {
    return {context_, blocking_, false, allocator_};
  }
  [[nodiscard]] AsioExecutor require(typename Relationship::continuation_t) const noexcept {
    return {context_, blocking_, true, allocator_};
  }
  [[nodiscard]] Other<Allocator, true> require(typename Work::tracked_t) const noexcept {
    return {context_, blocking_, continuation_, allocator_};
  }
  [[nodiscard]] Other<Allocator, false> require(typename Work::untracked_t) const noexcept {
    return {context_, blocking_, continuation_, allocator_};
  }
  template <class A>
  [[nodiscard]] Other<A, kTracked> require(AllocatorProperty<A> allocator) const noexcept {
    return {context_, blocking_, continuation_, allocator.value()};
  }
  [[nodiscard]] Other<std::allocator<void>, kTracked> require(AllocatorProperty<void>) const noexcept {
    return {context_, blocking_, continuation_, {}};
  }

  [[nodiscard]] friend bool operator==(const AsioExecutor& a, const AsioExecutor& b) noexcept {
    return static_cast<Context*>(a.context_) == static_cast<Context*>(b.context_) && a.blocking_ == b.blocking_ &&
           a.continuation_ == b.continuation_ && a.allocator_ == b.allocator_;
  }

 private:
  std::conditional_t<kTracked, TrackedContext<Context>, Context*> context_;
  AsioBlocking blocking_;
  bool continuation_;  // relationship.continuation, rather than fork
  [[no_unique_address]] Allocator allocator_;
};

}  // namespace detail

/// @brief A pool as an execution context of Asio. Handlers that are posted, dispatched or deferred to it, or bound to its
/// executor, and coroutines of `co_spawn` run as jobs of the pool. Use it as blitz::AsioContext or blitz::BoostAsioContext.
///
/// @code
///   blitz::AsyncThreadPool pool;
///   blitz::AsioContext context(pool);
///   asio::post(context, [] { answer(); });
///   context.join();
/// @endcode
///
/// It replaces `asio::thread_pool`, and has the same members. A strand runs its handlers one after the other, in order; other
/// handlers run in the order of blitz::spawn. Asio starts a thread for the timers and sockets of the context itself. The timers
/// and sockets of an `io_context` are served by the threads in its `run()`. In both cases the handlers run in the pool.
///
/// ThreadPoolOptions::exception_handler receives the exceptions of handlers; without it std::terminate is called, as by
/// `asio::thread_pool`.
///
/// A worker that waits in a join or a loop runs other handlers while it waits. If it must not, for example in a handler of a
/// strand or under a lock, wrap the call in blitz::isolate.
///
/// Several contexts may share a pool; each waits only for its own handlers.
///
/// @tparam Asio  The types of the library, such as detail::StandaloneAsio.
/// Complexity: a handler costs one blitz::spawn, and one atomic addition at its start and at its end. One allocation, from the
/// worker's free blocks; with an associated allocator, another one from that allocator.
/// Thread-safety: any thread may call all members, except the destructor.
///
/// @par Source
/// The properties are those of P0443R13, as in Asio.
template <class Asio>
class BasicAsioContext : public Asio::ExecutionContext {
 public:
  /// Models Asio's executor, with the properties context, blocking, relationship, `outstanding_work`, allocator, mapping
  /// and occupancy. It must not be used after the context is destroyed.
  using executor_type = detail::AsioExecutor<Asio, BasicAsioContext, std::allocator<void>, false>;

  /// A context of `pool`.
  /// @param pool  Must live until the context is destroyed.
  /// @throws std::bad_alloc.
  template <PoolPolicy P>
  explicit BasicAsioContext(BasicThreadPool<P>& pool) : work_(detail::base_of(pool)) {}

  /// A context that owns an AsyncThreadPool with the default number of threads of ThreadPoolOptions.
  /// @throws Any exception of the pool's constructor.
  BasicAsioContext() : BasicAsioContext(0) {}

  /// A context that owns an AsyncThreadPool.
  /// @param num_threads  See ThreadPoolOptions. 0 means the default; `asio::thread_pool` starts no threads for it.
  /// @param services     Further arguments of the constructor of `asio::execution_context` in this version of Asio: a service
  ///                     maker.
  /// @throws Any exception of the pool's constructor.
  template <class... Services>
    requires std::constructible_from<typename Asio::ExecutionContext, const Services&...>
  explicit BasicAsioContext(std::size_t num_threads, const Services&... services)
      : Asio::ExecutionContext(services...), own_(std::in_place, num_threads), work_(detail::base_of(*own_)) {}

  /// A constructor with an allocator for the services of the context, in Asio 1.35 or later.
  /// @param tag          Selects this constructor.
  /// @param allocator    Allocates the services and their memory.
  /// @param num_threads  See ThreadPoolOptions.
  /// @param services     A service maker, or nothing.
  /// @throws Any exception of the pool's constructor and of the allocator.
  template <class Allocator, class... Services>
    requires std::constructible_from<typename Asio::ExecutionContext, std::allocator_arg_t, const Allocator&,
                                     const Services&...>
  BasicAsioContext(std::allocator_arg_t tag, const Allocator& allocator, std::size_t num_threads = 0,
                   const Services&... services)
      : Asio::ExecutionContext(tag, allocator, services...),
        own_(std::in_place, num_threads),
        work_(detail::base_of(*own_)) {}

  BasicAsioContext(const BasicAsioContext&) = delete;
  BasicAsioContext& operator=(const BasicAsioContext&) = delete;

  /// Calls stop(), waits for running handlers, and destroys without a call those that wait in strands, timers and sockets of
  /// this context. Call join() first to run all of them. Must not run in a handler of the context.
  ~BasicAsioContext() {
    stop();
    work_.wait();
    this->shutdown();
    work_.wait();  // for handlers that destructors of handlers have posted
    this->destroy();
  }

  /// The executor: blocking.possibly, relationship.fork, outstanding_work.untracked, the default allocator.
  [[nodiscard]] executor_type get_executor() noexcept { return {this, detail::AsioBlocking::possibly, false, {}}; }
  /// get_executor(), under the second name that `asio::thread_pool` has for it.
  [[nodiscard]] executor_type executor() noexcept { return get_executor(); }

  /// No new handlers start: those that have not started, and those that are submitted from now on, are destroyed without a
  /// call. join() no longer waits for outstanding work. Final: a stopped context cannot be restarted. O(1) plus the number of
  /// tracking executors.
  void stop() noexcept { work_.stop(); }
  /// Whether stop() has been called. One load.
  [[nodiscard]] bool stopped() const noexcept { return work_.stopped(); }

  /// Waits until the context has no unfinished handlers and no outstanding work: no `executor_work_guard`, no other executor
  /// with outstanding_work.tracked, no unfinished coroutine of `co_spawn`. The context may be used again afterwards.
  ///
  /// While it waits, a worker runs other jobs of its pool. A thread of no pool does so if a slot is vacant, and blocks
  /// otherwise. Must not be called in a handler of the context: it would wait for itself.
  void join() noexcept { work_.join(); }
  /// join(), under the second name that `asio::thread_pool` has for it.
  void wait() noexcept { join(); }

  /// Waits until another thread has called join() or stop(), and the context has no unfinished handlers and no outstanding
  /// work. While it waits, the calling thread runs handlers like a worker if a slot of the pool is vacant.
  void attach() noexcept { work_.wait(); }

  /// For the executors.
  [[nodiscard]] detail::AsioWork& work() noexcept { return work_; }

 private:
  struct OwnPool : AsyncThreadPool {
    explicit OwnPool(std::size_t num_threads) : AsyncThreadPool({.num_threads = num_threads}) {}
  };

  std::optional<OwnPool> own_;  // empty if the program passed a pool
  detail::AsioWork work_;
};

}  // namespace blitz
