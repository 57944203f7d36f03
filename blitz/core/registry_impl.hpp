/// The parts of Worker and Registry that are compiled once for each policy: include this where a policy that is not one
/// of the library's own is to be instantiated.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>

#include "blitz/base/asymmetric_fence.hpp"
#include "blitz/base/cpu_count.hpp"
#include "blitz/core/pool_config.hpp"
#include "blitz/core/registry.hpp"

namespace blitz::detail {

// --- Worker ---

template <Policy P>
Worker<P>::Worker(Registry<P>& registry, std::size_t index)
    : WorkerBase(index),
      registry_(registry),
      idle_(registry.idle()),
      injector_(registry.injector()),
      finder_(index),
      sources_{index, 0, queue_, injector_, &registry, [](void* pool, std::size_t slot) noexcept -> auto& {
                 return static_cast<Registry<P>*>(pool)->worker(slot).queue();
               }} {}

template <Policy P>
std::size_t Worker<P>::num_threads() const noexcept {
  return registry_.num_threads();
}

template <Policy P>
std::shared_ptr<void> Worker<P>::keep_alive() const noexcept {
  return registry_.shared_from_this();
}

template <Policy P>
WorkerStats Worker<P>::stats() const noexcept {
  WorkerStats s;
  s.jobs_pushed = queue_.pushed();
  s.jobs_stolen = finder_.stolen();
  s.steals_tried = finder_.steals_tried();
  s.injected_taken = finder_.injected_taken();
  s.times_slept = idle_.times_slept(index());
  s.times_woken = idle_.times_woken(index());
  // What was pushed here has been run here unless it was taken away or is still waiting.
  const std::uint64_t gone = queue_.taken() + queue_.size();
  const std::uint64_t own = s.jobs_pushed > gone ? s.jobs_pushed - gone : 0;
  s.jobs_executed = own + s.jobs_stolen + s.injected_taken;
  return s;
}

template <Policy P>
void Worker<P>::run_resident() noexcept {
  Search search = idle_.first_search(index());
  const RunnerScope<P> scope(*this);
  if (Job* const job = search_until(terminate_, Rest::kVacate, search)) execute(job);
  work_until(terminate_, Rest::kVacate);
}

template <Policy P>
void Worker<P>::terminate() noexcept {
  (void)terminate_.set();
  idle_.try_wake(index());
}

template <Policy P>
void Worker<P>::give_back() noexcept {
  idle_.give_back(
      index(), queue_.empty(), terminate_, [this]() noexcept { return !injector_.empty(); },
      [this]() noexcept {
        for (std::size_t slot = 0; slot < registry_.num_threads(); ++slot) {
          if (!registry_.worker(slot).queue().empty()) return false;
        }
        return true;
      });
}

/// Jobs at hand are run without a word to the idle protocol; a search begins when there is none.
template <Policy P>
void Worker<P>::work_until(CoreLatch& latch, Rest rest) noexcept {
  while (!latch.probe()) {
    Job* job = finder_.find_work(sources_);
    if (job == nullptr) {
      Search search = idle_.start_looking(index());
      job = search_until(latch, rest, search);
      if (job == nullptr) return;
    }
    execute(job);
  }
}

/// Returns a job, or null when the latch is set.
template <Policy P>
Job* Worker<P>::search_until(CoreLatch& latch, Rest rest, Search& search) noexcept {
  Job* job = nullptr;
  while (!latch.probe()) {
    job = finder_.find_work(sources_);
    if (job != nullptr) break;
    idle_.no_work_found(search, latch, rest, [this]() noexcept { return !injector_.empty(); });
  }
  idle_.work_found(search);
  return job;
}

// --- Registry ---

/// Where the maker of a pool waits until each thread has called on_thread_start.
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
Registry<P>::Registry(ThreadPoolOptions options, std::size_t num_threads)
    : options_(std::move(options)), idle_(num_threads) {
  workers_.reserve(num_threads);
  threads_.reserve(num_threads);
  for (std::size_t i = 0; i < num_threads; ++i) workers_.push_back(std::make_unique<Worker<P>>(*this, i));
  for (const auto& worker : workers_) worker->set_count(num_threads);
}

template <Policy P>
Registry<P>::~Registry() = default;

template <Policy P>
std::shared_ptr<Registry<P>> Registry<P>::start(ThreadPoolOptions options) {
  const std::size_t num_threads = checked_num_threads(options, P::Idle::kMaxSlots);
#if !defined(BLITZ_NO_ASYMMETRIC_FENCES)
  register_asymmetric_fences();
#endif
  std::shared_ptr<Registry> registry(new Registry(std::move(options), num_threads));
  try {
    registry->start_threads();
  } catch (...) {
    registry->stop();
    throw;
  }
  return registry;
}

template <Policy P>
void Registry<P>::start_threads() {
  StartGate gate;
  const bool wait = options_.on_thread_start != nullptr;
  if (wait) gate_ = &gate;
  std::exception_ptr error;
  try {
    const std::vector<unsigned> processors = processors_for(options_.affinity);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      ThreadOptions thread;
      thread.name = options_.thread_name ? options_.thread_name(i) : "blitz-" + std::to_string(i);
      thread.stack_size = options_.stack_size;
      if (!processors.empty()) thread.processor = processors[i % processors.size()];
      threads_.emplace_back(
          [](void* argument) {
            auto& worker = *static_cast<Worker<P>*>(argument);
            worker.registry().run_thread(worker.index());
          },
          workers_[i].get(), thread);
    }
  } catch (const std::system_error& e) {
    error = std::make_exception_ptr(ThreadPoolError(thread_failure(threads_.size(), workers_.size(), e.what())));
  } catch (...) {
    error = std::current_exception();
  }
  if (wait) {
    gate.wait_for(threads_.size());
    if (error == nullptr && gate.error != nullptr) {
      error = std::make_exception_ptr(ThreadPoolError(start_hook_failure(gate.failed_index, gate.error)));
    }
    gate_ = nullptr;
  }
  if (error != nullptr) std::rethrow_exception(error);
}

template <Policy P>
void Registry<P>::run_thread(std::size_t index) noexcept {
  idle_.adopt_resident(index);
  if (gate_ != nullptr) {
    std::exception_ptr error;
    try {
      options_.on_thread_start(index);
    } catch (...) {
      error = std::current_exception();
    }
    const bool failed = error != nullptr;
    gate_->pass(index, std::move(error));
    if (failed) return;
  }
  workers_[index]->run_resident();
  if (options_.on_thread_exit) {
    try {
      options_.on_thread_exit(index);
    } catch (...) {
      if (!options_.exception_handler) std::terminate();
      options_.exception_handler(std::current_exception());
    }
  }
}

template <Policy P>
void Registry<P>::stop() {
  if (current_worker != nullptr && current_worker->pool() == this) throw ThreadPoolError(kStoppedByOwnWorker);
  if (stopped_.exchange(true, std::memory_order_seq_cst)) return;
  for (const auto& worker : workers_) worker->terminate();
  for (Thread& thread : threads_) thread.join();
}

template <Policy P>
void Registry<P>::throw_if_stopped() const {
  if (stopped_.load(std::memory_order_seq_cst)) throw ThreadPoolError(kUsedAfterShutdown);
}

template <Policy P>
ThreadPoolStats Registry<P>::stats() const {
  ThreadPoolStats stats;
  stats.workers.reserve(workers_.size());
  for (const auto& worker : workers_) {
    stats.workers.push_back(worker->stats());
    stats.total += stats.workers.back();
  }
  return stats;
}

}  // namespace blitz::detail
