#include "blitz/core/pool_base.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "blitz/base/asymmetric_fence.hpp"
#include "blitz/core/pool_config.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

void end_in_child() noexcept {
  static_cast<void>(std::fputs(
      "blitz: a forked child has come back into a pool of its parent, to wait for a job or to look for one, and the "
      "pool's threads do not exist here; have a child that was forked inside a job call exec or _exit there\n",
      stderr));
  std::abort();
}

PoolBase::PoolBase(ThreadPoolOptions options, std::size_t num_threads)
    : options_(std::move(options)),
      generation_(fork_generation.load(std::memory_order_relaxed)),
      max_concurrency_(num_threads) {}

constinit thread_local PoolBase* own_pool = nullptr;

bool PoolBase::try_admit() noexcept {
  std::uintptr_t callers = callers_.load(std::memory_order_acquire);  // [close]
  do {
    if (callers == kClosed) return false;
    if (callers == this_thread() || callers == kSeveral) return true;
    // Release and acquire, as for the end: whether this thread is counted or the pool is closed is decided here.
  } while (!callers_.compare_exchange_weak(callers, callers == kNobody ? this_thread() : kSeveral,
                                           std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

void PoolBase::admit() {
  if (from_before_fork()) refuse();
  if (current_worker != nullptr && current_worker->pool() == this) return;
  if (try_admit()) return;
  const bool at_exit = closed_at_exit_by_ != 0;
  if (at_exit && closed_at_exit_by_ != this_thread() && own_pool != this) {
    // The process is about to end. An exception, which this thread need not expect, would make it end otherwise.
    Parker never;
    for (;;) never.park();
  }
  refuse();
}

bool PoolBase::close_if_alone() noexcept {
  closed_at_exit_by_ = this_thread();
  for (std::uintptr_t callers : {kNobody, this_thread()}) {
    if (callers_.compare_exchange_strong(callers, kClosed, std::memory_order_acq_rel)) return true;  // [close]
  }
  return false;
}

void PoolBase::refuse() const { throw ThreadPoolError(from_before_fork() ? kUsedAfterFork : kUsedAfterShutdown); }

void PoolBase::report(std::exception_ptr error) noexcept {
  // Called from a handler of this exception, so that std::terminate finds it.
  if (!options_.exception_handler) std::terminate();
  options_.exception_handler(std::move(error));
}

void PoolBase::drain() noexcept {
  stopping_.store(true, std::memory_order_seq_cst);
  asymmetric_heavy_fence();  // [drain]
  while (!drained()) drained_.park();
}

void PoolBase::drain_at_exit() noexcept {
  const std::lock_guard held(draining_);
  spawns_held_.store(true, std::memory_order_relaxed);
  drain();
  stopping_.store(false, std::memory_order_relaxed);
  spawns_held_.store(false, std::memory_order_relaxed);
}

void PoolBase::wait_for_drain() noexcept { const std::lock_guard end_of_drain(draining_); }

/// Whether there was a moment, after the counts of what ended were read and before those of what had begun were, with
/// as many ended as begun. Then nothing was left that could begin another.
bool PoolBase::drained() noexcept {
  std::uint64_t ended = 0;
  for (std::size_t i = 0; i < num_threads(); ++i) ended += worker_base(i).detached_ended_count();  // [ended]
  std::uint64_t begun = begun_outside_.load(std::memory_order_seq_cst);
  for (std::size_t i = 0; i < num_threads(); ++i) begun += worker_base(i).detached_begun_count();
  return ended == begun;
}

void PoolBase::detached_ended_late() noexcept {
  // Of two workers that end the last two jobs at once, one at least sees both counts.
  seq_cst_fence();
  if (drained()) drained_.unpark();
}

void PoolBase::keep_for_ever(std::shared_ptr<void> thing) {
  static Mutex mutex;
  static auto* const things = new std::vector<std::shared_ptr<void>>;
  const std::lock_guard lock(mutex);
  things->push_back(std::move(thing));
}

void PoolBase::set_max_concurrency(std::size_t count) {
  if (count == 0 || count > num_threads()) {
    throw std::invalid_argument("blitz: a maximal concurrency of " + std::to_string(count) +
                                " was asked of a pool of " + std::to_string(num_threads()) +
                                " threads; ask for 1 to that many");
  }
  max_concurrency_.store(count, std::memory_order_seq_cst);
  for (std::size_t i = 0; i < num_threads(); ++i) worker_base(i).wake_if_apart();
}

bool PoolBase::try_stand_apart() noexcept {
  if (apart_.fetch_add(1, std::memory_order_seq_cst) + 1 < num_threads()) return true;
  stand_apart_no_more();
  return false;
}

void PoolBase::stand_apart() noexcept {
  if (apart_.fetch_add(1, std::memory_order_seq_cst) + 1 < num_threads()) return;
  for (std::size_t i = 0; i < num_threads(); ++i) worker_base(i).wake_if_apart();
}

}  // namespace blitz::detail
