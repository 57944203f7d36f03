/// The functions of Registry, and of Worker, that are compiled once for each policy: in the library for blitz's policies, in a
/// program for others, through blitz/custom_policy.hpp.
#pragma once

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>

#include "blitz/detail/base/xorshift.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/pool/registry.hpp"
#include "blitz/detail/pool/worker_impl.hpp"
#include "blitz/detail/worker/pool_config.hpp"

namespace blitz::detail {

/// The maker of a pool waits here until each thread has returned from on_thread_start.
template <Policy P>
struct Registry<P>::StartGate {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t passed = 0;
  std::exception_ptr error;
  std::size_t failed_index = 0;

  void pass(std::size_t index, std::exception_ptr e) noexcept {
    const std::lock_guard lock(mutex);
    ++passed;
    if (e != nullptr && error == nullptr) {
      error = std::move(e);
      failed_index = index;
    }
    changed.notify_one();
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return passed == count; });
  }
};

template <Policy P>
void Registry<P>::enter(PoolCall call, void* argument) {
  throw_if_unusable();
  if (current_worker != nullptr || !own_.idle.try_borrow(0)) [[unlikely]]
    return enter_slowly(call, argument, false);
  Worker<P>& worker = this->worker(0);
  const Borrower borrower(worker);
  call(argument, worker);
}

template <Policy P>
Worker<P>* Registry<P>::guest() noexcept {
  GuestTeam<P>* team = free_guest_team();
  if (team == nullptr) {
    const std::lock_guard lock(making_guests_);
    team = free_guest_team();
    if (team == nullptr) team = make_guest_team();
  }
  return team != nullptr ? &team->worker(0) : nullptr;
}

/// Returns a team that the caller has entered; null if none is free.
template <Policy P>
GuestTeam<P>* Registry<P>::free_guest_team() noexcept {
  GuestTeam<P>* team = guests_.load(std::memory_order_acquire);  // [guests]
  while (team != nullptr && !team->try_enter()) team = team->next();
  return team;
}

/// Returns a new team that the caller has entered. Null if there is no memory for it, or if the policy lends no slots.
template <Policy P>
GuestTeam<P>* Registry<P>::make_guest_team() noexcept {
  if (!lends_) return nullptr;
  GuestTeam<P>* last = guests_.load(std::memory_order_relaxed);  // relaxed: under the mutex
  std::size_t number = 0;
  for (GuestTeam<P>* team = last; team != nullptr; team = team->next()) {
    last = team;
    ++number;
  }
  const std::size_t slots = number < kWideTeams ? num_threads() : 1;
  try {
    auto team = std::make_unique<GuestTeam<P>>(*this, slots, number, seed_ + num_threads() * (number + 1));
    lends_ = team->try_enter();
    if (!lends_) return nullptr;
    for (std::size_t slot = 0; slot < slots; ++slot) team->worker(slot).enlist();
    last == nullptr ? guests_.store(team.get(), std::memory_order_release) : last->set_next(team.get());  // [guests]
    return team.release();
  } catch (...) {
    return nullptr;
  }
}

template <Policy P>
void Registry<P>::leave_jobs(WorkerBase& worker) noexcept {
  if (from_before_fork()) return;
  worker.team().attended.store(false, std::memory_order_relaxed);
  seq_cst_fence();  // [attended]
  inject_jobs_of(static_cast<Worker<P>&>(worker));
}

template <Policy P>
void Registry<P>::inject_jobs_of(Worker<P>& worker) noexcept {
  while (Job* const job = worker.take_left()) worker.execute(job);
  while (Job* const job = worker.take_own_or_refused()) inject(job);
}

template <Policy P>
void Registry<P>::summon(Job* summons) noexcept {
  summons_.push(summons);
  seq_cst_fence();  // [summon]
  call_resident();
}

template <Policy P>
void Registry<P>::call_resident() noexcept {
  const std::size_t slots = max_concurrency();
  for (std::size_t slot = 1; slot < slots; ++slot) {
    if (!worker(slot).rests()) continue;  // [summon]
    own_.idle.try_wake(slot);
    return;
  }
}

template <Policy P>
WorkerStats Registry<P>::stats(std::size_t slot) const noexcept {
  WorkerStats sum = own_.worker(slot).stats();
  for (GuestTeam<P>* team = guests_.load(std::memory_order_acquire); team != nullptr;
       team = team->next()) {  // [guests]
    if (slot < team->size) sum += team->worker(slot).stats();
  }
  return sum;
}

template <Policy P>
Registry<P>::Registry(ThreadPoolOptions options, std::size_t num_threads)
    : PoolBase(std::move(options), num_threads),
      seed_(first_seed(this->options())),
      own_(*this, home(), seed_),
      threads_(std::make_unique<Thread[]>(num_threads)) {
  for (std::size_t slot = 0; slot < num_threads; ++slot) worker(slot).enlist();
}

template <Policy P>
Registry<P>::~Registry() {
  // Discard summons that no resident had time for: guests leave no job in their teams.
  while (take_summons() != nullptr) {
  }
  for (GuestTeam<P>* team = guests_.load(std::memory_order_relaxed); team != nullptr;)  // relaxed: none is added now
    delete std::exchange(team, team->next());
}

/// The injector of a team of `slots`. Throws std::bad_alloc.
template <class Injector>
[[nodiscard]] Injector make_injector(std::size_t slots) {
  if constexpr (std::constructible_from<Injector, std::size_t>)
    return Injector(slots);
  else
    return Injector();
}

template <Policy P>
Team<P>::Team(Registry<P>& registry, TeamBase& base, std::uint64_t seed)
    : injector(make_injector<typename P::Injector>(base.size)),
      idle(base.size),
      workers_(std::make_unique<std::unique_ptr<Worker<P>>[]>(base.size)) {
  for (std::size_t slot = 0; slot < base.size; ++slot)
    workers_[slot] = std::make_unique<Worker<P>>(registry, *this, base, slot, splitmix64(seed + slot));
}

template <Policy P>
Shared<Registry<P>> Registry<P>::start(ThreadPoolOptions options) {
  const std::size_t num_threads = checked_num_threads(options, P::Idle::kMaxSlots);
  register_asymmetric_fences();
  Shared<Registry> registry(new Registry(std::move(options), num_threads));
  try {
    registry->start_threads();
  } catch (...) {
    registry->stop();
    throw;
  }
  return registry;
}

template <class P>
Shared<PoolBase> start_pool(ThreadPoolOptions options) {
  return Shared<PoolBase>(Registry<P>::start(std::move(options)).release());
}

template <Policy P>
void Registry<P>::start_threads() {
  StartGate gate;
  const bool wait = options().on_thread_start != nullptr;
  if (wait) gate_ = &gate;
  std::exception_ptr error;
  try {
    const Processors processors = processors_for(options().affinity);
    for (; threads_started_ < num_threads(); ++threads_started_) {
      const std::size_t i = threads_started_;
      ThreadOptions thread;
      thread.name = options().thread_name ? options().thread_name(i) : "blitz-" + std::to_string(i);
      thread.stack_size = options().stack_size;
      if (processors.count > 0) thread.processor = processors.numbers[i % processors.count];
      threads_[i] = Thread(
          [](void* argument) {
            auto& worker = *static_cast<Worker<P>*>(argument);
            worker.registry().run_thread(worker.index());
          },
          &worker(i), thread);
    }
  } catch (const std::system_error& e) {
    error = std::make_exception_ptr(
        ThreadPoolError(ThreadPoolErrorCode::kCannotStart, thread_failure(threads_started_, num_threads(), e.what())));
  } catch (...) {
    error = std::current_exception();
  }
  if (wait) {
    gate.wait_for(threads_started_);
    if (error == nullptr && gate.error != nullptr) {
      error = std::make_exception_ptr(
          ThreadPoolError(ThreadPoolErrorCode::kCannotStart, start_hook_failure(gate.failed_index, gate.error)));
    }
    gate_ = nullptr;
  }
  if (error != nullptr) std::rethrow_exception(error);
}

template <Policy P>
void Registry<P>::run_thread(std::size_t index) noexcept {
  own_pool = this;
  own_.idle.adopt_resident(index);
  if (gate_ != nullptr) {
    std::exception_ptr error;
    try {
      options().on_thread_start(index);
      end_if_forked();
    } catch (...) {
      error = std::current_exception();
    }
    const bool failed = error != nullptr;
    gate_->pass(index, std::move(error));
    if (failed) return;
  }
  worker(index).run_resident();
  if (options().on_thread_exit) {
    try {
      options().on_thread_exit(index);
    } catch (...) {
      report(std::current_exception());
    }
  }
}

template <Policy P>
void Registry<P>::stop() {
  if (from_before_fork()) {
    // The threads exist only in the parent, and their data is in the state of the fork(): touch nothing.
    for (std::size_t i = 0; i < threads_started_; ++i) threads_[i].abandon();
    threads_started_ = 0;
    retain();
    keep_for_ever(this);
    return;
  }
  if (is_under_way()) throw ThreadPoolError(ThreadPoolErrorCode::kWouldDeadlock, kStoppedByOwnWorker);
  if (closed()) return;
  detached_jobs().drain();
  close();
  end_threads();
}

template <Policy P>
void Registry<P>::end_threads() noexcept {
  for (std::size_t i = 0; i < num_threads(); ++i) worker(i).terminate();
  for (std::size_t i = 0; i < threads_started_; ++i) threads_[i].join();
}

template <Policy P>
void Registry<P>::warm_up(std::chrono::nanoseconds time) noexcept {
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
  const auto until = time < std::chrono::nanoseconds::max() - now ? now + time : std::chrono::nanoseconds::max();
  warm_until_.store(until.count(), std::memory_order_relaxed);
  for (std::size_t slot = 1; slot < max_concurrency(); ++slot) own_.idle.try_wake(slot);
}

}  // namespace blitz::detail
