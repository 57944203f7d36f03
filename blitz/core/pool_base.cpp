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
  for (std::size_t i = 0; i < num_threads(); ++i) worker_base(i).look_up();
}

bool PoolBase::try_stand_apart() noexcept {
  if (apart_.fetch_add(1, std::memory_order_seq_cst) + 1 < num_threads()) return true;
  stand_apart_no_more();
  return false;
}

void PoolBase::stand_apart() noexcept {
  if (apart_.fetch_add(1, std::memory_order_seq_cst) + 1 < num_threads()) return;
  for (std::size_t i = 0; i < num_threads(); ++i) worker_base(i).look_up();
}

}  // namespace blitz::detail
