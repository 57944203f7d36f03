/// A pool without its policy: how it gets jobs, the callers that it admits, and its behaviour after fork().
///
/// Any thread may call any member, except as noted.
///
/// Pairs:
///   [close]  close_if_alone, close: callers_ (release)  ->  try_admit, admitted: callers_ (acquire)
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/job/current_worker.hpp"
#include "blitz/detail/sys/fork.hpp"
#include "blitz/detail/worker/confinement.hpp"
#include "blitz/detail/worker/detached_jobs.hpp"
#include "blitz/detail/worker/waiting.hpp"
#include "blitz/policy.hpp"

namespace blitz {

struct ThreadPoolOptions;
struct WorkerStats;

}  // namespace blitz

namespace blitz::detail {

class Stay;

/// A team without its policy: slots with workers that take each other's jobs.
struct TeamBase {
  explicit TeamBase(std::size_t slots, std::size_t its_number = 0)
      : size(slots), number(its_number), apart(slots), isolation(apart, slots) {}

  const std::size_t size;
  const std::size_t number;  // of a guest's team: 0, 1, and so on
  ApartWorkers apart;
  Isolation isolation;
  /// For a guest's team: whether its guest looks for jobs here, at the latest when it leaves. Written by the guest.
  Atomic<bool> attended{true};
};

/// The pool that the calling thread is a resident of, set until the thread has ended; null for the program's threads.
BLITZ_API BLITZ_TLS extern constinit thread_local PoolBase* own_pool;
/// The newest stay with a guest on the calling thread's stack.
BLITZ_TLS extern constinit thread_local Stay* newest_stay;

/// Aborts, with a message, a forked child that has returned into a pool of its parent.
[[noreturn]] BLITZ_COLD BLITZ_API void end_in_child() noexcept;

/// Its owners keep only its memory; the threads end independently of them.
class BLITZ_API PoolBase : public SharedObject {
 public:
  [[nodiscard]] std::size_t num_threads() const noexcept { return num_threads_; }
  /// Gives a job to the pool, for any worker to take.
  virtual void inject(Job* job) noexcept = 0;
  /// Gives a job to the worker of `slot` only.
  virtual void mail_to(std::size_t slot, Job* job) noexcept = 0;
  /// For a thread that is not a worker of this pool: makes it one, calls `call(argument, worker)` there, and returns when the
  /// call has. A worker of another pool also runs its own pool's jobs while the call waits. If there is no memory for a slot, a
  /// worker of the pool makes the call. Throws the exceptions of `call`, and ThreadPoolError if the pool was shut down.
  virtual void enter(PoolCall call, void* argument) = 0;
  /// Like enter, except that a worker of another pool runs no jobs of its pool.
  void enter_blocking(PoolCall call, void* argument);
  /// For a thread of no pool: makes it the runner of a vacant slot until give_back. Returns null if no slot is vacant.
  [[nodiscard]] virtual WorkerBase* borrow() noexcept = 0;
  /// Like borrow, but never in the pool's team.
  [[nodiscard]] virtual WorkerBase* borrow_as_guest() noexcept = 0;
  virtual void give_back(WorkerBase& worker) noexcept = 0;
  /// For a guest that will look for no job in its team: gives the jobs of its slot, and of the team's injector, to the pool.
  virtual void leave_jobs(WorkerBase& worker) noexcept = 0;
  /// Wakes the workers except the one of slot 0, which outside callers borrow, and keeps them awake for `time` without work.
  virtual void warm_up(std::chrono::nanoseconds time) noexcept = 0;
  [[nodiscard]] virtual WorkerStats stats(std::size_t slot) const noexcept = 0;
  /// ThreadPoolStats::searching and parked; unchanged if the policy does not count them.
  virtual void count_idle(std::size_t& searching, std::size_t& parked) const noexcept = 0;
  /// Waits for the detached jobs, lets the workers run the remaining jobs, and joins the threads. Idempotent; one thread at a
  /// time. Throws ThreadPoolError on a thread of this pool, which would wait for itself.
  virtual void stop() = 0;
  /// The last step of stop(), when no more calls come.
  virtual void end_threads() noexcept = 0;

  [[nodiscard]] const ThreadPoolOptions& options() const noexcept { return *options_; }

  /// Must come before each call by a thread that is not a worker of this pool. Throws ThreadPoolError if the pool was shut
  /// down, or if this process is a forked child of its owner. If the pool was closed at the end of the program, it blocks
  /// forever. On the thread that ends the program and on the pool's own threads it throws instead.
  void throw_if_unusable() {
    if (!admitted() || from_before_fork()) [[unlikely]]
      admit();
  }
  /// A number that identifies the calling thread, above 2. A later thread may get it again.
  [[nodiscard]] static std::uintptr_t this_thread() noexcept {
    return reinterpret_cast<std::uintptr_t>(&current_worker);
  }
  /// Whether the pool is open and knows that the calling thread calls it.
  [[nodiscard]] bool admitted() const noexcept {
    const std::uintptr_t callers = callers_.load(std::memory_order_acquire);  // [close]
    return callers == this_thread() || callers == kSeveral;
  }
  /// Whether the calling thread is one of the pool's own, or is in a call of it.
  [[nodiscard]] bool is_under_way() const noexcept;
  /// Whether it refuses all calls: it was shut down, although its threads may not have ended.
  [[nodiscard]] bool closed() const noexcept { return callers_.load(std::memory_order_acquire) == kClosed; }
  /// Records that the calling thread calls the pool. Returns false if the pool was shut down.
  bool try_admit() noexcept;
  /// The fork_generation of the process that made the pool.
  [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }
  /// Whether this process is a forked child of the pool's owner.
  [[nodiscard]] bool from_before_fork() const noexcept {
    return fork_generation.load(std::memory_order_relaxed) != generation_;
  }
  /// Must come before a wait for a job of the pool, which would not end in a forked child. Throws ThreadPoolError.
  void throw_if_forked() const {
    if (from_before_fork()) [[unlikely]]
      refuse();
  }
  /// Like throw_if_forked, for noexcept paths: aborts.
  void end_if_forked() const noexcept {
    if (from_before_fork()) [[unlikely]]
      end_in_child();
  }

  /// Calls the exception handler with the exception of a detached job, or std::terminate if there is none.
  void report(std::exception_ptr error) noexcept;

  /// A thread that is not a worker of this pool spawns a detached job.
  void detached_begun_outside() noexcept {
    if (detached_jobs_.stopping() && current_worker == nullptr) [[unlikely]]
      detached_jobs_.wait_while_held();
    detached_jobs_.begin_outside();
  }
  [[nodiscard]] DetachedJobs& detached_jobs() noexcept { return detached_jobs_; }

  /// At the end of the program: if no other thread has ever called the pool from outside, refuses all further calls and
  /// returns true.
  [[nodiscard]] bool close_if_alone() noexcept;

  /// Keeps an object that can neither be used nor destroyed, such as a parent's pool, until the process ends.
  static void keep_for_ever(const void* thing);

  [[nodiscard]] TeamBase& home() noexcept { return home_; }
  [[nodiscard]] std::size_t max_concurrency() const noexcept { return home_.apart.max_concurrency(); }
  void set_max_concurrency(std::size_t count) {
    home_.apart.set_max_concurrency(count);
    max_concurrency_changed();
  }

 protected:
  virtual void max_concurrency_changed() noexcept {}

  PoolBase(ThreadPoolOptions options, std::size_t num_threads);
  ~PoolBase() override;

  /// enter, or enter_blocking if it `blocks`, with a Stay, or through the injector if there is no slot.
  BLITZ_COLD void enter_slowly(PoolCall call, void* argument, bool blocks);
  /// `waiter`: see CallerLatch.
  BLITZ_COLD void inject_and_wait(PoolCall call, void* argument, WorkerBase* waiter);
  /// Refuses all further calls.
  void close() noexcept { callers_.store(kClosed, std::memory_order_release); }  // [close]

 private:
  // The values of callers_; any other is the this_thread() of the only caller.
  static constexpr std::uintptr_t kNobody = 0;
  static constexpr std::uintptr_t kSeveral = 1;
  static constexpr std::uintptr_t kClosed = 2;

  BLITZ_COLD void admit();
  [[noreturn]] BLITZ_COLD void refuse() const;

  const Owned<const ThreadPoolOptions> options_;  // by pointer, so that most programs need not compile std::function
  const std::size_t num_threads_;
  const std::uint32_t generation_;
  std::uintptr_t closed_at_exit_by_ = 0;     // a this_thread(), constant once callers_ is kClosed
  Atomic<std::uintptr_t> callers_{kNobody};  // written by a thread's first call from outside, and by the pool's end
  TeamBase home_;
  DetachedJobs detached_jobs_;
};

/// Makes a pool of policy P and starts its threads; see Registry::start. Compiled once for each policy.
template <class P>
[[nodiscard]] BLITZ_API Shared<PoolBase> start_pool(ThreadPoolOptions options);

/// While it lives, the calling thread is a worker of `pool`. A worker of another pool becomes a guest, unless its thread is
/// already a worker of `pool`, further down its stack.
class Stay {
 public:
  /// `blocks`: see PoolBase::enter_blocking. The worker of the other pool then counts as apart in its team.
  Stay(PoolBase& pool, bool blocks) noexcept : pool_(pool) {
    if (current_worker == nullptr) {
      worker_ = pool.borrow();
    } else {
      begin(blocks);
    }
  }
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;
  ~Stay() {
    if (host_ != nullptr) {
      end();
    } else if (worker_ != nullptr) {
      pool_.give_back(*worker_);
    }
  }

  /// Null if there is no slot.
  [[nodiscard]] WorkerBase* worker() const noexcept { return worker_; }

  /// Whether a worker of `pool` is in a call of another pool on the calling thread's stack.
  [[nodiscard]] static bool is_under_way(const PoolBase& pool) noexcept;

 private:
  BLITZ_COLD BLITZ_API void begin(bool blocks) noexcept;
  BLITZ_COLD BLITZ_API void end() noexcept;
  /// The worker of `pool` that the calling thread has been since it last began to block; null if there is none. With
  /// `beyond_regions`, also if a region has begun since then, which excludes that worker's jobs.
  [[nodiscard]] static WorkerBase* worker_of(const PoolBase& pool, bool beyond_regions) noexcept;

  PoolBase& pool_;
  WorkerBase* worker_ = nullptr;
  WorkerBase* host_ = nullptr;         // the worker of another pool; null for a thread of no pool
  Stay* older_;                        // the next older one with a guest
  std::optional<CountedApart> apart_;  // the host and the workers below it, if it blocks
  bool is_guest_ = false;
};

}  // namespace blitz::detail
