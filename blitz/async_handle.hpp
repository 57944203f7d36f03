/// @file
/// async: a job whose result is asked for later, and AsyncHandle, the right to that result.
#pragma once

#include "blitz/base/compiler.hpp"

#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "blitz/base/owned.hpp"
#include "blitz/base/refuse.hpp"
#include "blitz/core/caller_latch.hpp"
#include "blitz/core/job.hpp"
#include "blitz/core/spawned_job.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/spawn.hpp"

namespace blitz {

namespace detail {

/// Notified once, by the worker that ran the job of a handle, that the result is ready.
struct AsyncWaiter {
  using Ready = void (*)(AsyncWaiter& self) noexcept;  ///< The AsyncWaiter may be gone when it returns.
  Ready ready;
};

/// Owned by a handle and its job.
///
/// Pairs:
///   [ready]  finish: waiter_.exchange      ->  set_waiter, ready: waiter_ read (acquire)
///   [wait]   set_waiter: waiter_ exchange  ->  finish: waiter_.exchange (acquire)
template <class R>
class AsyncState : public Job, public SharedObject {
 public:
  using Value = ValueOf<R>;

  AsyncState(Execute function, PoolBase& pool) noexcept : Job(function), SharedObject(2), pool_(pool) {}
  ~AsyncState() override {
    if (ready() && !taken_) result_.discard();
  }

  [[nodiscard]] bool ready() const noexcept { return waiter_.load(std::memory_order_acquire) == done(); }  // [ready]

  /// Waits until the job has run. Throws std::logic_error if another thread waits already, and ThreadPoolError in a forked
  /// child, where the job does not run.
  void wait() {
    if (ready()) return;
    struct Caller : AsyncWaiter {
      explicit Caller(const PoolBase& pool) noexcept : AsyncWaiter{&ready_it}, latch(&pool) {}
      static void ready_it(AsyncWaiter& self) noexcept { static_cast<Caller&>(self).latch.set(); }
      CallerLatch latch;
    } caller(pool_);
    if (set_waiter(caller)) caller.latch.wait();
  }
  /// Returns whether `waiter` will be notified; false if the result is ready. Throws as wait() does.
  [[nodiscard]] bool set_waiter(AsyncWaiter& waiter) {
    pool_.throw_if_forked();
    AsyncWaiter* expected = nullptr;
    // [wait] [ready]
    if (waiter_.compare_exchange_strong(expected, &waiter, std::memory_order_acq_rel, std::memory_order_acquire))
      return true;
    if (expected != done()) {
      throw std::logic_error(
          "blitz: two threads wait for one handle; let one of them call get(), and pass the result on");
    }
    return false;
  }

  /// For the handle, once the job has run: the result, which the state no longer destroys.
  Value take() {
    taken_ = true;
    return result_.take();
  }

 protected:
  /// The job's end: result_ is written.
  void finish() noexcept {
    // [ready] [wait]
    AsyncWaiter* const waiter = waiter_.exchange(done(), std::memory_order_acq_rel);
    if (waiter != nullptr) waiter->ready(*waiter);
  }

  JobResult<Value> result_;

 private:
  /// Stands for the job's end. It is the address of no waiter.
  [[nodiscard]] AsyncWaiter* done() const noexcept {
    return reinterpret_cast<AsyncWaiter*>(const_cast<AsyncState*>(this));
  }

  PoolBase& pool_;  // valid while the job has not ended
  Atomic<AsyncWaiter*> waiter_{nullptr};
  bool taken_ = false;  // written by the handle
};

template <class F>
class AsyncJob final : public AsyncState<CallResult<F&>> {
  using State = AsyncState<CallResult<F&>>;

 public:
  template <class G>
  AsyncJob(PoolBase& pool, G&& f) : State(&execute_it, pool), f_(std::in_place, std::forward<G>(f)) {}

 private:
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto& self = static_cast<AsyncJob&>(*job);
    self.result_.run([&]() -> typename State::Value { return call_value(*self.f_); });
    self.f_.reset();
    self.finish();
    self.release();
    Detached::finished(worker);
  }

  std::optional<F> f_;
};

}  // namespace detail

/// @brief The right to get the result of blitz::async once. Movable. The job runs also when its handle is destroyed;
/// its result or its exception is then dropped.
///
/// @code
///   blitz::AsyncHandle<int> handle = blitz::async([] { return 6 * 7; });
///   if (!handle.ready()) do_something_else();
///   const int result = handle.get();
/// @endcode
///
/// Complexity: each member O(1), but for waiting. Thread-safety: that of a value; one thread at a time.
template <class R>
class AsyncHandle {
 public:
  AsyncHandle() noexcept = default;                          ///< Not valid.
  AsyncHandle(AsyncHandle&&) noexcept = default;             ///< Leaves the other one not valid.
  AsyncHandle& operator=(AsyncHandle&&) noexcept = default;  ///< Leaves the other one not valid; drops the own result.
  /// For the library.
  /// @param state  The result's place, or null.
  explicit AsyncHandle(detail::AsyncState<R>* state) noexcept : state_(state) {}

  /// Each gets the other's result.
  void swap(AsyncHandle& other) noexcept { std::swap(state_, other.state_); }

  /// Whether there is a result to get, now or later: false after get(), and once moved from.
  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(state_); }
  /// Whether get() would return at once. Throws std::logic_error if the handle is not valid.
  [[nodiscard]] bool ready() const { return checked().ready(); }
  /// @brief Waits until the result is ready. A worker runs other jobs of its pool meanwhile, then sleeps; another
  /// thread blocks.
  /// @throws std::logic_error if the handle is not valid, or another thread waits for it already, and ThreadPoolError in a
  ///         forked child whose parent has the pool, unless the result was ready before the fork.
  void wait() const { checked().wait(); }
  /// For the library: whether `waiter` will be notified when the result is ready; false if it is. Throws as wait() does.
  [[nodiscard]] bool set_waiter(detail::AsyncWaiter& waiter) const { return checked().set_waiter(waiter); }
  /// @brief Waits as wait() does, and returns the result. The handle is not valid afterwards.
  /// @throws What the job has thrown, and what wait() throws.
  /// @return What the job has returned.
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

/// @brief Spawns a job with a result: a worker of the pool that the caller works for, or else of the global pool, calls
/// `f()`. The pool's destructor waits for the job, with or without a handle.
///
/// @code
///   auto handle = blitz::async([] { return 6 * 7; });
///   const int result = handle.get();
/// @endcode
///
/// @param f  Copied or moved into the job. All that comes before the call happens before `f`, and `f` happens before
///           the return of the handle's get().
/// @return An AsyncHandle for the result.
/// @throws std::bad_alloc, what the closure's move or copy throws, and what global_pool() throws; `f` is then not
///         called.
/// Complexity: O(1); one allocation. Thread-safety: any thread.
template <SpawnTask F>
[[nodiscard("blitz: without its handle the job's result is lost: keep it and call get(), or use blitz::spawn")]] auto
async(F&& f) {
  return detail::async_in(detail::current_pool(), std::forward<F>(f));
}

/// @cond
template <class... F>
  requires(detail::NoCallable<F...>)
BLITZ_REFUSE(
    "spawn and async take one callable without arguments, which captures what it needs: blitz::spawn([x] { f(x); })")
    async(F&&... f) BLITZ_REFUSED;
template <class F>
  requires(!detail::NoCallable<F> && !SpawnTask<F>)
BLITZ_REFUSE("a job keeps its callable, and this one cannot be copied: give it up with std::move(f)")
    async(F&& f) BLITZ_REFUSED;
/// @endcond

}  // namespace blitz
