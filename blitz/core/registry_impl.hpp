/// The functions of Registry, and of Worker, that are compiled once for each policy: in the library for its own
/// policies, in a program for others, by way of blitz/custom_policy.hpp.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>

#include "blitz/base/asymmetric_fence.hpp"
#include "blitz/base/xorshift.hpp"
#include "blitz/core/pool_config.hpp"
#include "blitz/core/registry.hpp"
#include "blitz/core/worker_impl.hpp"

namespace blitz::detail {

/// Where the maker of a pool waits until each thread has returned from on_thread_start.
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
  const std::size_t slot = current_worker == nullptr ? try_borrow() : kNoSlot;
  if (slot == kNoSlot) [[unlikely]]
    return inject_and_wait(call, argument, current_worker);
  Worker<P>& worker = *workers_[slot];
  const Borrower borrower(worker);
  call(argument, worker);
}

template <Policy P>
Registry<P>::Registry(ThreadPoolOptions options, std::size_t num_threads)
    : PoolBase(std::move(options), num_threads),
      idle_(num_threads),
      workers_(std::make_unique<std::unique_ptr<Worker<P>>[]>(num_threads)),
      threads_(std::make_unique<Thread[]>(num_threads)) {
  const std::uint64_t seed = first_seed(this->options());
  for (std::size_t i = 0; i < num_threads; ++i)
    workers_[i] = std::make_unique<Worker<P>>(*this, i, splitmix64(seed + i));
}

template <Policy P>
Registry<P>::~Registry() = default;

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
          workers_[i].get(), thread);
    }
  } catch (const std::system_error& e) {
    error = std::make_exception_ptr(ThreadPoolError(thread_failure(threads_started_, num_threads(), e.what())));
  } catch (...) {
    error = std::current_exception();
  }
  if (wait) {
    gate.wait_for(threads_started_);
    if (error == nullptr && gate.error != nullptr) {
      error = std::make_exception_ptr(ThreadPoolError(start_hook_failure(gate.failed_index, gate.error)));
    }
    gate_ = nullptr;
  }
  if (error != nullptr) std::rethrow_exception(error);
}

template <Policy P>
void Registry<P>::run_thread(std::size_t index) noexcept {
  own_pool = this;
  idle_.adopt_resident(index);
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
  workers_[index]->run_resident();
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
    // The threads exist in the parent only, and their data is as fork() found it: touch nothing.
    for (std::size_t i = 0; i < threads_started_; ++i) threads_[i].abandon();
    threads_started_ = 0;
    retain();
    keep_for_ever(this);
    return;
  }
  const bool own_worker = current_worker != nullptr && current_worker->pool() == this;
  if (own_worker || own_pool == this) throw ThreadPoolError(kStoppedByOwnWorker);
  if (closed()) return;
  detached_jobs().drain();
  close();
  end_threads();
}

template <Policy P>
void Registry<P>::end_threads() noexcept {
  for (std::size_t i = 0; i < num_threads(); ++i) workers_[i]->terminate();
  for (std::size_t i = 0; i < threads_started_; ++i) threads_[i].join();
}

template <Policy P>
void Registry<P>::warm_up(std::chrono::nanoseconds time) noexcept {
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
  const auto until = time < std::chrono::nanoseconds::max() - now ? now + time : std::chrono::nanoseconds::max();
  warm_until_.store(until.count(), std::memory_order_relaxed);
  for (std::size_t slot = 1; slot < max_concurrency(); ++slot) idle_.try_wake(slot);
}

}  // namespace blitz::detail
