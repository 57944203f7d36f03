/// @file
/// broadcast: a call on every worker, with the results.
#pragma once

#include "blitz/base/compiler.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/core/caller_latch.hpp"
#include "blitz/core/job.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/spawn.hpp"

namespace blitz {

/// What broadcast takes: a BroadcastTask whose results, if any, can be collected.
template <class F>
concept BroadcastCallable =
    BroadcastTask<F> && !std::is_reference_v<std::invoke_result_t<const std::decay_t<F>&, BroadcastContext>>;

namespace detail {

/// One broadcast: a job for each worker, their outcomes, and the latch that the last of them sets.
template <class F>
class Broadcast {
 public:
  using Value = CallValue<F&, BroadcastContext>;

  /// `f` outlives this. Throws std::bad_alloc.
  Broadcast(PoolBase& pool, F& f)
      : f_(f), count_(pool.num_threads()), parts_(std::make_unique<Part[]>(count_)), latch_(pool) {}

  /// Calls `f` on every worker, and returns when all calls have ended.
  void run(PoolBase& pool) noexcept {
    WorkerBase* const here = worker_of(pool);
    unfinished_.store(count_, std::memory_order_relaxed);  // The mail publishes it, and the parts.
    for (std::size_t slot = 0; slot < count_; ++slot) {
      parts_[slot].all = this;
      if (here == nullptr || slot != here->index()) pool.mail_to(slot, &parts_[slot]);
    }
    if (here != nullptr) Part::execute_it(&parts_[here->index()], *here);
    latch_.wait();
  }

  /// Returns the values, or rethrows the exception of the lowest index.
  auto take() {
    for (std::size_t slot = 0; slot < count_; ++slot) {
      if (parts_[slot].error != nullptr) std::rethrow_exception(std::move(parts_[slot].error));
    }
    if constexpr (!std::is_void_v<std::invoke_result_t<F&, BroadcastContext>>) {
      std::vector<Value> values;
      values.reserve(count_);
      for (std::size_t slot = 0; slot < count_; ++slot) values.push_back(std::move(*parts_[slot].value));
      return values;
    }
  }

 private:
  struct Part final : Job {
    Part() noexcept : Job(&execute_it) {}

    static void execute_it(Job* job, WorkerBase& worker) noexcept {
      auto& self = *static_cast<Part*>(job);
      Broadcast& all = *self.all;
      try {
        self.value.emplace(call_value(all.f_, BroadcastContext(worker.index(), all.count_)));
      } catch (...) {
        self.error = std::current_exception();
      }
      // Release and acquire: all outcomes are visible to the thread that the last call wakes.
      if (all.unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) all.latch_.set();
    }

    Broadcast* all;
    std::optional<Value> value;
    std::exception_ptr error;
  };

  F& f_;
  std::size_t count_;
  std::unique_ptr<Part[]> parts_;
  Atomic<std::size_t> unfinished_{0};
  CallerLatch latch_;
};

template <class F>
auto broadcast_in(PoolBase& pool, F&& f) {
  if (worker_of(pool) == nullptr) pool.throw_if_unusable();
  Broadcast<std::remove_reference_t<F>> broadcast(pool, f);
  broadcast.run(pool);
  return broadcast.take();
}

}  // namespace detail

/// @brief Calls `f(context)` once on every worker of the pool that the caller works for, or else of the global pool,
/// and waits for all calls.
///
/// A busy worker makes its call when it next looks for work, after the jobs of its own queue. A worker that waits,
/// inside isolate too, makes it meanwhile. All calls are made, also when some throw.
///
/// @param f  Called through a reference, by several threads at once.
/// @return The results by the worker's index, in a std::vector; nothing if `f` returns void.
/// @throws The exception of the lowest index; the others are dropped. std::bad_alloc, and what global_pool() throws,
///         before any call.
/// Complexity: O(n) for n workers, each of which is woken. Thread-safety: any thread; a caller outside the pool blocks.
template <BroadcastCallable F>
auto broadcast(F&& f) {
  return detail::broadcast_in(detail::current_pool(), std::forward<F>(f));
}

}  // namespace blitz
