/// A pool from the inside: its workers, their threads, the injector, and the way in for threads that are not its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "blitz/base/export.hpp"
#include "blitz/base/thread.hpp"
#include "blitz/core/job.hpp"
#include "blitz/core/latch.hpp"
#include "blitz/core/worker.hpp"
#include "blitz/options.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

/// Shared by the pool and by threads of other pools that are still waking one of its workers; the threads are joined by
/// stop(), which the pool calls, never by the last of these owners.
template <Policy P>
class BLITZ_API Registry final : public PoolBase, public std::enable_shared_from_this<Registry<P>> {
 public:
  /// Makes the pool and starts its threads. Throws ThreadPoolError, std::invalid_argument, std::bad_alloc, and what
  /// `options.thread_name` throws; threads that had started are then gone.
  [[nodiscard]] static std::shared_ptr<Registry> start(ThreadPoolOptions options);

  ~Registry();

  [[nodiscard]] std::size_t num_threads() const noexcept override { return count_; }
  [[nodiscard]] WorkerBase& worker_base(std::size_t slot) noexcept override { return *workers_[slot]; }
  void inject(Job* job) noexcept override {
    injector_.push(job);
    idle_.new_injected_jobs();
  }
  void mail_to(std::size_t slot, Job* job) noexcept override { workers_[slot]->mail(job); }
  [[nodiscard]] bool call_in_vacant_slot(void (*call)(void*), void* argument) override {
    Worker<P>* const worker = try_borrow();
    if (worker == nullptr) return false;
    const GiveBack give_back{*worker};
    const RunnerScope<P> scope(*worker);
    call(argument);
    return true;
  }
  [[nodiscard]] std::shared_ptr<void> keep_alive() noexcept override { return this->shared_from_this(); }

  [[nodiscard]] Worker<P>& worker(std::size_t index) noexcept { return *workers_[index]; }
  [[nodiscard]] const Worker<P>& worker(std::size_t index) const noexcept { return *workers_[index]; }
  [[nodiscard]] typename P::Idle& idle() noexcept { return idle_; }
  [[nodiscard]] const typename P::Idle& idle() const noexcept { return idle_; }
  [[nodiscard]] typename P::Injector& injector() noexcept { return injector_; }

  /// Wakes the workers, and keeps those without work awake for a time; not that of slot 0, which outside callers borrow.
  void warm_up(std::chrono::nanoseconds time) noexcept;

  /// Waits for the detached jobs, lets the workers run dry, and joins them. Idempotent; one thread at a time. Must not be
  /// called by a thread of this pool, which would wait for itself: throws ThreadPoolError.
  void stop();
  /// The last part of that, once no more calls come.
  void end_threads() noexcept;

  /// Calls `f` with a worker of this pool, in this pool, and returns or rethrows its outcome. On a worker of this pool
  /// at once; else as in_worker_from_outside.
  ///
  /// On a confined worker `f` gets a WorkerBase, and must return the same.
  template <class F>
  decltype(auto) in_worker(F&& f) {
    if (Worker<P>* const worker = CurrentWorker<P>::worker; worker != nullptr && &worker->registry() == this)
        [[likely]] {
      return std::invoke(std::forward<F>(f), *worker);
    }
    return in_worker_from_outside(std::forward<F>(f));
  }

  /// For a thread that is not a worker of this pool. One that belongs to no pool runs `f` itself, in a vacant slot, or
  /// else waits for a worker to do it; a worker of another pool always has it done, and does its own pool's work
  /// meanwhile. Throws ThreadPoolError if the pool was shut down, and what `f` throws.
  template <class F>
  std::invoke_result_t<F, Worker<P>&> in_worker_from_outside(F&& f) {
    using R = std::invoke_result_t<F, Worker<P>&>;
    if (WorkerBase* const foreign = current_worker) {
      if (foreign->pool() == this) return std::invoke(std::forward<F>(f), *foreign);  // It is confined.
      return inject_and_wait<R, CrossLatch>(
          f, [&](CrossLatch& latch) { foreign->wait_until(latch.core()); }, *foreign, foreign->keep_alive());
    }
    throw_if_unusable();
    return in_worker_from_no_pool(std::forward<F>(f));
  }

  /// The same for a thread that belongs to no pool, after throw_if_unusable().
  template <class F>
  std::invoke_result_t<F, Worker<P>&> in_worker_from_no_pool(F&& f) {
    using R = std::invoke_result_t<F, Worker<P>&>;
    if (Worker<P>* const worker = try_borrow()) [[likely]] {
      const GiveBack give_back{*worker};
      const RunnerScope<P> scope(*worker);
      return std::invoke(std::forward<F>(f), *worker);
    }
    return inject_and_wait<R, ThreadLatch>(f, [](ThreadLatch& latch) { latch.wait(); });
  }

  /// As in_worker, for a caller that is to do nothing else meanwhile, whatever it is: it blocks.
  template <class F>
  std::invoke_result_t<F, Worker<P>&> in_worker_blocking(F&& f) {
    WorkerBase* const here = current_worker;
    if (here == nullptr || here->pool() == this) return in_worker(std::forward<F>(f));
    return inject_and_wait<std::invoke_result_t<F, Worker<P>&>, ThreadLatch>(f, [here](ThreadLatch& latch) {
      here->pool()->stand_apart();
      latch.wait();
      here->pool()->stand_apart_no_more();
    });
  }

 private:
  struct GiveBack {
    Worker<P>& worker;
    ~GiveBack() { worker.give_back(); }
  };

  explicit Registry(ThreadPoolOptions options, std::size_t num_threads);

  [[nodiscard]] Worker<P>* try_borrow() noexcept {
    const std::size_t slots = max_concurrency();
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (idle_.try_borrow(slot)) return workers_[slot].get();
    }
    return nullptr;
  }

  // Out of line: a caller that has a slot needs no room for a result in its frame.
  template <class R, class Latch, class F, class Wait, class... LatchArgs>
  BLITZ_COLD R inject_and_wait(F& f, Wait&& wait, LatchArgs&&... latch_args) {
    throw_if_unusable();
    auto on_worker = [&f](WorkerBase& base) -> R {
      return std::invoke(std::forward<F>(f), static_cast<Worker<P>&>(base));
    };
    StackJob<decltype(on_worker)&, Latch> job(on_worker, std::forward<LatchArgs>(latch_args)...);
    inject(&job);
    wait(job.latch());
    if constexpr (std::is_void_v<R>) {
      (void)job.result().take();
    } else {
      return job.result().take();
    }
  }

  void start_threads();
  void run_thread(std::size_t index) noexcept;

  struct StartGate;

  typename P::Injector injector_;
  typename P::Idle idle_;
  const std::size_t count_;
  // Arrays: a std::vector is another type in a program that is compiled with _GLIBCXX_DEBUG than in the library.
  std::unique_ptr<std::unique_ptr<Worker<P>>[]> workers_;
  std::unique_ptr<Thread[]> threads_;
  std::size_t threads_started_ = 0;
  StartGate* gate_ = nullptr;  // while starting, if there is a hook to wait for
};

}  // namespace blitz::detail
