/// A pool from the inside: its workers, their threads, the injector, and the way in for other threads.
#pragma once

#include <cstddef>
#include <memory>

#include "blitz/base/export.hpp"
#include "blitz/base/thread.hpp"
#include "blitz/core/worker.hpp"
#include "blitz/options.hpp"
#include "blitz/policy.hpp"
#include "blitz/stats.hpp"

namespace blitz::detail {

/// Owned by the pool object, and by threads of other pools while they wake one of its workers. stop(), which the pool
/// object calls, joins the threads; the last owner does not.
template <Policy P>
class BLITZ_API Registry final : public PoolBase {
 public:
  /// Makes the pool and starts its threads. Throws ThreadPoolError, std::invalid_argument, std::bad_alloc, and what
  /// `options.thread_name` throws, after it has joined the threads that had started.
  [[nodiscard]] static Shared<Registry> start(ThreadPoolOptions options);

  ~Registry();

  void inject(Job* job) noexcept override {
    injector_.push(job);
    idle_.new_injected_jobs();
  }
  void mail_to(std::size_t slot, Job* job) noexcept override { workers_[slot]->mail(job); }
  [[nodiscard]] WorkerBase* borrow() noexcept override {
    const std::size_t slot = try_borrow();
    if (slot == kNoSlot) return nullptr;
    Worker<P>* const worker = workers_[slot].get();
    current_worker = CurrentWorker<P>::worker = worker;
    return worker;
  }
  void give_back(WorkerBase& worker) noexcept override {
    current_worker = CurrentWorker<P>::worker = nullptr;
    static_cast<Worker<P>&>(worker).give_back();
  }

  [[nodiscard]] Worker<P>& worker(std::size_t index) noexcept { return *workers_[index]; }
  [[nodiscard]] typename P::Idle& idle() noexcept { return idle_; }
  [[nodiscard]] typename P::Injector& injector() noexcept { return injector_; }

  void warm_up(std::chrono::nanoseconds time) noexcept override;
  /// The end of that time (steady clock, nanoseconds).
  [[nodiscard]] std::int64_t warm_until() const noexcept { return warm_until_.load(std::memory_order_relaxed); }

  [[nodiscard]] WorkerStats stats(std::size_t slot) const noexcept override { return workers_[slot]->stats(); }
  void count_idle(std::size_t& searching, std::size_t& parked) const noexcept override {
    if constexpr (requires { idle_.num_searching(); }) {
      searching = idle_.num_searching();
      parked = idle_.num_parked();
    }
  }
  void stop() override;
  void end_threads() noexcept override;

  void enter(PoolCall call, void* argument) override;

 private:
  static constexpr std::size_t kNoSlot = ~std::size_t{0};

  /// borrow and give_back without virtual calls.
  struct Borrower {
    explicit Borrower(Worker<P>& its_worker) noexcept : worker(its_worker) {
      current_worker = CurrentWorker<P>::worker = &worker;
    }
    ~Borrower() {
      current_worker = CurrentWorker<P>::worker = nullptr;
      worker.give_back();
    }
    Worker<P>& worker;
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

  void start_threads();
  void run_thread(std::size_t index) noexcept;

  struct StartGate;

  typename P::Injector injector_;
  typename P::Idle idle_;
  // Arrays: with _GLIBCXX_DEBUG a std::vector has another layout in a program than in the library.
  std::unique_ptr<std::unique_ptr<Worker<P>>[]> workers_;
  std::unique_ptr<Thread[]> threads_;
  std::size_t threads_started_ = 0;
  Atomic<std::int64_t> warm_until_{0};  // written by warm_up, read by workers without work
  StartGate* gate_ = nullptr;           // while starting, if the options have a hook to wait for
};

}  // namespace blitz::detail
