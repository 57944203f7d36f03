/// A small pool for the suites of components that workers of every policy use. The test provides its threads, the default
/// policy its queues, with capacity 2 at first. It is the shortest replacement for Worker and Registry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "blitz/detail/fork_join/sleep.hpp"
#include "blitz/detail/job/offered_job.hpp"
#include "blitz/detail/queue/chase_lev_deque.hpp"
#include "blitz/detail/queue/treiber_stack.hpp"
#include "tests/support/bare_pool.hpp"
#include "tests/support/interleave/explore.hpp"

namespace interleave_test {

using blitz::detail::CoreLatch;
using blitz::detail::Job;
using blitz::detail::PoolBase;
using blitz::detail::Rest;
using blitz::detail::Sleep;
using blitz::detail::WorkerBase;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

class Pool;

class Worker final : public blitz_test::BareWorker {
 public:
  using Deque = blitz::detail::ChaseLevDeque<Job>;
  using Place = Deque::Place;
  Worker(Pool& pool, std::size_t index);

  [[nodiscard]] WorkerBase& worker() noexcept { return *this; }
  Place offer_half(Job* job);
  [[nodiscard]] bool take_back(Place place, Job* /*job*/) noexcept { return queue_.pop_if_newest(place); }
  void push(Job* job) override;
  using BareWorker::take_back;
  [[nodiscard]] Job* take_newest() noexcept override {
    return region() != 0 ? confined_jobs().take_newest(region()) : queue_.pop();
  }
  [[nodiscard]] Job* find_work() noexcept override;
  void wait_until(CoreLatch& latch) noexcept override;
  [[nodiscard]] Job* take_mail() noexcept override { return mailbox_.empty() ? nullptr : mailbox_.take(); }
  [[nodiscard]] bool has_mail() const noexcept override { return !mailbox_.empty(); }
  [[nodiscard]] Job* take_injected() noexcept override;
  [[nodiscard]] std::size_t offered() const noexcept override {
    return (region() != 0 ? confined_jobs().empty(region()) : queue_.empty()) ? 0 : 1;
  }
  [[nodiscard]] blitz::detail::Audience audience(std::size_t /*offered*/) const noexcept override { return wanted; }
  void push_part(Job* part, blitz::detail::Audience audience, bool guarded) override {
    if (guarded || audience != blitz::detail::Audience::kNobody) queue_.expect_theft();
    push(part);
  }
  void wake() noexcept override;

  void mail(Job* job) noexcept;
  void fork_ended(const Job* /*half*/, bool /*stolen*/) noexcept override { ++forks_ended; }

  std::function<void()> when_woken;
  bool times_forks = false;
  blitz::detail::Audience wanted = blitz::detail::Audience::kNobody;
  int forks_ended = 0;

  /// A job from another queue or the injector; null if there is none now.
  [[nodiscard]] Job* take_any() noexcept;
  /// For a thread that does nothing else: runs one such job, and the jobs that it leaves in this worker's queue.
  void help_once() noexcept;
  /// Like a resident, in a slot that is not vacant.
  void work_until(CoreLatch& latch, Rest rest) noexcept;

 private:
  [[nodiscard]] Job* steal() noexcept;
  [[nodiscard]] bool others_waiting() const noexcept;

  Pool& pool_;
  Deque queue_{2};
  blitz::detail::TreiberStack<Job> mailbox_;
};

class Pool final : public blitz_test::BarePool {
 public:
  /// All slots have runners that execute jobs.
  explicit Pool(Run& run, std::size_t slots) : BarePool(slots), idle_(slots) {
    run.own_by_thread(blitz::detail::current_worker);
    run.name(idle_, "idle");
    run.name(injector_, "injector");
    for (std::size_t slot = 0; slot < slots; ++slot) {
      workers_.emplace_back(*this, slot);
      run.name(workers_.back(), "worker " + std::to_string(slot));
      expect(idle_.try_borrow(slot), "the slot was vacant");
    }
  }

  void inject(Job* job) noexcept override {
    injector_.push(job);
    idle_.new_injected_jobs();
  }
  void mail_to(std::size_t slot, Job* job) noexcept override { workers_[slot].mail(job); }

  [[nodiscard]] Worker& worker(std::size_t slot) noexcept { return workers_[slot]; }
  [[nodiscard]] Sleep& idle() noexcept { return idle_; }
  [[nodiscard]] blitz::detail::TreiberStack<Job>& injector() noexcept { return injector_; }

 private:
  Sleep idle_;
  blitz::detail::TreiberStack<Job> injector_;
  std::deque<Worker> workers_;
};

inline Worker::Worker(Pool& pool, std::size_t index) : BareWorker(index, &pool), pool_(pool) {}

inline Worker::Place Worker::offer_half(Job* job) {
  const Place place = queue_.push(job);
  pool_.idle().new_jobs();
  return times_forks ? blitz::detail::kNowhere : place;
}

inline void Worker::push(Job* job) {
  if (region() == 0) {
    queue_.push(job);
  } else {
    push_confined(job);
  }
  pool_.idle().new_jobs();
}

inline void Worker::wake() noexcept {
  if (waits_below()) wake_below();
  if (when_woken) when_woken();
  if (!pool_.home().apart.wake(index())) pool_.idle().try_wake(index());
}

inline void Worker::mail(Job* job) noexcept {
  mailbox_.push(job);
  wake();
}

inline bool Worker::others_waiting() const noexcept { return !pool_.injector().empty() || has_mail(); }

inline Job* Worker::steal() noexcept {
  for (bool lost = true; lost;) {
    lost = false;
    for (std::size_t victim = 0; victim < pool_.num_threads(); ++victim) {
      if (victim == index()) continue;
      const auto result = pool_.worker(victim).queue_.steal();
      if (result.item != nullptr) return result.item;
      lost |= result.outcome == decltype(result)::Outcome::kLost;
    }
  }
  return nullptr;
}

inline Job* Worker::find_work() noexcept {
  if (region() != 0) return find_confined();
  if (Job* const job = take_mail()) return job;
  if (Job* const job = queue_.pop()) return job;
  return take_any();
}

inline Job* Worker::take_any() noexcept {
  if (Job* const job = steal()) return job;
  if (Job* const job = pool_.injector().take()) return job;
  return find_left();
}

inline Job* Worker::take_injected() noexcept { return pool_.injector().take(); }

inline void Worker::help_once() noexcept {
  Job* const job = take_any();
  if (job == nullptr) return;
  execute(job);
  while (Job* const own = queue_.pop()) execute(own);
}

inline void Worker::wait_until(CoreLatch& latch) noexcept {
  if (region() != 0) return pool_.home().isolation.wait(*this, latch);
  if (below() != nullptr) return wait_below(latch);
  if (!latch.probe()) work_until(latch, Rest::kWait);
}

inline void Worker::work_until(CoreLatch& latch, Rest rest) noexcept {
  Sleep& idle = pool_.idle();
  while (!latch.probe()) {
    Job* job = find_work();
    if (job == nullptr) {
      Sleep::Search search = idle.start_looking(index());
      while (!latch.probe()) {
        job = find_work();
        if (job != nullptr) break;
        idle.no_work_found(search, latch, rest, [this]() noexcept { return others_waiting(); });
      }
      idle.work_found(search);
      if (job == nullptr) return;
    }
    execute(job);
  }
}

}  // namespace interleave_test
