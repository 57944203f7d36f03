/// Doubles for tests of parts: a pool without workers, and a worker whose thieves do as they are told.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/worker/worker.hpp"
#include "blitz/options.hpp"
#include "blitz/stats.hpp"

namespace blitz_test {

using blitz::detail::CoreLatch;
using blitz::detail::Job;
using blitz::detail::PoolBase;
using blitz::detail::WorkerBase;

/// What a dear block does: the next one has no more items than this had, and an offer may be made before it. However busy
/// the machine is, for it can only take longer.
inline void spend_ten_microseconds() {
  const auto begin = blitz::detail::ticks_now();
  while (blitz::detail::ticks_now() - begin < 10 * blitz::detail::ticks_per_microsecond()) {
  }
}

/// A pool without workers: it keeps what it is given.
class FakePool final : public PoolBase {
 public:
  explicit FakePool(std::size_t threads = 4) : PoolBase({}, threads) {}
  ~FakePool() override {
    if (gone != nullptr) *gone = true;
  }

  void inject(Job* job) noexcept override { injected.push_back(job); }
  void mail_to(std::size_t slot, Job* job) noexcept override { mail.emplace_back(slot, job); }
  void enter(blitz::detail::PoolCall, void*) override { std::abort(); }
  WorkerBase* borrow() noexcept override { return nullptr; }
  WorkerBase* borrow_as_guest() noexcept override { return nullptr; }
  void give_back(WorkerBase&) noexcept override { std::abort(); }
  void leave_jobs(WorkerBase&) noexcept override { std::abort(); }
  void warm_up(std::chrono::nanoseconds) noexcept override {}
  blitz::WorkerStats stats(std::size_t) const noexcept override { return {}; }
  void count_idle(std::size_t&, std::size_t&) const noexcept override {}
  void stop() override {}
  void end_threads() noexcept override {}

  std::vector<Job*> injected;
  std::vector<std::pair<std::size_t, Job*>> mail;
  bool* gone = nullptr;  // set at its end
};

/// The pool of one FakeWorker: a base class, so that it is made before the worker.
struct FakeWorkersPool {
  explicit FakeWorkersPool(std::size_t threads) : owner(new FakePool(threads)), fake_pool(*owner) {}
  blitz::detail::Shared<FakePool> owner;
  FakePool& fake_pool;
};

class FakeWorker final : public FakeWorkersPool, public WorkerBase {
 public:
  explicit FakeWorker(std::size_t index = 0, std::size_t workers = 1)
      : FakeWorkersPool(workers), WorkerBase(index, &fake_pool) {}
  ~FakeWorker() { CHECK(jobs.empty()); }

  void push(Job* job) override {
    ++pushes;
    if (pushes == failing_push) throw std::bad_alloc();
    jobs.push_back(job);
    if (on_push) on_push();
  }
  bool take_back(Job*) noexcept override { return false; }
  Job* take_newest() noexcept override {
    if (jobs.empty()) return nullptr;
    Job* const job = jobs.back();
    jobs.pop_back();
    return job;
  }
  void wait_until(CoreLatch& latch) noexcept override {
    ++waits;
    waited = &latch;
    if (on_wait) on_wait();
    CHECK(latch.probe());
  }
  std::size_t offered() const noexcept override { return jobs.size(); }
  void push_part(Job* part, blitz::detail::Audience /*audience*/, bool /*guarded*/) override { push(part); }
  blitz::detail::Audience audience(std::size_t offered) const noexcept override {
    return idle && offered == 0 ? blitz::detail::Audience::kSearches : blitz::detail::Audience::kNobody;
  }
  blitz::detail::Ticks weigh_help(blitz::detail::Ticks /*work*/) noexcept override { return 1; }
  Job* find_work() noexcept override { return take_newest(); }
  Job* take_mail() noexcept override { return nullptr; }
  bool has_mail() const noexcept override { return false; }
  Job* take_injected() noexcept override { return nullptr; }
  void confine(blitz::detail::Confined to) noexcept override { set_confined(to); }
  void wake() noexcept override {
    ++wakes;
    if (on_wake) on_wake();
  }

  /// `thief` takes the oldest job and runs it.
  void run_oldest_on(WorkerBase& thief) {
    Job* const job = jobs.front();
    jobs.erase(jobs.begin());
    job->execute(job, thief);
  }

  std::vector<Job*> jobs;
  std::function<void()> on_push;
  std::function<void()> on_wait;
  std::function<void()> on_wake;
  CoreLatch* waited = nullptr;
  int pushes = 0;
  int failing_push = 0;
  int waits = 0;
  int wakes = 0;
  bool idle = false;
};

}  // namespace blitz_test
