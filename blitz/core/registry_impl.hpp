/// The parts of Worker and Registry that are compiled once for each policy: in the library for its own, in the program
/// for others, by way of blitz/custom_policy.hpp.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>

#include "blitz/base/asymmetric_fence.hpp"
#include "blitz/base/linger.hpp"
#include "blitz/base/xorshift.hpp"
#include "blitz/core/any_worker.hpp"
#include "blitz/core/caller_latch.hpp"
#include "blitz/core/loop_driver.hpp"
#include "blitz/core/pool_config.hpp"
#include "blitz/core/region.hpp"
#include "blitz/core/registry.hpp"

namespace blitz::detail {

// --- Worker ---

template <Policy P>
Worker<P>::Worker(Registry<P>& registry, std::size_t index, std::uint64_t seed)
    : WorkerBase(index, &registry),
      registry_(registry),
      idle_(registry.idle()),
      injector_(registry.injector()),
      finder_(seed),
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
  constexpr bool queue_counts = policy::CountingQueue<typename P::LocalQueue>;
  constexpr bool finder_counts = policy::CountingFinder<typename P::Finder>;
  if constexpr (queue_counts) s.jobs_pushed = queue_.pushed();
  if constexpr (finder_counts) {
    s.jobs_stolen = finder_.stolen();
    s.steals_tried = finder_.steals_tried();
    s.injected_taken = finder_.injected_taken();
  }
  if constexpr (policy::CountingIdle<typename P::Idle>) {
    s.times_slept = idle_.times_slept(index());
    s.times_woken = idle_.times_woken(index());
  }
  if constexpr (requires { finder_.lifo_hits(); }) {
    s.lifo_hits = finder_.lifo_hits();
    s.global_batch_fetches = finder_.global_batch_fetches();
    s.overflows = queue_.overflows();
  }
  if constexpr (queue_counts && finder_counts) {
    // What was pushed here or came from elsewhere has been run here unless it was taken away or is still waiting. The
    // counts are not read at once: the sum may be below zero for a moment.
    const std::uint64_t come =
        s.jobs_pushed + s.jobs_stolen + s.injected_taken + mail_taken_.load(std::memory_order_relaxed);
    const auto executed = static_cast<std::int64_t>(come - queue_.taken() - queue_.size());
    s.jobs_executed = executed > 0 ? static_cast<std::uint64_t>(executed) : 0;
  }
  return s;
}

template <Policy P>
void Worker<P>::push(Job* job) {
  if (region() != nullptr) {
    region()->push(*this, job);
  } else {
    offer(job);
  }
}

template <Policy P>
Job* Worker<P>::take_newest() noexcept {
  return region() != nullptr ? region()->take_newest(*this) : queue_.take_newest();
}

template <Policy P>
Job* Worker<P>::find_work() noexcept {
  return region() != nullptr ? region()->take_newest(*this) : find_any();
}

template <Policy P>
constinit thread_local Worker<P>* CurrentWorker<P>::worker = nullptr;

template <Policy P>
bool Worker<P>::region_empty() const noexcept {
  return region()->empty();
}

template <Policy P>
void Worker<P>::confine(Region* region) noexcept {
  set_region(region);
  // In a forked child it is nobody's worker any more, and remains so.
  CurrentWorker<P>::worker = region == nullptr && current_worker == this ? this : nullptr;
}

template <Policy P>
void Worker<P>::forget_runner() noexcept {
  CurrentWorker<P>::worker = nullptr;
  current_worker = nullptr;
}

template <Policy P>
void Worker<P>::mail(Job* job) noexcept {
  mailbox_.push(job);
  if (!wake_if_apart()) idle_.try_wake(index());
}

template <Policy P>
Job* Worker<P>::take_mail() noexcept {
  Job* const job = mailbox_.empty() ? nullptr : mailbox_.take();
  if (job != nullptr) mail_taken_.store(mail_taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return job;
}

template <Policy P>
Job* Worker<P>::find_any() noexcept {
  if (Job* const job = take_mail()) return job;
  return finder_.find_work(sources_);
}

/// While this holds, a worker that waits runs whatever job it finds. Where stolen jobs are piled up on its stack, or the
/// pool was told to use fewer workers, it keeps to those of its own queue.
template <Policy P>
bool Worker<P>::may_help() const noexcept {
  return nested_waits_ < registry_.options().max_nested_waits && index() < registry_.max_concurrency();
}

template <Policy P>
void Worker<P>::wait_until(CoreLatch& latch) noexcept {
  if (latch.probe()) return;
  registry_.end_if_forked();
  if (region() != nullptr) {
    region()->wait(*this, latch);
    return;
  }
  if (!may_help() && wait_apart(latch)) return;
  ++nested_waits_;
  work_until(latch, Rest::kWait);
  --nested_waits_;
}

/// Runs what is in the worker's own queue, then sleeps until the latch is set, and returns true. Or returns false,
/// because nobody else is left to look for work.
///
/// That cannot happen for want of work alone: no job is left behind in this queue, and so what this worker waits for is
/// being executed, or is in another queue or the injector, where one that does not stand apart will find it.
template <Policy P>
bool Worker<P>::wait_apart(CoreLatch& latch) noexcept {
  for (unsigned round = 0; round < kRoundsOfSearch; ++round) {
    while (Job* const job = queue_.take_newest()) {
      execute(job);
      if (latch.probe()) return true;
    }
    if (latch.probe()) return true;
    yield_thread();
  }
  if (!registry_.try_stand_apart()) return false;
  while (!latch.probe() && !registry_.all_stand_apart()) {
    if (Job* const posted = take_mail()) {
      registry_.stand_apart_no_more();  // What it runs may wait, too, and this worker is one.
      execute(posted);
      while (Job* const own = latch.probe() ? nullptr : queue_.take_newest()) execute(own);
      if (latch.probe()) return true;
      if (!registry_.try_stand_apart()) return false;
      continue;
    }
    sleep_apart(latch, [this]() noexcept { return !mailbox_.empty() || registry_.all_stand_apart(); });
  }
  registry_.stand_apart_no_more();
  return latch.probe();
}

/// For a resident that executes no job and is one too many for the pool's present concurrency. What is in its queue is
/// for the others.
template <Policy P>
void Worker<P>::sit_out(Search& search) noexcept {
  idle_.work_found(search);  // For the others, from here on it executes a long job.
  registry_.stand_apart();
  const auto is_wanted = [this]() noexcept { return !mailbox_.empty() || index() < registry_.max_concurrency(); };
  while (!terminate_.probe() && index() >= registry_.max_concurrency()) {
    if (Job* const posted = take_mail()) {
      registry_.stand_apart_no_more();  // What it runs may wait, too, and this worker is one.
      execute(posted);
      registry_.stand_apart();
      continue;
    }
    sleep_apart(terminate_, is_wanted);
  }
  registry_.stand_apart_no_more();
  search = idle_.start_looking(index());
}

template <Policy P>
bool Worker<P>::is_warm() const noexcept {
  if (index() == 0) return false;  // Vacant, for the outside caller whose work is to come.
  const std::int64_t until = registry_.warm_until();
  if (until == 0) return false;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() < until;
}

template <Policy P>
void Worker<P>::run_resident() noexcept {
  Search search = idle_.first_search(index());
  const RunnerScope<P> scope(*this);
  if (Job* const job = search_until(terminate_, Rest::kVacate, search)) execute(job);
  work_until(terminate_, Rest::kVacate);
  // Nothing that counts is left, but tokens of regions may be, whose jobs their own workers have run.
  while (Job* const job = find_any()) execute(job);
}

template <Policy P>
void Worker<P>::terminate() noexcept {
  (void)terminate_.set();
  if (!wake_if_apart()) idle_.try_wake(index());
}

template <Policy P>
void Worker<P>::give_back() noexcept {
  // In a forked child there is nobody to give it to, and the idle protocol is as other threads had left it.
  if (registry_.from_before_fork()) [[unlikely]]
    return;
  /// What only the resident can do: end, or run what was posted to it.
  struct ResidentWanted {
    const Worker& worker;
    [[nodiscard]] bool probe() const noexcept { return worker.terminate_.probe() || !worker.mailbox_.empty(); }
  };
  idle_.give_back(
      index(), queue_.empty(), ResidentWanted{*this}, [this]() noexcept { return others_waiting(); },
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
    const bool leaves = rest == Rest::kVacate && index() >= registry_.max_concurrency();
    Job* job = leaves ? nullptr : find_any();
    if (job == nullptr) {
      Search search = idle_.start_looking(index());
      job = search_until(latch, rest, search);
      if (job == nullptr) return;
    }
    execute(job);
    const bool one_too_many = rest == Rest::kWait && index() >= registry_.max_concurrency();
    if (one_too_many && wait_apart(latch)) [[unlikely]]
      return;
  }
}

/// Returns a job, or null when the latch is set.
template <Policy P>
Job* Worker<P>::search_until(CoreLatch& latch, Rest rest, Search& search) noexcept {
  Job* job = nullptr;
  while (!latch.probe()) {
    if (rest == Rest::kVacate && index() >= registry_.max_concurrency()) [[unlikely]] {
      sit_out(search);
      continue;
    }
    sources_.searching = true;
    job = find_any();
    sources_.searching = false;
    if (job != nullptr) break;
    if (rest == Rest::kVacate && is_warm()) {
      yield_thread();
      continue;
    }
    idle_.no_work_found(search, latch, rest, [this]() noexcept { return others_waiting(); });
  }
  idle_.work_found(search);
  return job;
}

template <Policy P>
void Worker<P>::run_loop(const Loop& loop, void* value) {
  if (region() == nullptr) [[likely]] {
    run_loop_on(*this, loop, value);
  } else {
    AnyWorker confined(*this);
    run_loop_on(confined, loop, value);
  }
}

// --- Registry ---

template <Policy P>
void Registry<P>::enter(PoolCall call, void* argument) {
  throw_if_unusable();
  const std::size_t slot = current_worker == nullptr ? try_borrow() : kNoSlot;
  if (slot == kNoSlot) [[unlikely]]
    return inject_and_wait(call, argument, current_worker);
  Worker<P>& worker = *workers_[slot];
  const GiveBack give_back{worker};
  const RunnerScope<P> scope(worker);
  call(argument, worker);
}

template <Policy P>
void Registry<P>::enter_blocking(PoolCall call, void* argument) {
  if (current_worker == nullptr) return enter(call, argument);
  throw_if_unusable();
  PoolBase& here = *current_worker->pool();
  here.stand_apart();
  struct End {
    PoolBase& pool;
    ~End() { pool.stand_apart_no_more(); }
  } const end{here};
  inject_and_wait(call, argument, nullptr);
}

/// `waiter`: the worker that works in its own pool meanwhile; null for a thread that blocks.
template <Policy P>
void Registry<P>::inject_and_wait(PoolCall call, void* argument, WorkerBase* waiter) {
  const auto on_worker = [call, argument](WorkerBase& worker) { call(argument, worker); };
  StackJob<decltype(on_worker)&, CallerLatch> job(on_worker, *this, waiter);
  inject(&job);
  job.latch().wait();
  static_cast<void>(job.result().take());
}

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
    : PoolBase(std::move(options), num_threads),
      idle_(num_threads),
      count_(num_threads),
      workers_(std::make_unique<std::unique_ptr<Worker<P>>[]>(num_threads)),
      threads_(std::make_unique<Thread[]>(num_threads)) {
  const std::uint64_t seed = first_seed(this->options());
  for (std::size_t i = 0; i < count_; ++i) workers_[i] = std::make_unique<Worker<P>>(*this, i, splitmix64(seed + i));
  for (std::size_t i = 0; i < count_; ++i) workers_[i]->set_count(count_);
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
  const bool wait = options().on_thread_start != nullptr;
  if (wait) gate_ = &gate;
  std::exception_ptr error;
  try {
    const Processors processors = processors_for(options().affinity);
    for (; threads_started_ < count_; ++threads_started_) {
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
    error = std::make_exception_ptr(ThreadPoolError(thread_failure(threads_started_, count_, e.what())));
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
      if (!options().exception_handler) std::terminate();
      options().exception_handler(std::current_exception());
    }
  }
}

template <Policy P>
void Registry<P>::stop() {
  if (from_before_fork()) {
    // The threads are the parent's, and what they had in hand when this process began is as it was.
    for (std::size_t i = 0; i < threads_started_; ++i) threads_[i].abandon();
    threads_started_ = 0;
    keep_for_ever(keep_alive());
    return;
  }
  const bool own_worker = current_worker != nullptr && current_worker->pool() == this;
  if (own_worker || own_pool == this) throw ThreadPoolError(kStoppedByOwnWorker);
  if (closed()) return;
  drain();
  close();
  end_threads();
}

template <Policy P>
void Registry<P>::end_threads() noexcept {
  for (std::size_t i = 0; i < count_; ++i) workers_[i]->terminate();
  for (std::size_t i = 0; i < threads_started_; ++i) threads_[i].join();
}

template <Policy P>
void Registry<P>::warm_up(std::chrono::nanoseconds time) noexcept {
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
  set_warm_until((time < std::chrono::nanoseconds::max() - now ? now + time : std::chrono::nanoseconds::max()).count());
  for (std::size_t slot = 1; slot < max_concurrency(); ++slot) idle_.try_wake(slot);
}

}  // namespace blitz::detail
