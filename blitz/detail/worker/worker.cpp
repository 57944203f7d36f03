#include "blitz/detail/worker/worker.hpp"

#include <mutex>
#include <utility>

#include "blitz/detail/job/offered_job.hpp"
#include "blitz/options.hpp"

namespace blitz::detail {

constinit thread_local WorkerBase* current_worker = nullptr;

namespace {

[[maybe_unused]] const bool current_worker_handles_forks = at_fork({
    .child =
        [] {
          // The thread no longer runs a worker; confine() clears hot_worker.
          if (WorkerBase* const worker = std::exchange(current_worker, nullptr)) worker->confine(worker->confined());
        },
});

}  // namespace

static_assert(alignof(OwnerTag) >= 4, "a latch keeps its state below its owner's address");

void WorkerLatch::set() noexcept {
  WorkerBase& worker = owner().worker;
  if (core_.set()) worker.wake();
}

OfferedJob::ForkEnd::ForkEnd(OfferedJob& half, WorkerBase& owner) noexcept
    : half_(half), owner_(owner), reclaimed_(reclaim(owner, half, half.latch_.core())) {}

OfferedJob::ForkEnd::~ForkEnd() { owner_.fork_ended(&half_, !reclaimed_); }

void push_on(WorkerBase& worker, Job* job) { worker.push(job); }
bool take_back_from(WorkerBase& worker, Job* job) noexcept { return worker.take_back(job); }

bool WorkerBase::run_on_top(Job* (*find)(WorkerBase& worker) noexcept) noexcept {
  // Each level above the limit takes kRefusals more refusals than the one below it, so a stack that many jobs share grows
  // slowly.
  constexpr std::size_t kRefusals = 64;
  const std::size_t limit = pool_->options().max_nested_waits;
  if (nested_waits_ >= limit && ++refusals_ <= kRefusals * (nested_waits_ - limit + 1)) return false;
  Job* const job = find(*this);
  if (job == nullptr) {
    // In a region of this pool it does not run jobs of the other one.
    if (below_ == nullptr || region() != 0) return false;
    const RunAs as(*below_);
    return below_->run_on_top(find);
  }
  refusals_ = 0;
  ++nested_waits_;
  job->execute(job, *this);
  --nested_waits_;
  return true;
}

bool WorkerBase::at_limit_of_waits() const noexcept { return nested_waits_ >= pool_->options().max_nested_waits; }

void run_as(WorkerBase* worker) noexcept {
  WorkerBase* const before = std::exchange(current_worker, worker);
  // confine() sets hot_worker if the thread runs the worker, and clears it otherwise.
  if (before != nullptr) before->confine(before->confined());
  if (worker != nullptr) worker->confine(worker->confined());
}

void WorkerBase::wait_below(CoreLatch& latch) noexcept {
  WorkerBase* waits_already;  // A job on top of such a wait may wait on this worker again.
  {
    const std::lock_guard lock(waking_below_);
    waits_already = waits_as_.load(std::memory_order_relaxed);
    // relaxed: its reader takes the mutex, or has found the latch asleep.
    waits_as_.store(below_, std::memory_order_relaxed);
  }
  pool_->leave_jobs(*this);
  {
    const CountedApart apart(this, below_);
    const RunAs as(*below_);
    below_->wait_until(latch);
  }
  if (waits_already == nullptr) team_->attended.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(waking_below_);
  waits_as_.store(waits_already, std::memory_order_relaxed);
}

void WorkerBase::wake_below() noexcept {
  const std::lock_guard lock(waking_below_);
  if (WorkerBase* const worker = waits_as_.load(std::memory_order_relaxed)) worker->wake();
}

void execute_at_home(Job* job, WorkerBase& worker) noexcept {
  WorkerBase& host = *worker.at_home();
  const NotCountedApart returned(host);
  const RunAs as(host);
  job->execute(job, host);
}

void HostsJob::execute_it(Job* /*job*/, WorkerBase& visitor) noexcept {
  WorkerBase& host = *visitor.at_home();
  Job* job = host.take_mail();
  if (job == nullptr && visitor.region() == 0) job = host.take_own();
  if (job != nullptr) execute_at_home(job, visitor);
}

void WorkerBase::reserve_confined(std::size_t count) { confined_jobs_.deque.reserve(count); }

void WorkerBase::push_confined(Job* job) {
  confined_jobs_.deque.push({job, region()});
  confined_pushed_.add();
  team_->isolation.call_one(region());
}

Job* WorkerBase::find_confined() noexcept {
  if (Job* const job = confined_jobs_.take_newest(region())) return job;
  if (Job* const job = take_mail()) return job;
  const ConfinedJob stolen = team_->isolation.steal(index_, confined_);
  if (stolen.job != nullptr) confined_stolen_.add();
  return stolen.region == region() ? stolen.job : taken_job_.hold(stolen);
}

// Its own jobs first: below the jobs that a stolen job makes, there must be none of another region.
Job* WorkerBase::find_left() noexcept {
  if (Job* const job = take_left()) return job;
  Job* const job = taken_job_.hold(team_->isolation.steal(index_, {}));
  if (job != nullptr) confined_stolen_.add();
  return job;
}

bool reclaim(WorkerBase& worker, Job& mine, CoreLatch& done) noexcept {
  while (!done.probe()) {
    Job* const newest = worker.take_newest();
    if (newest == &mine) return true;
    if (newest == nullptr) {
      worker.wait_until(done);
      return false;
    }
    newest->execute(newest, worker);
  }
  return false;
}

}  // namespace blitz::detail
