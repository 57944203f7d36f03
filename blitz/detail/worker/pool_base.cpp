#include "blitz/detail/worker/pool_base.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "blitz/detail/job/job.hpp"
#include "blitz/detail/sys/parker.hpp"
#include "blitz/detail/worker/caller_latch.hpp"
#include "blitz/detail/worker/pool_config.hpp"
#include "blitz/detail/worker/worker.hpp"
#include "blitz/options.hpp"

namespace blitz::detail {

void end_in_child() noexcept {
  static_cast<void>(std::fputs(
      "blitz: a forked child has returned into a pool of its parent, whose threads do not exist there; in a child "
      "that is forked inside a job, call exec or _exit\n",
      stderr));
  std::abort();
}

PoolBase::PoolBase(ThreadPoolOptions options, std::size_t num_threads)
    : options_(new ThreadPoolOptions(std::move(options))),
      num_threads_(num_threads),
      generation_(fork_generation.load(std::memory_order_relaxed)),
      home_(num_threads) {}

PoolBase::~PoolBase() = default;

constinit thread_local PoolBase* own_pool = nullptr;

void PoolBase::inject_and_wait(PoolCall call, void* argument, WorkerBase* waiter) {
  struct Call final : Job {
    Call(PoolCall its_call, void* its_argument, const PoolBase* setter, WorkerBase* its_waiter) noexcept
        : Job(&execute_it), call(its_call), argument(its_argument), latch(setter, its_waiter) {}
    static void execute_it(Job* job, WorkerBase& worker) noexcept {
      auto& self = *static_cast<Call*>(job);
      self.result.run([&] {
        self.call(self.argument, worker);
        return Unit{};
      });
      self.latch.set();
    }
    PoolCall call;
    void* argument;
    CallerLatch latch;
    JobResult<Unit> result;
  } job(call, argument, this, waiter);
  inject(&job);
  job.latch.wait();
  job.result.take();
}

void PoolBase::enter_blocking(PoolCall call, void* argument) {
  if (current_worker == nullptr) return enter(call, argument);
  throw_if_unusable();
  enter_slowly(call, argument, true);
}

constinit thread_local Stay* newest_stay = nullptr;

void Stay::begin(bool blocks) noexcept {
  host_ = current_worker;
  if (blocks) {
    apart_.emplace(host_);
  } else {
    worker_ = worker_of(pool_, false);
    if (worker_ != nullptr) return run_as(worker_);
  }
  run_as(nullptr);
  worker_ = pool_.borrow_as_guest();
  if (worker_ == nullptr) {
    run_as(host_);
    // The pool may have no other thread than this one.
    if (!blocks) worker_ = worker_of(pool_, true);
    if (worker_ != nullptr) run_as(worker_);
    return;
  }
  worker_->stay_over(blocks ? nullptr : host_);
  is_guest_ = true;
  older_ = std::exchange(newest_stay, this);
}

void Stay::end() noexcept {
  if (is_guest_) {
    newest_stay = older_;
    worker_->stay_over(nullptr);
    pool_.give_back(*worker_);
  } else if (worker_ != nullptr && !worker_->team().attended.load(std::memory_order_relaxed)) {
    pool_.leave_jobs(*worker_);
  }
  if (worker_ != nullptr && !host_->pool()->from_before_fork()) run_as(host_);
}

WorkerBase* Stay::worker_of(const PoolBase& pool, bool beyond_regions) noexcept {
  const WorkerBase* above = current_worker;
  for (const Stay* stay = newest_stay; stay != nullptr && !stay->apart_; stay = stay->older_) {
    if (above->region() != 0 && !beyond_regions) return nullptr;
    if (&stay->pool_ == &pool) return stay->worker_;
    if (stay->host_->pool() == &pool) return stay->host_;
    above = stay->host_;
  }
  return nullptr;
}

bool Stay::is_under_way(const PoolBase& pool) noexcept {
  for (const Stay* stay = newest_stay; stay != nullptr; stay = stay->older_) {
    if (&stay->pool_ == &pool || stay->host_->pool() == &pool) return true;
  }
  return false;
}

void PoolBase::enter_slowly(PoolCall call, void* argument, bool blocks) {
  const Stay stay(*this, blocks);
  stay.worker() != nullptr ? call(argument, *stay.worker())
                           : inject_and_wait(call, argument, blocks ? nullptr : current_worker);
}

bool PoolBase::is_under_way() const noexcept {
  return (current_worker != nullptr && current_worker->pool() == this) || own_pool == this || Stay::is_under_way(*this);
}

bool PoolBase::try_admit() noexcept {
  std::uintptr_t callers = callers_.load(std::memory_order_acquire);  // [close]
  do {
    if (callers == kClosed) return false;
    if (callers == this_thread() || callers == kSeveral) return true;
    // [close] This exchange and the one in close_if_alone decide which comes first: this caller or the end.
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
    // The process is about to end. The caller expects no exception, which would end the process by std::terminate.
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

void PoolBase::refuse() const {
  if (from_before_fork()) throw ThreadPoolError(ThreadPoolErrorCode::kForked, kUsedAfterFork);
  throw ThreadPoolError(ThreadPoolErrorCode::kShutDown, kUsedAfterShutdown);
}

void PoolBase::report(std::exception_ptr error) noexcept {
  // The caller is handling this exception, so std::terminate reports it.
  if (!options_->exception_handler) std::terminate();
  options_->exception_handler(std::move(error));
}

void PoolBase::keep_for_ever(const void* thing) {
  static Mutex mutex;
  static auto* const things = new std::vector<const void*>;
  const std::lock_guard lock(mutex);
  things->push_back(thing);
}

}  // namespace blitz::detail
