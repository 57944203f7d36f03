/// Default implementations of a pool and a worker, for the tests' own pools and workers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>

#include "blitz/detail/worker/pool_base.hpp"
#include "blitz/detail/worker/worker.hpp"
#include "blitz/options.hpp"
#include "blitz/stats.hpp"

namespace blitz_test {

using blitz::detail::Job;
using blitz::detail::PoolBase;
using blitz::detail::WorkerBase;

/// A pool that no outside thread enters.
class BarePool : public PoolBase {
 public:
  void enter(blitz::detail::PoolCall, void*) override { std::abort(); }
  [[nodiscard]] WorkerBase* borrow() noexcept override { return nullptr; }
  [[nodiscard]] WorkerBase* borrow_as_guest() noexcept override { return nullptr; }
  void give_back(WorkerBase&) noexcept override { std::abort(); }
  void leave_jobs(WorkerBase&) noexcept override {}  // It has none.
  void warm_up(std::chrono::nanoseconds) noexcept override {}
  [[nodiscard]] blitz::WorkerStats stats(std::size_t) const noexcept override { return {}; }
  void count_idle(std::size_t&, std::size_t&) const noexcept override {}
  void stop() override {}
  void end_threads() noexcept override {}

 protected:
  explicit BarePool(std::size_t slots) : PoolBase({}, slots) {}
};

/// A worker that takes no job back. Any work is worth a wake-up.
class BareWorker : public WorkerBase {
 public:
  [[nodiscard]] bool take_back(Job*) noexcept override { return false; }
  [[nodiscard]] Job* take_injected() noexcept override { return nullptr; }
  void push_part(Job* part, blitz::detail::Audience /*audience*/, bool /*guarded*/) override { push(part); }
  [[nodiscard]] blitz::detail::Ticks weigh_help(blitz::detail::Ticks /*work*/) noexcept override { return 1; }
  void confine(blitz::detail::Confined to) noexcept override { set_confined(to); }

 protected:
  using WorkerBase::WorkerBase;
  ~BareWorker() = default;
};

}  // namespace blitz_test
