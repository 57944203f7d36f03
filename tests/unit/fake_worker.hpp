/// Test doubles for components: a pool without workers, a worker without a thread, and thieves.
#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/base/ticks.hpp"
#include "support/bare_pool.hpp"

namespace blitz_test {

using blitz::detail::CoreLatch;

/// The work of an expensive block: the next block has at most as many items, and an offer may precede it. Independent of the
/// machine's load, because a block can only take longer.
inline void spend_ten_microseconds() {
  const auto begin = blitz::detail::ticks_now();
  while (blitz::detail::ticks_now() - begin < 10 * blitz::detail::ticks_per_microsecond()) {
  }
}

/// A pool without workers: it stores the jobs that it is given.
class FakePool final : public BarePool {
 public:
  explicit FakePool(std::size_t threads = 4) : BarePool(threads) {}
  ~FakePool() override {
    if (gone != nullptr) *gone = true;
  }

  void inject(Job* job) noexcept override { injected.push_back(job); }
  void mail_to(std::size_t slot, Job* job) noexcept override { mail.emplace_back(slot, job); }

  std::vector<Job*> injected;
  std::vector<std::pair<std::size_t, Job*>> mail;
  bool* gone = nullptr;  // set by the destructor
};

/// The pool of a FakeWorker: a base class, so that it is constructed before the worker.
struct FakeWorkersPool {
  explicit FakeWorkersPool(std::size_t threads) : owner(new FakePool(threads)), fake_pool(*owner) {}
  blitz::detail::Shared<FakePool> owner;
  FakePool& fake_pool;
};

class FakeWorker final : public FakeWorkersPool, public BareWorker {
 public:
  explicit FakeWorker(std::size_t index = 0, std::size_t workers = 1)
      : FakeWorkersPool(workers), BareWorker(index, &fake_pool) {}
  ~FakeWorker() { CHECK(jobs.empty()); }

  void push(Job* job) override {
    ++pushes;
    if (pushes == failing_push) throw std::bad_alloc();
    jobs.push_back(job);
    if (on_push) on_push();
  }
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
  blitz::detail::Audience audience(std::size_t offered) const noexcept override {
    if (!idle || offered > 0) return blitz::detail::Audience::kNobody;
    return asleep ? blitz::detail::Audience::kSleeps : blitz::detail::Audience::kSearches;
  }
  blitz::detail::Ticks weigh_help(blitz::detail::Ticks work) noexcept override {
    weighed.push_back(work);
    return worth_waking ? 1 : 0;
  }
  Job* find_work() noexcept override { return take_newest(); }
  Job* take_mail() noexcept override { return nullptr; }
  bool has_mail() const noexcept override { return false; }
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
  bool idle = false;         // another worker is idle
  bool asleep = false;       // and that worker must be woken
  bool worth_waking = true;  // for any amount of work
  std::vector<blitz::detail::Ticks> weighed;
};

/// Two workers of a pool of `count`. The thief takes the jobs that the owner pushes. It runs them immediately, or while the
/// owner waits for them.
struct Thieves {
  enum class Speed { kAbsent, kFast, kSlow };

  explicit Thieves(std::size_t count = 2, Speed speed = Speed::kFast) : owner(0, count), thief(1, count) {
    owner.idle = true;
    if (speed == Speed::kFast) owner.on_push = [this] { owner.run_oldest_on(thief); };
    if (speed != Speed::kSlow) return;
    owner.on_push = [this] {
      taken.push_back(owner.jobs.front());
      owner.jobs.erase(owner.jobs.begin());
    };
    owner.on_wait = [this] {
      Job* const job = taken.back();
      taken.pop_back();
      job->execute(job, thief);
    };
  }

  FakeWorker owner;
  FakeWorker thief;
  std::vector<Job*> taken;
};

}  // namespace blitz_test
