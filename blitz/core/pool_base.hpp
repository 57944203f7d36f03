/// A pool of whatever policy, as what is spawned into it sees it; the count of its detached jobs; and the workers that
/// stand apart.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"
#include "blitz/base/export.hpp"
#include "blitz/base/fork.hpp"
#include "blitz/base/parker.hpp"
#include "blitz/options.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

/// The worker that the calling thread runs; null outside every pool.
BLITZ_API BLITZ_TLS extern constinit thread_local WorkerBase* current_worker;

class PoolBase;

/// What is called in a pool.
using PoolCall = void (*)(void* argument, WorkerBase& worker);

/// The pool of which the calling thread is a resident, until the thread's very end; null for the program's threads.
BLITZ_API BLITZ_TLS extern constinit thread_local PoolBase* own_pool;

/// In a forked child: ends the process, which would go on in a pool whose threads its parent alone has.
[[noreturn]] BLITZ_COLD BLITZ_API void end_in_child() noexcept;

/// Pairs:
///   [drain]  WorkerBase::detached_ended: count, light fence, stopping_ load  <->  drain: stopping_, heavy fence, counts
///   [ended]  WorkerBase::detached_ended: count (release)                     ->   drained: count (acquire)
///   [close]  close_if_alone, close: callers_ (release)                       ->   try_admit, admitted: callers_ (acquire)
class BLITZ_API PoolBase {
 public:
  PoolBase(const PoolBase&) = delete;
  PoolBase& operator=(const PoolBase&) = delete;

  [[nodiscard]] virtual std::size_t num_threads() const noexcept = 0;
  [[nodiscard]] virtual WorkerBase& worker_base(std::size_t slot) noexcept = 0;
  /// Gives a job to whichever worker takes it first.
  virtual void inject(Job* job) noexcept = 0;
  /// Gives a job to the worker of that slot and to no other.
  virtual void mail_to(std::size_t slot, Job* job) noexcept = 0;
  /// For a thread that is not a worker of this pool: calls `call(argument, worker)` with a worker of it, and returns when
  /// the call has. A thread that belongs to no pool runs it itself, in a vacant slot, or else waits until a worker has; a
  /// worker of another pool always waits, and does its own pool's work meanwhile. Throws what `call` throws, and ThreadPoolError if the pool was shut down.
  virtual void enter(PoolCall call, void* argument) = 0;
  /// As enter, but a worker of another pool blocks meanwhile instead of doing its own pool's work.
  virtual void enter_blocking(PoolCall call, void* argument) = 0;
  /// For a thread of no pool: calls `call(argument)` with the thread a worker of this pool, in a vacant slot. False,
  /// and nothing is called, if there is none.
  [[nodiscard]] virtual bool call_in_vacant_slot(void (*call)(void*), void* argument) = 0;
  /// Keeps the pool's memory, though not its threads.
  [[nodiscard]] virtual std::shared_ptr<void> keep_alive() noexcept = 0;

  [[nodiscard]] const ThreadPoolOptions& options() const noexcept { return options_; }

  /// Before each call of a thread that is no worker of this pool. Throws ThreadPoolError if the pool was shut down, or
  /// belongs to a process of which this one is a fork. If the end of the program has stopped it, another thread than the
  /// one that ends the program does not return.
  void throw_if_unusable() {
    if (!admitted() || from_before_fork()) [[unlikely]]
      admit();
  }
  /// A number of the calling thread, above 2. Another thread may get it when this one has ended.
  [[nodiscard]] static std::uintptr_t this_thread() noexcept {
    return reinterpret_cast<std::uintptr_t>(&current_worker);
  }
  /// Whether the calling thread has been counted among the callers, and the pool was not shut down.
  [[nodiscard]] bool admitted() const noexcept {
    const std::uintptr_t callers = callers_.load(std::memory_order_acquire);
    return callers == this_thread() || callers == kSeveral;
  }
  /// Counts the calling thread among the callers. False: the pool was shut down.
  bool try_admit() noexcept;
  [[nodiscard]] bool from_before_fork() const noexcept {
    return fork_generation.load(std::memory_order_relaxed) != generation_;
  }
  /// For who would wait for a job of the pool: in a forked child it does not end. Throws ThreadPoolError there.
  void throw_if_forked() const {
    if (from_before_fork()) [[unlikely]]
      refuse();
  }
  /// For a worker that goes on in its pool, and for who waits for the pool and cannot throw: not if a job, or the waiter,
  /// has forked and this is the child, where the pool is not there.
  void end_if_forked() const noexcept {
    if (from_before_fork()) [[unlikely]]
      end_in_child();
  }

  /// What to do with an exception that nobody waits for.
  void report(std::exception_ptr error) noexcept;

  /// A detached job is about to come from a thread that is no worker of this pool.
  void detached_begun_outside() noexcept {
    // Relaxed: a thread that looks too early adds one job, which is waited for.
    if (spawns_held_.load(std::memory_order_relaxed) && current_worker == nullptr) [[unlikely]]
      wait_for_drain();
    begun_outside_.fetch_add(1, std::memory_order_seq_cst);
  }
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(std::memory_order_relaxed); }
  /// A detached job has ended while the pool is stopping.
  BLITZ_COLD void detached_ended_late() noexcept;

  // --- the end of the program, at which other threads may be in a call of the pool, or come ---

  /// Waits until all detached jobs have ended. Threads outside every pool that would spawn others wait as well: else one
  /// that spawns for ever would keep the program from ending.
  void drain_at_exit() noexcept;
  /// If no other thread than this one has ever called the pool from outside: refuses all further calls, and returns true.
  [[nodiscard]] bool close_if_alone() noexcept;

  /// For what can neither be used nor destroyed: the pool of a parent process.
  static void keep_for_ever(std::shared_ptr<void> thing);

  // --- the most workers that may look for work, and those that stand apart: that sleep without being counted as idle ---

  [[nodiscard]] std::size_t max_concurrency() const noexcept {
    return max_concurrency_.load(std::memory_order_seq_cst);
  }
  /// 1 to num_threads(); throws std::invalid_argument otherwise.
  void set_max_concurrency(std::size_t count);

  /// A worker is about to stand apart. False: all others do, and it must not; it is not counted then.
  [[nodiscard]] bool try_stand_apart() noexcept;
  /// The same for one that cannot do otherwise. If all now do, those that can are asked to come back.
  void stand_apart() noexcept;
  void stand_apart_no_more() noexcept { apart_.fetch_sub(1, std::memory_order_seq_cst); }
  [[nodiscard]] bool all_stand_apart() const noexcept {
    return apart_.load(std::memory_order_seq_cst) >= num_threads();
  }

  /// Until then (steady clock, nanoseconds) workers without work stay awake.
  [[nodiscard]] std::int64_t warm_until() const noexcept { return warm_until_.load(std::memory_order_relaxed); }

 protected:
  PoolBase(ThreadPoolOptions options, std::size_t num_threads);
  ~PoolBase() = default;

  /// Waits until all detached jobs have ended, those that they spawn included.
  void drain() noexcept;
  void set_warm_until(std::int64_t time) noexcept { warm_until_.store(time, std::memory_order_relaxed); }
  /// Refuses all further calls.
  void close() noexcept { callers_.store(kClosed, std::memory_order_release); }
  [[nodiscard]] bool closed() const noexcept { return callers_.load(std::memory_order_acquire) == kClosed; }

 private:
  // What callers_ may be, other than the this_thread() of the only caller.
  static constexpr std::uintptr_t kNobody = 0;
  static constexpr std::uintptr_t kSeveral = 1;
  static constexpr std::uintptr_t kClosed = 2;

  BLITZ_COLD void admit();
  [[noreturn]] BLITZ_COLD void refuse() const;
  BLITZ_COLD void wait_for_drain() noexcept;
  [[nodiscard]] bool drained() noexcept;

  // Read by the workers between two jobs, and seldom written.
  ThreadPoolOptions options_;
  std::uint32_t generation_;
  std::uintptr_t closed_at_exit_by_ = 0;     // a thread; constant once callers_ is kClosed
  Atomic<std::uintptr_t> callers_{kNobody};  // from outside: written by a thread's first call, and by the pool's end
  Atomic<bool> spawns_held_{false};
  Mutex draining_;  // held while spawns_held_
  Atomic<bool> stopping_{false};
  Parker drained_;  // the thread that stops the pool
  Atomic<std::size_t> max_concurrency_;
  Atomic<std::size_t> apart_{0};
  Atomic<std::int64_t> warm_until_{0};

  // Written by whoever spawns from outside; a line of its own.
  alignas(kCacheLine) Atomic<std::uint64_t> begun_outside_{0};  // detached jobs
};

}  // namespace blitz::detail
