/// A pool from the inside: its workers, their threads, the injector, and the way in for threads that are not its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "blitz/base/export.hpp"
#include "blitz/base/thread.hpp"
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
    const std::size_t slot = try_borrow();
    if (slot == kNoSlot) return false;
    const GiveBack give_back{*workers_[slot]};
    const RunnerScope<P> scope(*workers_[slot]);
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

  void enter(PoolCall call, void* argument) override;
  void enter_blocking(PoolCall call, void* argument) override;

 private:
  static constexpr std::size_t kNoSlot = ~std::size_t{0};

  struct GiveBack {
    Worker<P>& worker;
    ~GiveBack() { worker.give_back(); }
  };

  explicit Registry(ThreadPoolOptions options, std::size_t num_threads);

  /// The slot that the calling thread has borrowed; kNoSlot if none is vacant.
  [[nodiscard]] std::size_t try_borrow() noexcept {
    if (idle_.try_borrow(0)) [[likely]]
      return 0;
    const std::size_t slots = max_concurrency();
    for (std::size_t slot = 1; slot < slots; ++slot) {
      if (idle_.try_borrow(slot)) return slot;
    }
    return kNoSlot;
  }

  BLITZ_COLD void inject_and_wait(PoolCall call, void* argument, WorkerBase* waiter);

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
