/// A worker: one slot of a pool, and its runner's loop of searches for work.
///
/// The runner is the slot's resident thread, or an outside thread that has borrowed the slot. Only the runner calls the
/// members, except wake, terminate, mail and the statistics, which any thread may call.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/single_writer_counter.hpp"
#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/job/current_worker.hpp"
#include "blitz/detail/job/job_memory.hpp"
#include "blitz/detail/job/latch.hpp"
#include "blitz/detail/wake/by_code.hpp"
#include "blitz/detail/worker/detached_jobs.hpp"
#include "blitz/detail/worker/fifo.hpp"
#include "blitz/detail/worker/pool_base.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

/// A worker without its policy. Code that knows the policy calls the same functions on Worker<P>, which is final, so these
/// calls are not virtual. Code that is a template over the kind of worker takes either.
///
/// A worker may be *confined* to a region (see confinement.hpp). Then push, take_newest, find_work, offered and wait_until act
/// on that region. The free functions do not find the Worker<P>, because its other functions know no regions.
class WorkerBase {
 public:
  WorkerBase(const WorkerBase&) = delete;
  WorkerBase& operator=(const WorkerBase&) = delete;

  /// Offers a job to the pool. If it throws std::bad_alloc, it has not taken the job.
  virtual void push(Job* job) = 0;
  /// Calls push. It has this name because Worker<P> has a faster function of the name.
  void offer(Job* job) { push(job); }
  /// If the worker is confined, makes room for its next `count` pushes, which then do not throw. Throws std::bad_alloc.
  void reserve(std::size_t count) {
    if (region() != 0) [[unlikely]]
      reserve_confined(count);
  }
  /// Takes back a pushed job that has not begun, if it is the newest one; otherwise see reclaim.
  [[nodiscard]] virtual bool take_back(Job* job) noexcept = 0;
  /// Takes the newest job of this worker's queue; null if there is none.
  [[nodiscard]] virtual Job* take_newest() noexcept = 0;
  /// Takes the next job in this worker's queues that it may run now, also one that take_newest does not find; null if there is
  /// none.
  [[nodiscard]] virtual Job* take_own() noexcept {
    Job* const job = take_newest();
    return job != nullptr ? job : take_left();
  }
  /// Takes a waiting job of the pool that this worker may run now; null if it finds none.
  [[nodiscard]] virtual Job* find_work() noexcept = 0;
  /// The fork that offered this half has ended; see OfferedJob::ForkEnd.
  virtual void fork_ended(const Job* /*half*/, bool /*stolen*/) noexcept {}
  /// Runs other jobs until the latch is set, and sleeps while there are none.
  virtual void wait_until(CoreLatch& latch) noexcept = 0;
  /// Must be called after a latch that this worker waits for was set and found it asleep. Any thread.
  virtual void wake() noexcept = 0;
  /// Takes a job that only this worker may run; null if there is none.
  [[nodiscard]] virtual Job* take_mail() noexcept = 0;
  [[nodiscard]] virtual bool has_mail() const noexcept = 0;
  /// Takes the pool's oldest job from outside; null if there is none, or another thread takes one.
  [[nodiscard]] virtual Job* take_injected() noexcept = 0;
  /// The number of this worker's jobs that are still on offer; 1 for several if their number is not known.
  [[nodiscard]] virtual std::size_t offered() const noexcept = 0;
  /// A hint: the kind of worker that would take one job more, while `offered` are on offer.
  [[nodiscard]] virtual Audience audience(std::size_t offered) const noexcept = 0;
  /// Pushes a part of a loop. If its audience sleeps, wakes a worker unless enough workers search for all parts. Otherwise
  /// wakes one only if none searches. `guarded`: this worker will not look at its queue for a while. Then, and if there is an
  /// audience, a theft needs no answer of this worker and no heavy fence.
  virtual void push_part(Job* part, Audience audience, bool guarded) = 0;
  /// For an audience that sleeps. Returns 0 if `work`, in the time of one thread, is not worth a wake-up, and adds it to the
  /// series. Otherwise returns the delay between this worker and the woken one, at least 1.
  [[nodiscard]] virtual Ticks weigh_help(Ticks work) noexcept = 0;

  virtual void confine(Confined to) noexcept = 0;

  [[nodiscard]] const OwnerTag& tag() const noexcept { return tag_; }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  [[nodiscard]] PoolBase* pool() const noexcept { return pool_; }
  /// The workers that take this one's jobs.
  [[nodiscard]] TeamBase& team() const noexcept { return *team_; }
  /// The number of the team's workers.
  [[nodiscard]] std::size_t num_threads() const noexcept { return team_->size; }
  /// The worker of the pool's team that belongs to the calling thread, the runner of this one; null for a guest.
  [[nodiscard]] WorkerBase* at_home() noexcept { return team_ == &pool_->home() ? this : host_; }
  [[nodiscard]] Region region() const noexcept { return confined_.region; }
  [[nodiscard]] Confined confined() const noexcept { return confined_; }
  /// The number of the next region that this worker begins. begin_region begins it.
  [[nodiscard]] Region next_region() const noexcept { return next_region_; }
  [[nodiscard]] Region begin_region() noexcept { return std::exchange(next_region_, next_region_ + num_threads()); }
  [[nodiscard]] ConfinedJobs& confined_jobs() const noexcept { return confined_jobs_; }
  [[nodiscard]] JobMemory& memory() noexcept { return memory_; }
  /// The order of spawn_fifo.
  [[nodiscard]] JobFifo& fifo() noexcept { return fifo_; }

  /// The ticks that calls took the last time: a loop for each item, a work list in all. 0: not known.
  [[nodiscard]] ByCode<float>& history() noexcept { return history_; }

  /// A loop has not offered a part to a worker that searches.
  void count_part_too_short() noexcept { parts_too_short_.add(); }
  [[nodiscard]] std::uint64_t parts_too_short() const noexcept { return parts_too_short_.value(); }

  /// A detached job is spawned on this worker; one has ended on it.
  void detached_begun() noexcept { detached_.begin(); }
  void detached_ended() noexcept { detached_.end(); }
  [[nodiscard]] const DetachedCount& detached() const noexcept { return detached_; }
  /// From now on the pool's end waits for the detached jobs of this worker, which must live as long as the pool. Call it before
  /// the first job.
  void enlist() noexcept { detached_.enlist(); }

  /// Takes the newest job that the worker has pushed while confined, if it is not confined now; null if there is none.
  [[nodiscard]] Job* take_left() noexcept {
    return region() != 0 || confined_jobs_.deque.empty() ? nullptr : taken_job_.hold(confined_jobs_.deque.pop());
  }

  void execute(Job* job) noexcept {
    job->execute(job, *this);
    pool_->end_if_forked();
  }
  /// For a job that yields: runs the job that `find` returns on top of the running one. Returns whether it did. At the limit of
  /// nested waits it first refuses for a while, and then runs a job, in case the running job yields until the other one has
  /// run.
  [[nodiscard]] BLITZ_API bool run_on_top(Job* (*find)(WorkerBase& worker) noexcept) noexcept;
  /// Whether this worker's stack has as many waits with a job on top of them as the options allow.
  [[nodiscard]] BLITZ_API bool at_limit_of_waits() const noexcept;
  /// Says that this worker is a guest: its thread was the worker `host` of another pool before, and waits as `host`. Null ends
  /// this.
  void stay_over(WorkerBase* host) noexcept { below_ = host; }
  /// The host of such a guest; null if the worker is no such guest.
  [[nodiscard]] WorkerBase* below() const noexcept { return below_; }
  /// The number of CountedApart objects of this worker.
  [[nodiscard]] std::size_t& counted_apart() noexcept { return counted_apart_; }
  /// For a wait that runs the awaited job itself: calls `f`, and counts the call as a job on top of the wait.
  template <class F>
  void call_in_wait(const F& f) noexcept {
    ++nested_waits_;
    f();
    --nested_waits_;
  }

 protected:
  /// Makes a worker of the pool's own team.
  WorkerBase(std::size_t index, PoolBase* pool) noexcept : WorkerBase(index, *pool, pool->home()) { enlist(); }
  /// Makes a worker of `team`. The caller must call enlist.
  WorkerBase(std::size_t index, PoolBase& pool, TeamBase& team) noexcept
      : index_(index),
        pool_(&pool),
        team_(&team),
        next_region_(index + 1),
        confined_jobs_(team.isolation.jobs(index)),
        detached_(pool.detached_jobs()) {}
  ~WorkerBase() = default;

  void set_confined(Confined to) noexcept { confined_ = to; }

  /// For a confined worker. If push_confined throws std::bad_alloc, it has not taken the job.
  BLITZ_API void push_confined(Job* job);
  [[nodiscard]] BLITZ_API Job* find_confined() noexcept;
  /// For a worker that is not confined: finds a job that a worker has pushed while confined.
  [[nodiscard]] BLITZ_API Job* find_left() noexcept;
  /// The number of jobs that it has pushed while confined, and the number that it has stolen from other workers. Any thread.
  [[nodiscard]] std::uint64_t confined_pushed() const noexcept { return confined_pushed_.value(); }
  [[nodiscard]] std::uint64_t confined_stolen() const noexcept { return confined_stolen_.value(); }

  /// For a guest with a host (stay_over) that waits and has found no job: it waits as its host, and is woken as its host.
  BLITZ_COLD BLITZ_API void wait_below(CoreLatch& latch) noexcept;
  BLITZ_API void wake_below() noexcept;
  [[nodiscard]] bool waits_below() const noexcept { return waits_as_.load(std::memory_order_relaxed) != nullptr; }

  WorkerBase* host_ = nullptr;    // in a guest's team: the runner's own worker; see at_home
  std::size_t nested_waits_ = 0;  // the waits and the yields on this worker's stack that have a job on top of them

 private:
  BLITZ_COLD BLITZ_API void reserve_confined(std::size_t count);

  std::size_t index_;
  PoolBase* pool_;
  TeamBase* team_;
  Confined confined_;
  Region next_region_;
  ConfinedJobs& confined_jobs_;
  TakenJob taken_job_;
  // Written by the runner.
  SingleWriterCounter confined_pushed_;
  SingleWriterCounter confined_stolen_;
  SingleWriterCounter parts_too_short_;
  JobMemory memory_;
  JobFifo fifo_;
  DetachedCount detached_;
  ByCode<float> history_;
  std::size_t refusals_ = 0;     // since run_on_top last ran a job
  WorkerBase* below_ = nullptr;  // see stay_over
  std::size_t counted_apart_ = 0;
  Mutex waking_below_;  // held while another thread wakes the worker of waits_as_, which exists until then
  Atomic<WorkerBase*> waits_as_{nullptr};  // written by the runner, under the mutex
  const OwnerTag tag_{*this};
};

/// Makes `worker` the worker of the calling thread; null: the thread has none.
BLITZ_API void run_as(WorkerBase* worker) noexcept;

/// While it lives, the calling thread runs `worker` in place of its current one.
class RunAs {
 public:
  explicit RunAs(WorkerBase& worker) noexcept : before_(*current_worker) { run_as(&worker); }
  RunAs(const RunAs&) = delete;
  RunAs& operator=(const RunAs&) = delete;
  ~RunAs() {
    if (!before_.pool()->from_before_fork()) run_as(&before_);
  }

 private:
  WorkerBase& before_;
};

/// The worker that the calling thread runs, if it belongs to `pool` or `pool` is kHere; otherwise null.
[[nodiscard]] inline WorkerBase* worker_for(const PoolBase* pool) noexcept {
  WorkerBase* const worker = current_worker;
  return worker != nullptr && (pool == kHere || worker->pool() == pool) ? worker : nullptr;
}

/// The worker that the calling thread is in that pool; null if it is none.
[[nodiscard]] inline WorkerBase* worker_of(const PoolBase& pool) noexcept { return worker_for(&pool); }

/// Runs a job as the worker that `worker.at_home()` returns.
BLITZ_API void execute_at_home(Job* job, WorkerBase& worker) noexcept;

/// A job for a visitor: runs a job from the mail or the queue of its worker in the pool's team, as that worker.
struct HostsJob final : Job {
  HostsJob() noexcept : Job(&execute_it) {}
  BLITZ_API static void execute_it(Job* job, WorkerBase& visitor) noexcept;
};

template <Policy P>
class Registry;
template <Policy P>
class Team;

/// The base of a worker with its jobs: the queue of its policy.
template <class P>
class ColdQueue {
 public:
  ColdQueue(WorkerBase& /*worker*/, typename P::Idle& /*idle*/, std::size_t /*slot*/) {}
  [[nodiscard]] typename P::LocalQueue& queue() noexcept { return queue_; }

 protected:
  ~ColdQueue() = default;
  static void run(ColdQueue* /*worker*/) noexcept {}
  void end_fork(const Job* /*half*/, bool /*stolen*/) noexcept {}

  typename P::LocalQueue queue_;
};
/// For the default policy, HotWorker.
template <class P>
struct WorkerQueueOf {
  using Type = ColdQueue<P>;
};
template <class P>
  requires std::same_as<P, ForkJoinPolicy>
struct WorkerQueueOf<P> {
  using Type = typename P::Hot;
};
template <class P>
using WorkerQueue = typename WorkerQueueOf<P>::Type;

template <Policy P>
class BLITZ_API alignas(kCacheLine) Worker final : public WorkerBase, public WorkerQueue<P> {
 public:
  /// `seed` is for the finder's random numbers. Throws std::bad_alloc.
  Worker(Registry<P>& registry, Team<P>& team, TeamBase& base, std::size_t index, std::uint64_t seed);

  void push(Job* job) override;
  void fork_ended(const Job* half, bool stolen) noexcept override { this->end_fork(half, stolen); }
  /// Always fails in a region, and if the queue needs another place than the job's address.
  [[nodiscard]] bool take_back(Job* job) noexcept override {
    if constexpr (std::same_as<typename P::LocalQueue::Place, Job*>) return queue_.take_if_newest(job);
    return false;
  }
  [[nodiscard]] Job* take_newest() noexcept override {
    return region() != 0 ? confined_jobs().take_newest(region()) : queue_.take_newest();
  }
  [[nodiscard]] Job* find_work() noexcept override { return region() != 0 ? find_confined() : find_any(); }
  void wait_until(CoreLatch& latch) noexcept override;
  [[nodiscard]] Job* take_mail() noexcept override {
    Job* const job = mailbox_.empty() ? nullptr : mailbox_.take();
    if (job != nullptr) taken_.add();
    return job == nullptr && has_job_at_home() ? &hosts_job_ : job;
  }
  [[nodiscard]] bool has_mail() const noexcept override { return !mailbox_.empty() || has_job_at_home(); }
  [[nodiscard]] Job* take_injected() noexcept override;
  [[nodiscard]] Job* take_own() noexcept override;
  /// Like take_own(), for a guest or a visitor of its team. Also finds jobs that a queue of the team has refused.
  [[nodiscard]] Job* take_own_or_refused() noexcept {
    Job* const job = take_own();
    return job != nullptr ? job : injector_.take();
  }
  void confine(Confined to) noexcept override;

  /// Offers a job, and wakes a sleeping worker if no other searches. If it throws std::bad_alloc, it has not taken the job.
  BLITZ_ALWAYS_INLINE void offer(Job* job) {
    static_cast<void>(queue_.push(job, injector_));
    if constexpr (policy::ThriftyIdle<typename P::Idle>) {
      if (!idle_.all_awake()) [[unlikely]]
        wake_for_offer();
    } else {
      idle_.new_jobs();
    }
  }
  [[nodiscard]] std::size_t offered() const noexcept override {
    if (region() != 0) [[unlikely]]
      return confined_jobs().empty(region()) ? 0 : 1;
    if constexpr (policy::CountingQueue<typename P::LocalQueue>) {
      return queue_.size();
    } else {
      return queue_.empty() ? 0 : 1;
    }
  }
  [[nodiscard]] Audience audience(std::size_t offered) const noexcept override { return idle_.audience(offered); }
  void push_part(Job* part, Audience audience, bool guarded) override;
  [[nodiscard]] Ticks weigh_help(Ticks work) noexcept override {
    if constexpr (policy::ThriftyIdle<typename P::Idle>) {
      return idle_.weigh_help(index(), work, jobs_lost());
    } else {
      return 1;
    }
  }
  void wake() noexcept override {
    if (waits_below()) [[unlikely]]
      wake_below();  // A wait on top of that one may sleep here.
    if (Worker* const visitor = visitor_.load(std::memory_order_seq_cst)) visitor->wake();  // [visit]
    if (!team().apart.wake(index())) idle_.try_wake(index());
  }

  [[nodiscard]] Registry<P>& registry() noexcept { return registry_; }
  [[nodiscard]] WorkerStats stats() const noexcept;

  /// Makes `worker`, which is not confined, the worker of the calling thread; null: the thread has none.
  static void run_here(Worker* worker) noexcept {
    current_worker = worker;
    Queue::run(worker);
  }
  /// The loop of the resident, until terminate().
  void run_resident() noexcept;
  /// Makes run_resident return once there is no work. Any thread.
  void terminate() noexcept {
    (void)terminate_.set();
    wake();
  }
  /// Ends a borrow: the slot becomes vacant, or its resident runs it if there is work.
  void give_back() noexcept;
  /// Calls a resident of the pool's own team to this slot of a guest's team. It runs the slot while there is work.
  void summon() noexcept;
  /// Whether the resident has no job, not even a waiting one. Any thread.
  [[nodiscard]] bool rests() const noexcept { return rests_.load(std::memory_order_relaxed); }
  /// Gives a job to this worker, and to no other. Any thread.
  void mail(Job* job) noexcept {
    mailbox_.push(job);
    wake();
  }

 private:
  using Queue = WorkerQueue<P>;
  using Queue::queue_;
  using Sources = detail::Sources<typename P::LocalQueue, typename P::Injector>;
  using Search = typename P::Idle::Search;

  /// give_back while the injector has several lanes.
  BLITZ_COLD void give_back_lanes() noexcept;
  /// Gives the slot back; `injected()` is whether there is a job from outside.
  template <class Injected>
  BLITZ_ALWAYS_INLINE void give_back_unless(Injected&& injected) noexcept;
  void wait_as_guest(CoreLatch& latch, bool may_help) noexcept;
  void work_until(CoreLatch& latch, Rest rest) noexcept;
  [[nodiscard]] Job* search_until(CoreLatch& latch, Rest rest, Search& search) noexcept;
  [[nodiscard]] Job* find_any() noexcept {
    if (Job* const job = take_mail()) return job;
    if (Job* const job = finder_.find_work(sources_)) return job;
    return find_left();
  }
  /// Like find_any(), for a worker without a job.
  [[nodiscard]] Job* find_at_rest() noexcept {
    sources_.at_rest = true;
    Job* const job = find_any();
    sources_.at_rest = false;
    return job;
  }
  /// Slot 0 is left to outside callers.
  [[nodiscard]] bool takes_summons(Rest rest) const noexcept { return rest == Rest::kVacate && index() != 0; }
  [[nodiscard]] Job* find(Rest rest) noexcept {
    Job* const job = rest == Rest::kVacate ? find_at_rest() : find_any();
    if (job != nullptr || !takes_summons(rest) || !registry_.has_summons()) return job;
    // If another thread is about to take a job from outside, this one would have to come home immediately.
    return others_waiting() ? nullptr : registry_.take_summons();
  }
  /// The number of this worker's jobs that others have taken.
  [[nodiscard]] std::uint64_t jobs_lost() const noexcept {
    std::uint64_t lost = confined_jobs().deque.stolen();
    if constexpr (policy::CountingQueue<typename P::LocalQueue>) lost += queue_.taken();
    return lost;
  }
  [[nodiscard]] bool is_surplus() const noexcept { return team().apart.is_surplus(index()); }
  /// The rest of offer, if a worker sleeps or is about to.
  BLITZ_COLD void wake_for_offer() noexcept;
  /// A worker was woken, and will try to steal.
  void expect_theft() noexcept {
    if constexpr (requires { queue_.expect_theft(); }) queue_.expect_theft();
  }
  [[nodiscard]] bool is_warm() const noexcept;
  /// Whether there may be a job that is not in any worker's queue.
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool others_waiting() const noexcept { return !injector_.empty() || has_mail(); }
  void visit(Worker& host) noexcept;
  /// For a visitor: whether its worker in the pool's team has mail, or a job that mail has left in its queue. Perhaps no other
  /// thread takes that job.
  [[nodiscard]] bool has_job_at_home() const noexcept {
    return host_ != nullptr &&
           (host_->has_mail() || (region() == 0 && !static_cast<const Worker*>(host_)->leaves_nothing()));
  }
  /// Whether the resident that runs this slot must go home.
  [[nodiscard]] bool is_wanted_at_home() const noexcept;
  /// Whether the resident is needed: only it can end, and run the slot's mail. Jobs of a region need it because perhaps no
  /// other worker takes them.
  struct ResidentWanted {
    const Worker& worker;
    [[nodiscard]] BLITZ_ALWAYS_INLINE bool probe() const noexcept {
      return worker.terminate_.probe() || !worker.mailbox_.empty() ||
             (worker.confined_pushed() != 0 && !worker.confined_jobs().deque.empty());
    }
  };
  [[nodiscard]] bool queues_empty() const noexcept;
  /// Whether no job is left in this worker's queues.
  [[nodiscard]] bool leaves_nothing() const noexcept { return queue_.empty() && confined_jobs().deque.empty(); }

  struct Summons final : Job {
    explicit Summons(Worker& to) noexcept : Job(&execute_it), slot(to) {}
    static void execute_it(Job* job, WorkerBase& worker) noexcept {
      static_cast<Summons*>(job)->slot.visit(static_cast<Worker&>(worker));
    }
    Worker& slot;
  };

  Registry<P>& registry_;
  Team<P>& team_;
  typename P::Idle& idle_;
  typename P::Injector& injector_;
  alignas(kCacheLine) typename P::Finder finder_;
  Sources sources_;
  SingleWriterCounter taken_;     // mail, and by take_injected: written by the runner, read for statistics
  typename P::Injector mailbox_;  // jobs that only this worker runs
  CoreLatch terminate_;
  Atomic<bool> rests_{true};          // written by the resident
  Atomic<Worker*> visitor_{nullptr};  // the worker of another team that the resident runs; written by it
  Summons summons_{*this};            // in an injector at most once: from a claim of the vacant slot until it is run
  HostsJob hosts_job_;                // in no queue: taken by the runner, and run immediately
};

/// Gets back `mine`, an offered job that take_back did not find: runs the jobs on top of it, or waits for its thief. Returns
/// true if it was not stolen; the caller must run it. Otherwise it was stolen, and `done` is set.
[[nodiscard]] BLITZ_COLD BLITZ_API bool reclaim(WorkerBase& worker, Job& mine, CoreLatch& done) noexcept;

}  // namespace blitz::detail
