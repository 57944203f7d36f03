/// A worker: one slot of a pool, and the one loop in which its runner looks for work.
///
/// The runner is the slot's resident thread, or an outside thread that has borrowed the slot. All members are for the
/// runner, but for wake, wake_if_apart, terminate, mail and the statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "blitz/base/asymmetric_fence.hpp"
#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"
#include "blitz/base/export.hpp"
#include "blitz/base/parker.hpp"
#include "blitz/core/fifo.hpp"
#include "blitz/core/job.hpp"
#include "blitz/core/job_memory.hpp"
#include "blitz/core/latch.hpp"
#include "blitz/core/pool_base.hpp"
#include "blitz/policy.hpp"
#include "blitz/stats.hpp"

namespace blitz::detail {

struct Loop;
class Region;

/// A worker of whatever policy. Code that knows the policy calls the same functions on Worker<P>, which is final, and
/// pays for no virtual call.
///
/// A worker may be *confined* to a region (see isolate): then push, take_newest, queue_empty and wait_until are about
/// that region, and no free function finds its way to Worker<P>, whose other functions know nothing of regions.
class WorkerBase : public Wakeable {
 public:
  WorkerBase(const WorkerBase&) = delete;
  WorkerBase& operator=(const WorkerBase&) = delete;

  /// Offers a job to the pool. Throws std::bad_alloc, and has then not taken it.
  virtual void push(Job* job) = 0;
  /// Takes back the newest job of this worker's queue; null if there is none.
  [[nodiscard]] virtual Job* take_newest() noexcept = 0;
  /// Some job that waits in the pool and that this worker may run now; null if none was found.
  [[nodiscard]] virtual Job* find_work() noexcept = 0;
  /// Runs other jobs until the latch is set, and sleeps while there are none.
  virtual void wait_until(CoreLatch& latch) noexcept = 0;
  /// Runs a loop of at least one position; see Loop::run.
  virtual void run_loop(const Loop& loop, void* value) = 0;
  /// A job for this worker alone; null if there is none.
  [[nodiscard]] virtual Job* take_mail() noexcept = 0;
  [[nodiscard]] virtual bool has_mail() const noexcept = 0;
  /// Whether all that this worker has offered is gone.
  [[nodiscard]] virtual bool queue_empty() const noexcept = 0;
  /// A hint: some worker of the pool executes no job.
  [[nodiscard]] virtual bool somebody_idle() const noexcept = 0;
  [[nodiscard]] virtual std::size_t num_threads() const noexcept = 0;
  /// Keeps the memory of the pool, though not its threads.
  [[nodiscard]] virtual std::shared_ptr<void> keep_alive() const noexcept = 0;

  /// Its own queue, whether it is confined or not.
  virtual void push_own(Job* job) = 0;
  [[nodiscard]] virtual Job* take_newest_own() noexcept = 0;
  /// Confines the worker to a region, or, with null, sets it free.
  virtual void confine(Region* region) noexcept = 0;
  /// In a forked child: this thread is nobody's worker any more.
  virtual void forget_runner() noexcept = 0;

  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  [[nodiscard]] PoolBase* pool() const noexcept { return pool_; }
  [[nodiscard]] Region* region() const noexcept { return region_; }
  [[nodiscard]] JobMemory& memory() noexcept { return memory_; }
  /// The order of spawn_fifo.
  [[nodiscard]] JobFifo& fifo() noexcept { return fifo_; }

  // --- detached jobs, counted for the end of the pool; see PoolBase ---

  void detached_begun() noexcept {
    begun_.store(begun_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void detached_ended() noexcept {
    PoolBase& pool = *pool_;  // Once the count is up, the pool may end; but not before its workers do.
    ended_.store(ended_.load(std::memory_order_relaxed) + 1, std::memory_order_release);  // [ended]
    asymmetric_light_fence();                                                             // [drain]
    if (pool.stopping()) [[unlikely]]
      pool.detached_ended_late();
  }
  [[nodiscard]] std::uint64_t detached_begun_count() const noexcept { return begun_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t detached_ended_count() const noexcept { return ended_.load(std::memory_order_acquire); }

  // --- sleeping apart: a sleep of which the idle protocol knows nothing, and for it this worker executes a job ---

  /// Blocks until the latch is set or wake_if_apart() is called, if `reason_to_stay_awake()` does not hold by then.
  template <class Test>
  void sleep_apart(CoreLatch& latch, Test&& reason_to_stay_awake) noexcept {
    if (!latch.get_sleepy()) return;
    // [apart] Whoever gives a reason and then sees no flag has given it before it is looked for below; whoever sees the flag
    // and leaves it at that has given it before the runner, which lowers the flag, looks for it anywhere else.
    apart_.store(true, std::memory_order_seq_cst);
    if (latch.fall_asleep()) {
      if (!reason_to_stay_awake()) apart_parker_.park();
      latch.woke();
    }
    apart_.store(false, std::memory_order_seq_cst);  // [apart]
  }
  /// Any thread: after giving a sleeper apart a reason to stay awake. Returns whether it was one.
  bool wake_if_apart() noexcept {
    if (!apart_.load(std::memory_order_seq_cst)) return false;  // [apart]
    apart_parker_.unpark();
    return true;
  }

 protected:
  WorkerBase(std::size_t index, PoolBase* pool) noexcept : index_(index), pool_(pool) {}
  ~WorkerBase() = default;

  void set_region(Region* region) noexcept { region_ = region; }

 private:
  std::size_t index_;
  PoolBase* pool_;
  Region* region_ = nullptr;
  JobMemory memory_;
  JobFifo fifo_;
  Atomic<std::uint64_t> begun_{0};  // written by the runner; read by all, at the end of the pool; as is ...
  Atomic<std::uint64_t> ended_{0};
  Atomic<bool> apart_{false};  // written by the runner: it blocks, or is about to, on ...
  Parker apart_parker_;
};

/// Where a call is made that names no pool: in the one that the caller works for, or else in the global pool.
inline constexpr PoolBase* kHere = nullptr;

/// The worker that the calling thread runs, if it is of `pool` or that is kHere; else null.
[[nodiscard]] inline WorkerBase* worker_for(const PoolBase* pool) noexcept {
  WorkerBase* const worker = current_worker;
  return worker != nullptr && (pool == kHere || worker->pool() == pool) ? worker : nullptr;
}

/// PoolBase::enter of `pool`; for kHere, where the calling thread belongs to no pool, of the global pool, which it starts.
BLITZ_API void enter_pool(PoolBase* pool, PoolCall call, void* argument);

template <Policy P>
class Registry;

template <Policy P>
class BLITZ_API alignas(kCacheLine) Worker final : public WorkerBase {
 public:
  /// `seed`: of its finder's random numbers. Throws std::bad_alloc.
  Worker(Registry<P>& registry, std::size_t index, std::uint64_t seed);

  using Place = typename P::LocalQueue::Place;

  void push(Job* job) override;
  [[nodiscard]] Job* take_newest() noexcept override;
  [[nodiscard]] Job* find_work() noexcept override;
  void wait_until(CoreLatch& latch) noexcept override;
  void run_loop(const Loop& loop, void* value) override;
  [[nodiscard]] Job* take_mail() noexcept override;
  [[nodiscard]] bool has_mail() const noexcept override { return !mailbox_.empty(); }
  void push_own(Job* job) override { offer(job); }
  [[nodiscard]] Job* take_newest_own() noexcept override { return queue_.take_newest(); }
  void confine(Region* region) noexcept override;
  void forget_runner() noexcept override;

  /// Offers a job to the pool. Throws std::bad_alloc, and has then not taken the job.
  BLITZ_ALWAYS_INLINE Place offer(Job* job) {
    const Place place = queue_.push(job, injector_);
    idle_.new_jobs();
    return place;
  }
  /// Takes back an offered job that has not begun, if it is found at once; else see reclaim.
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool take_back(Place place) noexcept { return queue_.take_back(place); }
  [[nodiscard]] bool queue_empty() const noexcept override {
    return region() == nullptr ? queue_.empty() : region_empty();
  }
  [[nodiscard]] bool somebody_idle() const noexcept override { return idle_.somebody_idle(); }
  [[nodiscard]] std::size_t num_threads() const noexcept override;
  [[nodiscard]] std::shared_ptr<void> keep_alive() const noexcept override;
  void wake() noexcept override {
    if (!wake_if_apart()) idle_.try_wake(index());
  }

  [[nodiscard]] Registry<P>& registry() noexcept { return registry_; }
  [[nodiscard]] typename P::LocalQueue& queue() noexcept { return queue_; }
  [[nodiscard]] WorkerStats stats() const noexcept;
  /// Once the pool has all its workers.
  void set_count(std::size_t count) noexcept { sources_.count = count; }

  /// The resident's life, from its start until terminate().
  void run_resident() noexcept;
  /// Sends the resident home when it runs dry. Any thread.
  void terminate() noexcept;
  /// An outside caller's part: makes this slot vacant again, or leaves it to the resident.
  void give_back() noexcept;
  /// Gives this worker, and no other, a job. Any thread.
  void mail(Job* job) noexcept;

 private:
  using Sources = detail::Sources<typename P::LocalQueue, typename P::Injector>;
  using Search = typename P::Idle::Search;

  void work_until(CoreLatch& latch, Rest rest) noexcept;
  [[nodiscard]] Job* search_until(CoreLatch& latch, Rest rest, Search& search) noexcept;
  [[nodiscard]] Job* find_any() noexcept;
  [[nodiscard]] bool may_help() const noexcept;
  [[nodiscard]] bool wait_apart(CoreLatch& latch) noexcept;
  void sit_out(Search& search) noexcept;
  [[nodiscard]] bool is_warm() const noexcept;
  [[nodiscard]] bool region_empty() const noexcept;
  /// Whether there may be a job that is not in any worker's queue.
  [[nodiscard]] bool others_waiting() const noexcept { return !injector_.empty() || !mailbox_.empty(); }
  void execute(Job* job) noexcept {
    job->execute(job, *this);
    registry_.end_if_forked();
  }

  Registry<P>& registry_;
  typename P::Idle& idle_;
  typename P::Injector& injector_;
  typename P::LocalQueue queue_;
  alignas(kCacheLine) typename P::Finder finder_;
  Sources sources_;
  std::size_t nested_waits_ = 0;
  Atomic<std::uint64_t> mail_taken_{0};
  typename P::Injector mailbox_;  // jobs for this worker alone
  CoreLatch terminate_;
};

/// The calling thread's worker, if it is of a pool with this policy. Two loads on the way of every join.
///
/// Defined in registry_impl.hpp, by which a policy is instantiated: so there is one for the library and the program. An
/// inline variable would be another one in each, where the policy's name is hidden: set by the one, and read by the other.
/// It is as visible as the policy's name, and so one variable for a program and its libraries that share a policy.
template <Policy P>
struct BLITZ_API CurrentWorker {
  BLITZ_TLS static constinit thread_local Worker<P>* worker;
};

/// Makes the calling thread the runner of a worker for as long as this object lives.
template <Policy P>
class RunnerScope {
 public:
  explicit RunnerScope(Worker<P>& worker) noexcept {
    current_worker = &worker;
    CurrentWorker<P>::worker = &worker;
  }
  RunnerScope(const RunnerScope&) = delete;
  RunnerScope& operator=(const RunnerScope&) = delete;
  ~RunnerScope() {
    CurrentWorker<P>::worker = nullptr;
    current_worker = nullptr;
  }
};

/// Gets back `mine`, a job that the caller has offered and that was not found at once: runs what lies on top of it, or
/// waits for whoever took it. True: it was not taken, and is the caller's to run. False: it was, and is done.
[[nodiscard]] BLITZ_COLD BLITZ_API bool reclaim(WorkerBase& worker, Job& mine, CoreLatch& done) noexcept;

}  // namespace blitz::detail
