#include "blitz/core/region.hpp"

#include <algorithm>
#include <mutex>

#include "blitz/core/heap_job.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

Confinement::Confinement(WorkerBase& worker, Region& region) noexcept : worker_(worker), before_(worker.region()) {
  worker.confine(&region);
}
Confinement::~Confinement() { worker_.confine(before_); }

/// Stands in a worker's queue for one job of the region, whichever is the oldest by the time it is taken. If the
/// region's workers have run them all by then, it stands for nothing.
struct Region::Token final : Job {
  explicit Token(Region& its_region) noexcept : Job(&execute_token), region(its_region) { region.hold(); }
  Region& region;
};

void Region::push(WorkerBase& worker, Job* job) {
  auto* const token = make_heap_job<Token>(&worker, *this);
  Waiter* waiter = nullptr;
  try {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
    waiter = waiting_;
    if (waiter != nullptr) {
      unlist(*waiter);
      // Under the mutex: it is in the waiter's frame, which ends only after the waiter has had the mutex.
      waiter->worker.look_up();
    }
  } catch (...) {
    destroy_heap_job(token, &worker);
    release();
    throw;
  }
  try {
    worker.push_own(token);
  } catch (...) {
    // The job will be run by the region's workers alone.
    destroy_heap_job(token, &worker);
    release();
  }
}

void Region::execute_token(Job* job, WorkerBase& worker) noexcept {
  auto* const token = static_cast<Token*>(job);
  Region& region = token->region;
  destroy_heap_job(token, &worker);
  if (Job* const oldest = region.take_oldest()) {
    const Confinement confinement(worker, region);
    oldest->execute(oldest, worker);
  }
  region.release();
}

/// One job has been taken without its token: takes a token out of the worker's own queue, if there is one on top.
void Region::drop_token(WorkerBase& worker, Region& region) noexcept {
  Job* const top = worker.take_newest_own();
  if (top == nullptr) return;
  if (top->execute == &execute_token && &static_cast<Token*>(top)->region == &region) {
    destroy_heap_job(static_cast<Token*>(top), &worker);
    region.release();
  } else {
    worker.push_own(top);  // Does not throw: it has just been there.
  }
}

bool Region::take_back(WorkerBase& worker, const Job& job) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto it = std::find(jobs_.rbegin(), jobs_.rend(), &job);
    if (it == jobs_.rend()) return false;
    jobs_.erase(std::next(it).base());
  }
  drop_token(worker, *this);
  return true;
}

Job* Region::take_newest(WorkerBase& worker) noexcept {
  Job* job = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) return nullptr;
    job = jobs_.back();
    jobs_.pop_back();
  }
  drop_token(worker, *this);
  return job;
}

Job* Region::take_oldest() noexcept {
  const std::lock_guard lock(mutex_);
  if (jobs_.empty()) return nullptr;
  Job* const job = jobs_.front();
  jobs_.pop_front();
  return job;
}

bool Region::empty() noexcept {
  const std::lock_guard lock(mutex_);
  return jobs_.empty();
}

void Region::unlist(Waiter& waiter) noexcept {
  if (!waiter.listed) return;
  waiter.listed = false;
  for (Waiter** link = &waiting_;; link = &(*link)->next) {
    if (*link == &waiter) {
      *link = waiter.next;
      return;
    }
  }
}

void Region::wait(WorkerBase& worker, CoreLatch& latch) noexcept {
  constexpr int kRoundsUntilSleepy = 32;
  int round = 0;
  while (!latch.probe()) {
    Job* job = take_newest(worker);
    if (job == nullptr) job = worker.take_posted();
    if (job != nullptr) {
      job->execute(job, worker);
      round = 0;
      continue;
    }
    if (round++ < kRoundsUntilSleepy) {
      yield_thread();
      continue;
    }
    Waiter waiter{worker, nullptr, true};
    {
      const std::lock_guard lock(mutex_);
      waiter.next = waiting_;
      waiting_ = &waiter;
    }
    worker.pool()->stand_apart();
    worker.sleep_apart(latch, [&]() noexcept { return !empty() || worker.has_posted(); });
    worker.pool()->stand_apart_no_more();
    const std::lock_guard lock(mutex_);
    unlist(waiter);
  }
}

}  // namespace blitz::detail
