/// A worker: one slot of a pool, and the one loop in which its runner looks for work.
///
/// The runner is the slot's resident thread, or an outside thread that has borrowed the slot. All members are for the
/// runner, but for wake and the statistics.
#pragma once

#include <cstddef>
#include <memory>

#include "blitz/base/cache_line.hpp"
#include "blitz/base/export.hpp"
#include "blitz/core/job.hpp"
#include "blitz/core/latch.hpp"
#include "blitz/policy.hpp"
#include "blitz/stats.hpp"

namespace blitz::detail {

/// A worker of whatever policy. Code that knows the policy calls the same functions on Worker<P>, which is final, and
/// pays for no virtual call.
class WorkerBase : public Wakeable {
 public:
  WorkerBase(const WorkerBase&) = delete;
  WorkerBase& operator=(const WorkerBase&) = delete;

  /// Where an offered job lies: nothing, for a worker of unknown policy.
  struct Place {};

  /// Offers a job to the pool. Throws std::bad_alloc, and has then not taken it.
  virtual void push(Job* job) = 0;
  Place offer(Job* job) {
    push(job);
    return {};
  }
  /// Takes back the newest job of this worker's queue; null if there is none.
  [[nodiscard]] virtual Job* take_newest() noexcept = 0;
  /// Takes back an offered job that has not run, if it is found at once; see reclaim.
  [[nodiscard]] bool take_back(Place /*place*/) noexcept { return false; }
  /// Runs other jobs until the latch is set, and sleeps while there are none.
  virtual void wait_until(CoreLatch& latch) noexcept = 0;
  /// Whether all that this worker has offered is gone.
  [[nodiscard]] virtual bool queue_empty() const noexcept = 0;
  /// A hint: some worker of the pool executes no job.
  [[nodiscard]] virtual bool somebody_idle() const noexcept = 0;
  [[nodiscard]] virtual std::size_t num_threads() const noexcept = 0;
  /// Identifies the pool.
  [[nodiscard]] virtual const void* pool() const noexcept = 0;
  /// Keeps the memory of the pool, though not its threads.
  [[nodiscard]] virtual std::shared_ptr<void> keep_alive() const noexcept = 0;

  [[nodiscard]] std::size_t index() const noexcept { return index_; }

 protected:
  explicit WorkerBase(std::size_t index) noexcept : index_(index) {}
  ~WorkerBase() = default;

 private:
  std::size_t index_;
};

/// The worker that the calling thread runs; null outside every pool.
BLITZ_API extern constinit thread_local WorkerBase* current_worker;

template <Policy P>
class Registry;

template <Policy P>
class BLITZ_API alignas(kCacheLine) Worker final : public WorkerBase {
 public:
  /// Throws std::bad_alloc.
  Worker(Registry<P>& registry, std::size_t index);

  using Place = typename P::LocalQueue::Place;

  void push(Job* job) override { offer(job); }
  BLITZ_ALWAYS_INLINE Place offer(Job* job) {
    const Place place = queue_.push(job, injector_);
    idle_.new_jobs();
    return place;
  }
  [[nodiscard]] Job* take_newest() noexcept override { return queue_.take_newest(); }
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool take_back(Place place) noexcept { return queue_.take_back(place); }
  void wait_until(CoreLatch& latch) noexcept override {
    if (!latch.probe()) work_until(latch, Rest::kWait);
  }
  [[nodiscard]] bool queue_empty() const noexcept override { return queue_.empty(); }
  [[nodiscard]] bool somebody_idle() const noexcept override { return idle_.somebody_idle(); }
  [[nodiscard]] std::size_t num_threads() const noexcept override;
  [[nodiscard]] const void* pool() const noexcept override { return &registry_; }
  [[nodiscard]] std::shared_ptr<void> keep_alive() const noexcept override;
  void wake() noexcept override { idle_.try_wake(index()); }

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

 private:
  using Sources = detail::Sources<typename P::LocalQueue, typename P::Injector>;
  using Search = typename P::Idle::Search;

  void work_until(CoreLatch& latch, Rest rest) noexcept;
  [[nodiscard]] Job* search_until(CoreLatch& latch, Rest rest, Search& search) noexcept;
  void execute(Job* job) noexcept { job->execute(job, *this); }

  Registry<P>& registry_;
  typename P::Idle& idle_;
  typename P::Injector& injector_;
  typename P::LocalQueue queue_;
  alignas(kCacheLine) typename P::Finder finder_;
  Sources sources_;
  CoreLatch terminate_;
};

/// The calling thread's worker, if it is of a pool with this policy. One load on the way of every join.
template <Policy P>
BLITZ_API inline constinit thread_local Worker<P>* current_worker_of = nullptr;

/// Makes the calling thread the runner of a worker for as long as this object lives.
template <Policy P>
class RunnerScope {
 public:
  explicit RunnerScope(Worker<P>& worker) noexcept {
    current_worker = &worker;
    current_worker_of<P> = &worker;
  }
  RunnerScope(const RunnerScope&) = delete;
  RunnerScope& operator=(const RunnerScope&) = delete;
  ~RunnerScope() {
    current_worker_of<P> = nullptr;
    current_worker = nullptr;
  }
};

/// Gets back `mine`, a job that the caller has offered and that was not found at once: runs what lies on top of it, or
/// waits for whoever took it. True: it was not taken, and is the caller's to run. False: it was, and is done.
[[nodiscard]] BLITZ_COLD BLITZ_API bool reclaim(WorkerBase& worker, Job& mine, CoreLatch& done) noexcept;

}  // namespace blitz::detail
