/// @file
/// A pool as an execution context of Asio; asio.hpp and boost_asio.hpp name its two instances.
///
/// A handler is a detached job of the pool, counted by its context as a job of a TaskGroup is. The library's types come
/// from the template parameter `Asio`, so this header includes neither Asio nor Boost.
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

/// A context waits for the following: its handlers, the executors that track work, and its first join(). attach() waits for
/// that call.
///
/// Invariant: `unfinished_` counts the handlers and, until stop(), the tracking executors. An executor is counted there
/// before `tracked_` shows it, and stop() takes off those that `tracked_` shows; so handlers alone are left, and none
/// too few.
///
/// Any thread may call any member at any time. `tracked_` is relaxed: its one word decides which side takes an executor
/// off, and `unfinished_` orders what the waiter sees.
class AsioWork {
 public:
  explicit AsioWork(PoolBase& pool) noexcept : pool_(share(pool)), unfinished_(pool) { track(); }

  void track() noexcept {
    unfinished_.begun();
    if ((tracked_.fetch_add(1, std::memory_order_relaxed) & kStopped) != 0) unfinished_.finished();
  }
  /// If it was the last, the context may be gone.
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

  /// wait(), which no longer waits for the first call of this function.
  void join() noexcept {
    if (!joined_.exchange(true, std::memory_order_relaxed)) untrack();
    wait();
  }
  /// In a forked child, where the jobs do not run, it does not wait.
  void wait() noexcept {
    if (!pool_->from_before_fork()) static_cast<void>(unfinished_.wait());
  }

  /// Whether the calling thread is a worker of the pool. Out of line, as post is: a coroutine that calls them may go on
  /// on another thread, and must not keep the address of this one's thread_local variables.
  [[nodiscard, gnu::noinline]] bool on_worker() const noexcept { return worker_of(*pool_) != nullptr; }

  /// Throws what spawn_job throws.
  template <class F>
  [[gnu::noinline]] void post(F&& f) {
    spawn_job(worker_of(*pool_), *pool_, Handler{*this}, std::forward<F>(f));
  }

  /// Calls `f` on a worker of the pool before it returns: on the calling thread if it is one, or if a slot is vacant.
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

  /// As post, on the calling thread, a worker.
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

  Shared<PoolBase> pool_;  // keeps the pool's memory, and not its threads
  JobGroup unfinished_;
  Atomic<std::uint64_t> tracked_{0};  // the tracking executors, 1 until join(), kStopped; written by each copy of one
  Atomic<bool> joined_{false};        // written by join(); it orders nothing
};

/// The context of an executor that tracks work, counted there for as long as this object lives.
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
  Context* context_;  // null once moved from
};

/// A handler in memory of its own allocator. It leaves that memory before it is called, so that the call may use it
/// again.
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

  /// Calls `f` as a job of the pool. If it may block and the calling thread is a worker of the pool, or if it must block,
  /// `f` has ended when this returns.
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
  /// A hint, which the order of jobs does not depend on.
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
  /// The properties that only some versions of Asio have.
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

/// @brief A pool as an execution context of Asio: what is posted, dispatched or deferred to it, bound to its executor,
/// or spawned there by `co_spawn`, runs as a job of the pool. Written blitz::AsioContext or blitz::BoostAsioContext.
///
/// @code
///   blitz::AsyncThreadPool pool;
///   blitz::AsioContext context(pool);
///   asio::post(context, [] { answer(); });
///   context.join();
/// @endcode
///
/// It stands where `asio::thread_pool` does, and its members mean the same. A strand of it runs its handlers one after
/// the other, in their order; the order of others is that of blitz::spawn. A timer or socket of the context itself is
/// served by a thread that Asio starts for it, one of an `io_context` by the threads in `run()`; the handlers run in
/// the pool.
///
/// What a handler throws goes to ThreadPoolOptions::exception_handler; without one std::terminate is called, as by
/// `asio::thread_pool`.
///
/// A worker that waits in a join or a loop runs other handlers meanwhile. Where that must not be, as in a handler of a
/// strand, or under a lock, write blitz::isolate around the call.
///
/// Several contexts may share a pool; each waits for its own handlers.
///
/// @tparam Asio  The types of the library, such as detail::StandaloneAsio.
/// Complexity: a handler costs what blitz::spawn costs, and one atomic addition at its beginning and its end. One
/// allocation, from the worker's free blocks; with an associated allocator, another one from that.
/// Thread-safety: any thread may call all members, except the destructor.
/// Source of the properties: P0443R13, as in Asio.
template <class Asio>
class BasicAsioContext : public Asio::ExecutionContext {
 public:
  /// Models Asio's executor, with the properties context, blocking, relationship, outstanding_work, allocator, mapping
  /// and occupancy. It must not be used after the context is destroyed.
  using executor_type = detail::AsioExecutor<Asio, BasicAsioContext, std::allocator<void>, false>;

  /// A context of `pool`.
  /// @param pool  Must live until the context is destroyed.
  /// @throws std::bad_alloc.
  template <PoolPolicy P>
  explicit BasicAsioContext(BasicThreadPool<P>& pool) : work_(detail::base_of(pool)) {}

  /// A context with an AsyncThreadPool that ends with it, of as many threads as ThreadPoolOptions says.
  /// @throws Any exception of the pool's constructor.
  BasicAsioContext() : BasicAsioContext(0) {}

  /// A context with an AsyncThreadPool that ends with it.
  /// @param num_threads  See ThreadPoolOptions. 0 means the default, where `asio::thread_pool` starts none.
  /// @param services     Further arguments that the constructor of `asio::execution_context` takes in this version of Asio: a service maker.
  /// @throws Any exception of the pool's constructor.
  template <class... Services>
    requires std::constructible_from<typename Asio::ExecutionContext, const Services&...>
  explicit BasicAsioContext(std::size_t num_threads, const Services&... services)
      : Asio::ExecutionContext(services...), own_(std::in_place, num_threads), work_(detail::base_of(*own_)) {}

  /// A constructor with an allocator for the services of the context, in Asio 1.35 or later.
  /// @param tag          Says that an allocator follows.
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

  /// As stop(); then waits for the handlers that run, and destroys, uncalled, those that wait in strands, timers and
  /// sockets of this context. Call join() before, to have all of them run. Not in a handler of the context.
  ~BasicAsioContext() {
    stop();
    work_.wait();
    this->shutdown();
    work_.wait();  // What the destructors of handlers have posted.
    this->destroy();
  }

  /// The executor: blocking.possibly, relationship.fork, outstanding_work.untracked, the default allocator.
  [[nodiscard]] executor_type get_executor() noexcept { return {this, detail::AsioBlocking::possibly, false, {}}; }
  /// get_executor(), by its other name in `asio::thread_pool`.
  [[nodiscard]] executor_type executor() noexcept { return get_executor(); }

  /// Handlers that have not begun will not, nor will those that are given to the context from now on: they are
  /// destroyed uncalled. Outstanding work no longer keeps join() waiting. There is no way back. O(1), but for the
  /// tracking executors.
  void stop() noexcept { work_.stop(); }
  /// Whether stop() has been called. One load.
  [[nodiscard]] bool stopped() const noexcept { return work_.stopped(); }

  /// Waits until the context has no unfinished handler and no outstanding work: no executor_work_guard, no other
  /// executor with outstanding_work.tracked, no coroutine that `co_spawn` has begun. It may then be given more.
  ///
  /// A worker runs other jobs of its pool meanwhile; a thread of no pool does the same if a slot is vacant, and blocks
  /// otherwise. Not in a handler of the context, which would wait for itself.
  void join() noexcept { work_.join(); }
  /// join(), by its other name in `asio::thread_pool`.
  void wait() noexcept { join(); }

  /// Waits until another thread has called join() or stop() and the context has no unfinished handler and no outstanding work.
  /// Until then the calling thread runs handlers like a worker, if a slot of the pool is vacant.
  void attach() noexcept { work_.wait(); }

  /// For the executors.
  [[nodiscard]] detail::AsioWork& work() noexcept { return work_; }

 private:
  struct OwnPool : AsyncThreadPool {
    explicit OwnPool(std::size_t num_threads) : AsyncThreadPool({.num_threads = num_threads}) {}
  };

  std::optional<OwnPool> own_;  // none if the program gave one
  detail::AsioWork work_;
};

}  // namespace blitz
