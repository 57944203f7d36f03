/// @file
/// async: a job with a result that is read later, and AsyncHandle, which owns that result.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "blitz/current_pool.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/detail/sys/fork.hpp"
#include "blitz/detail/task/spawned_job.hpp"
#include "blitz/detail/worker/caller_latch.hpp"
#include "blitz/spawn.hpp"

namespace blitz {

namespace detail {

/// Notified once, by the worker that ran the job of a handle, that the result is ready.
struct AsyncWaiter {
  using Ready = void (*)(AsyncWaiter& self) noexcept;  ///< May destroy `self` before it returns.
  Ready ready;
};

/// Owned by a handle and its job.
///
/// One word holds the job's state, or its waiter:
///
///   kQueued ----> kRunning -------> waiter -----> kDone    a worker runs the job from a queue
///      |                              ^
///      +--------> kClaimed -----------+---------> kDone    the waiting thread runs it; the queue holds an empty job
///                    |                                ^
///                    +-----------> kLate -------------+    as above, after the empty job has run
///
/// A waiter may also be set in kQueued. A thread that cannot run the job that it has claimed gives up the claim by setting a
/// waiter. detail/worker/README.md proves that the job runs once, and that the pool exists until then.
///
/// Pairs:
///   [ready]  finish: state_.exchange      ->  set_waiter, ready, begin: state_ read (acquire)
///   [wait]   set_waiter: state_ exchange  ->  finish: state_.exchange (acquire)
///   [late]   begin: state_ exchange       ->  give_up: state_ read (acquire), before the job is in an injector again
template <class R>
class AsyncState : public Job, public SharedObject {
 public:
  using Value = ValueOf<R>;
  /// Calls the closure for result_, and destroys it.
  using Run = void (*)(AsyncState& self) noexcept;

  AsyncState(Run run, PoolBase& pool) noexcept
      : Job(&execute_it), SharedObject(2), run_(run), pool_(pool), generation_(pool.generation()) {}
  ~AsyncState() override {
    if (ready() && !taken_) result_.discard();
  }

  [[nodiscard]] bool ready() const noexcept { return state_.load(std::memory_order_acquire) == kDone; }  // [ready]

  /// Waits until the job has run, or runs it. Throws std::logic_error if another thread is already waiting, and ThreadPoolError
  /// in a forked child, because the job does not run there.
  void wait() {
    if (ready()) return;
    struct Caller : AsyncWaiter {
      explicit Caller(const PoolBase& pool) noexcept : AsyncWaiter{&ready_it}, latch(&pool) {}
      static void ready_it(AsyncWaiter& self) noexcept { static_cast<Caller&>(self).latch.set(); }
      CallerLatch latch;
    } caller(pool_);
    if (may_run_here() && claim()) {
      if (run_claimed()) return;
      give_up(caller);
    } else if (!set_waiter(caller)) {
      return;
    }
    caller.latch.wait();
  }
  /// Returns whether `waiter` will be notified; false if the result is ready. Throws as wait() does.
  [[nodiscard]] bool set_waiter(AsyncWaiter& waiter) {
    if (is_forked()) [[unlikely]]
      pool_.throw_if_forked();
    State expected = kQueued;
    // [wait] [ready]
    while (!state_.compare_exchange_weak(expected, state_of(waiter), std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
      if (expected == kDone) return false;
      if (expected != kQueued && expected != kRunning) {
        throw std::logic_error(
            "blitz: two threads wait for one handle; let one of them call get(), and pass the result on");
      }
    }
    return true;
  }

  /// For the handle, after the job has run: moves the result out. The state no longer destroys it.
  Value take() {
    taken_ = true;
    return result_.take();
  }

 protected:
  JobResult<Value> result_;

 private:
  using State = std::uintptr_t;
  static constexpr State kQueued = 0;
  static constexpr State kRunning = 1;
  static constexpr State kClaimed = 2;
  static constexpr State kLate = 3;
  static constexpr State kDone = 4;
  static constexpr State kLargest = kDone;  // larger ones are addresses of waiters

  [[nodiscard]] static State state_of(AsyncWaiter& waiter) noexcept { return reinterpret_cast<State>(&waiter); }

  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto& self = static_cast<AsyncState&>(*job);
    const State seen = self.begin();
    if (seen != kClaimed && seen != kDone) {
      self.run_(self);
      self.finish();
    }
    self.release();
    // The pool counts the job while it runs, so the thread that claimed it counts its end.
    if (seen != kClaimed) Detached::finished(worker);
  }

  /// A worker has taken the job from its queue. Returns kClaimed if the claimer will count the end, kDone if it has already
  /// run the job, and another state if the worker must run it.
  [[nodiscard]] State begin() noexcept {
    State seen = kQueued;
    while (seen == kQueued || seen == kClaimed) {
      const State begun = seen == kQueued ? kRunning : kLate;
      // [ready] A thread that sees the end counted must see the job's writes. [late]
      if (state_.compare_exchange_weak(seen, begun, std::memory_order_release, std::memory_order_acquire)) break;
    }
    return seen;
  }

  /// The job has ended: result_ is written. Returns the previous state.
  State finish() noexcept {
    const State seen = state_.exchange(kDone, std::memory_order_acq_rel);  // [ready] [wait]
    if (seen > kLargest) {
      auto& waiter = *reinterpret_cast<AsyncWaiter*>(seen);
      waiter.ready(waiter);
    }
    return seen;
  }

  /// Whether this process is a forked child of the pool's owner.
  [[nodiscard]] bool is_forked() const noexcept {
    return fork_generation.load(std::memory_order_relaxed) != generation_;
  }
  /// Whether the calling thread may run the job: it belongs to no pool, or it is a worker of this pool with an empty queue and
  /// room on its stack. Queued jobs run in the order of the policy, and empty jobs must not pile up in the queue.
  [[nodiscard]] bool may_run_here() const noexcept {
    const WorkerBase* const worker = current_worker;
    if (worker == nullptr) return !is_forked();
    return worker->pool() == &pool_ && worker->offered() == 0 && !worker->at_limit_of_waits() && !is_forked();
  }
  /// Relaxed: the handle has passed on the closure.
  [[nodiscard]] bool claim() noexcept {
    State expected = kQueued;
    return state_.compare_exchange_strong(expected, kClaimed, std::memory_order_relaxed, std::memory_order_relaxed);
  }
  /// Runs the claimed job. Returns false if the thread cannot become a worker of the pool.
  [[nodiscard]] bool run_claimed() noexcept {
    if (current_worker != nullptr) {
      run_on(*current_worker);
      return true;
    }
    const Shared<PoolBase> keep_alive = share(pool_);  // It may end as soon as the job's end is counted.
    const Stay stay(pool_, false);
    if (stay.worker() == nullptr) return false;
    run_on(*stay.worker());
    take_out(*stay.worker());
    return true;
  }
  void run_on(WorkerBase& worker) noexcept {
    worker.call_in_wait([this] { run_(*this); });
    if (finish() == kLate) Detached::finished(worker);
  }
  /// Takes the empty job out of the injector if it is the next one there, so that the slot's resident need not wake for it.
  void take_out(WorkerBase& worker) noexcept {
    if (is_forked()) return;
    Job* const job = worker.take_injected();
    if (job == this) {
      worker.execute(job);
    } else if (job != nullptr) {
      worker.at_home() == &worker ? push_or_inject(&worker, pool_, job) : pool_.inject(job);
    }
  }
  /// Returns a claimed job to the pool: the job in the queue is no longer empty. In kLate the job is injected again.
  void give_up(AsyncWaiter& waiter) noexcept {
    const Shared<PoolBase> keep_alive = share(pool_);  // The pool may end before this thread has woken a worker.
    State expected = kClaimed;
    // [wait] [late]
    if (state_.compare_exchange_strong(expected, state_of(waiter), std::memory_order_release,
                                       std::memory_order_acquire))
      return;
    state_.store(state_of(waiter), std::memory_order_relaxed);  // The injector passes it on.
    retain();
    pool_.inject(this);
  }

  const Run run_;
  PoolBase& pool_;  // valid while the job has not ended
  const std::uint32_t generation_;
  bool taken_ = false;  // written by the handle
  Atomic<State> state_{kQueued};
};

template <class F>
class AsyncJob final : public AsyncState<CallResult<F&>> {
  using State = AsyncState<CallResult<F&>>;

 public:
  template <class G>
  AsyncJob(PoolBase& pool, G&& f) : State(&run_it, pool), f_(std::in_place, std::forward<G>(f)) {}

 private:
  static void run_it(State& state) noexcept {
    auto& self = static_cast<AsyncJob&>(state);
    self.result_.run([&]() -> typename State::Value { return call_value(*self.f_); });
    self.f_.reset();
  }

  std::optional<F> f_;
};

}  // namespace detail

/// @brief Owns the result of blitz::async, which can be read once. Movable. If the handle is destroyed, the job still runs, and
/// its result or exception is discarded.
///
/// @code
///   blitz::AsyncHandle<int> handle = blitz::async([] { return 6 * 7; });
///   if (!handle.ready()) do_something_else();
///   const int result = handle.get();
/// @endcode
///
/// Complexity: each member O(1), except the time spent waiting. Thread-safety: one thread at a time may use a handle.
template <class R>
class AsyncHandle {
 public:
  AsyncHandle() noexcept = default;                          ///< Not valid.
  AsyncHandle(AsyncHandle&&) noexcept = default;             ///< Leaves the other one not valid.
  AsyncHandle& operator=(AsyncHandle&&) noexcept = default;  ///< Leaves the other one not valid; discards this result.
  /// For the library.
  /// @param state  The state that holds the result, or null.
  explicit AsyncHandle(detail::AsyncState<R>* state) noexcept : state_(state) {}

  /// Exchanges the results of this handle and `other`.
  void swap(AsyncHandle& other) noexcept { std::swap(state_, other.state_); }

  /// Whether the handle refers to a result, ready or not. False after get() and after a move from the handle.
  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(state_); }
  /// Whether get() would return immediately. Throws std::logic_error if the handle is not valid.
  [[nodiscard]] bool ready() const { return checked().ready(); }
  /// @brief Waits until the result is ready. If the job has not begun, the waiting thread runs it, provided that the thread
  /// belongs to no pool, or is a worker of the job's pool with an empty queue. If another thread runs the job, a waiting worker
  /// runs other jobs of its pool, then sleeps; a thread outside every pool blocks.
  /// @throws std::logic_error if the handle is not valid, or another thread is already waiting for it. ThreadPoolError in a
  ///         forked child if the parent owns the pool, unless the result was ready before the fork.
  void wait() const { checked().wait(); }
  /// For the library: returns whether `waiter` will be notified; false if the result is ready. Throws as wait() does.
  [[nodiscard]] bool set_waiter(detail::AsyncWaiter& waiter) const { return checked().set_waiter(waiter); }
  /// @brief Waits as wait() does, and returns the result. The handle is not valid afterwards.
  /// @throws The exception of the job, and the exceptions of wait().
  /// @return The job's result.
  R get() {
    checked().wait();
    const AsyncHandle last(std::move(*this));
    return static_cast<R>(last.state_->take());
  }

 private:
  [[nodiscard]] detail::AsyncState<R>& checked() const {
    if (!state_) [[unlikely]] {
      throw std::logic_error(
          "blitz: this handle has no result to wait for; call get() once, on the handle that async returned");
    }
    return *state_;
  }

  detail::Shared<detail::AsyncState<R>> state_;
};

namespace detail {

template <class F>
[[nodiscard]] AsyncHandle<CallResult<std::decay_t<F>&>> async_in(PoolBase& pool, F&& f) {
  Owned job(new AsyncJob<std::decay_t<F>>(pool, std::forward<F>(f)));
  WorkerBase* const worker = worker_of(pool);
  reserve_pushes(worker, 1);
  Detached::begun(worker, pool);
  push_or_inject(worker, pool, job.get());
  return AsyncHandle<CallResult<std::decay_t<F>&>>(job.release());
}

}  // namespace detail

/// @brief Spawns a job with a result: a worker of the caller's pool calls `f()`; outside every pool, a worker of the global
/// pool. The pool's destructor waits for the job, with or without a handle.
///
/// @code
///   auto handle = blitz::async([] { return 6 * 7; });
///   const int result = handle.get();
/// @endcode
///
/// @param f  Copied or moved into the job. Everything before the call happens before `f`, and `f` happens before the return of
///           the handle's get().
/// @return An AsyncHandle for the result.
/// @throws std::bad_alloc, the exception of the closure's move or copy, and the exceptions of global_pool(). `f` is then not
///         called.
/// Complexity: O(1); one allocation. Thread-safety: any thread.
template <SpawnFunction F>
[[nodiscard("blitz: without its handle the job's result is lost: keep it and call get(), or use blitz::spawn")]] auto
async(F&& f) {
  return detail::async_in(detail::current_pool(), std::forward<F>(f));
}

/// @cond
template <class... F>
  requires(detail::NoCallable<F...>)
BLITZ_REFUSE("spawn and async got arguments, or no callable; capture the arguments: blitz::spawn([x] { f(x); })")
    async(F&&... f) BLITZ_REFUSED;
template <class F>
  requires(!detail::NoCallable<F> && !SpawnFunction<F>)
BLITZ_REFUSE("the callable of a job cannot be copied into it; move it with std::move(f)") async(F&& f) BLITZ_REFUSED;
/// @endcond

}  // namespace blitz
