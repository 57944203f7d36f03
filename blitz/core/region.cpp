#include "blitz/core/region.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "blitz/base/linger.hpp"
#include "blitz/core/heap_job.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

Confinement::Confinement(WorkerBase& worker)
    : worker_(worker), outer_(worker.region()), region_(new Region(*worker.pool())) {
  worker_.confine(region_);
}
Confinement::~Confinement() {
  worker_.confine(outer_);
  if (outer_ != nullptr) region_->leave_to(*outer_, worker_);
  region_->release();
}

/// Newest at the back. Defined here, because with _GLIBCXX_DEBUG a std::deque has another layout in a program than in
/// the library.
struct Region::Jobs final : std::deque<Job*> {};

Region::Region(PoolBase& pool)
    : pool_(pool), id_([] {
        static constinit Atomic<std::uint64_t> last{0};
        return last.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: it only has to be unique
      }()) {}

Region::~Region() = default;

bool Region::has_jobs() const noexcept { return jobs_ != nullptr && !jobs_->empty(); }

std::unique_lock<Mutex> Region::lock() noexcept {
  if (!pool_.from_before_fork()) [[likely]]
    return std::unique_lock(mutex_);
  std::unique_lock held(mutex_, std::try_to_lock);
  if (!held.owns_lock()) end_in_child();
  return held;
}

/// Stands in a worker's queue for the job of the region that is the oldest when the token is taken. If the region's
/// workers have run all by then, it stands for none.
struct Region::Token final : Job {
  explicit Token(Region& its_region) noexcept : Job(&execute_token), region(its_region) { region.hold(); }
  Region& region;
};

void Region::push(WorkerBase& worker, Job* job) {
  auto* const token = make_heap_job<Token>(&worker, *this).release();
  try {
    const auto locked = lock();
    if (jobs_ == nullptr) jobs_ = std::make_unique<Jobs>();
    jobs_->push_back(job);
    wake_one();
  } catch (...) {
    destroy_heap_job(token, &worker);
    release();
    throw;
  }
  try {
    worker.push_own(token);
  } catch (...) {
    pool_.inject(token);  // There is no memory for a larger queue; the injector needs none.
  }
}

void Region::execute_token(Job* job, WorkerBase& worker) noexcept {
  auto* const token = static_cast<Token*>(job);
  Region& region = token->region;
  destroy_heap_job(token, &worker);
  if (Job* const oldest = region.take_oldest()) {
    worker.confine(&region);
    oldest->execute(oldest, worker);
    worker.confine(nullptr);  // As before: a confined worker takes no token.
  }
  region.release();
}

/// After a job was taken without its token: drops a token of the region from the worker's own queue if it is on top.
void Region::drop_token(WorkerBase& worker, Region& region) noexcept {
  Job* const top = worker.take_newest_own();
  if (top == nullptr) return;
  if (top->execute == &execute_token && &static_cast<Token*>(top)->region == &region) {
    destroy_heap_job(static_cast<Token*>(top), &worker);
    region.release();
  } else {
    worker.push_own(top);  // It does not throw: the queue has room for what it just held.
  }
}

bool Region::remove(WorkerBase& worker, const Job& job) noexcept {
  {
    const auto locked = lock();
    if (!has_jobs()) return false;
    const auto it = std::find(jobs_->rbegin(), jobs_->rend(), &job);
    if (it == jobs_->rend()) return false;
    jobs_->erase(std::next(it).base());
  }
  drop_token(worker, *this);
  return true;
}

Job* Region::take_newest(WorkerBase& worker) noexcept {
  Job* job = nullptr;
  {
    const auto locked = lock();
    if (!has_jobs()) return nullptr;
    job = jobs_->back();
    jobs_->pop_back();
  }
  drop_token(worker, *this);
  return job;
}

Job* Region::take_oldest() noexcept {
  const auto locked = lock();
  if (!has_jobs()) return nullptr;
  Job* const job = jobs_->front();
  jobs_->pop_front();
  return job;
}

bool Region::empty() noexcept {
  const auto locked = lock();
  return !has_jobs();
}

/// The waiter is in its worker's frame, which the worker leaves only after it has held the mutex.
void Region::wake_one() noexcept {
  if (waiting_ == nullptr) return;
  Waiter& waiter = *waiting_;
  unlist(waiter);
  pool_.apart().wake(waiter.slot);
}

void Region::leave_to(Region& outer, WorkerBase& worker) noexcept {
  std::size_t left = 0;
  {
    const auto locked = lock();
    left = jobs_ != nullptr ? jobs_->size() : 0;
  }
  // Their tokens stay where they are, and stand for no job. Jobs that other workers add from now on are run by those
  // workers, which are confined to no other region.
  for (Job* job = nullptr; left > 0 && (job = take_oldest()) != nullptr; --left) {
    try {
      outer.push(worker, job);
    } catch (...) {
      job->execute(job, worker);
    }
  }
}

void Region::unlist(Waiter& waiter) noexcept {
  if (!std::exchange(waiter.listed, false)) return;
  Waiter** link = &waiting_;
  while (*link != &waiter) link = &(*link)->next;
  *link = waiter.next;
}

void Region::wait(WorkerBase& worker, CoreLatch& latch) noexcept {
  unsigned round = 0;
  bool called = false;  // woken for a job of the region, and has not yet looked for one
  while (!latch.probe()) {
    Job* job = take_newest(worker);
    called = false;
    if (job == nullptr) job = worker.take_mail();
    if (job != nullptr) {
      worker.execute(job);
      round = 0;
      continue;
    }
    if (round++ < kRoundsOfSearch) {
      yield_thread();
      continue;
    }
    Waiter waiter{worker.index(), nullptr, true};
    {
      const auto locked = lock();
      waiter.next = waiting_;
      waiting_ = &waiter;
    }
    pool_.apart().sleep(worker.index(), latch, [&]() noexcept {
      if (worker.has_mail()) return true;
      const auto locked = lock();
      // If we are no longer listed, the wake-up was sent before we could receive it: do not park.
      return !waiter.listed || has_jobs();
    });
    const auto locked = lock();
    called = !waiter.listed;
    unlist(waiter);
  }
  if (!called) return;
  // Our latch is set too, so pass the job's wake-up to another waiter. Only the last probe can decide this: the latch
  // may be set after any other.
  const auto locked = lock();
  if (has_jobs()) wake_one();
}

}  // namespace blitz::detail
