/// What isolate() opens: a set of jobs that only its own workers wait with.
///
/// A worker in a region is *confined*: while it waits, it runs jobs of the region and no others, and sleeps when there
/// are none. Whatever it offers goes into the region, and a token for it on the worker's own queue, so that a worker that
/// has nothing on its stack may help: it takes the token, enters the region, and runs the region's oldest job. Jobs that
/// a job of the region makes are thereby of the region too, on whichever worker.
///
/// Everything is under one mutex. A confined worker that sleeps counts, for the idle protocol, as one that executes a
/// job; it is woken when its latch is set, or by a push to the region. In a forked child the mutex may be held for ever,
/// by a thread that is not there: then the child ends.
///
/// Who may call what: push, take_back, take_newest, wait, a confined worker; the token, anyone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"
#include "blitz/core/core_latch.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

class PoolBase;

class BLITZ_API Region {
 public:
  /// With one owner: release() it. Throws std::bad_alloc.
  explicit Region(const PoolBase& pool);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  /// Adds a job, with a token on the worker's own queue. Throws std::bad_alloc, and has then not taken the job.
  void push(WorkerBase& worker, Job* job);
  /// Takes that job if it is still here.
  [[nodiscard]] bool take_back(WorkerBase& worker, const Job& job) noexcept;
  [[nodiscard]] Job* take_newest(WorkerBase& worker) noexcept;
  [[nodiscard]] bool empty() noexcept;
  /// Runs jobs of the region until the latch is set, and sleeps while there are none.
  void wait(WorkerBase& worker, CoreLatch& latch) noexcept;

  /// At the end of the region's isolate() within another: what it has not waited for is the outer region's from now on,
  /// whose workers would not find it here.
  void leave_to(Region& outer, WorkerBase& worker) noexcept;

  /// Tells one region from another, past ones included. Never 0.
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

  void hold() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    // Release and acquire: all use of the region happens before its end.
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  struct Token;
  struct Jobs;
  struct Waiter {
    WorkerBase& worker;
    Waiter* next;
    bool listed;
  };

  ~Region();

  static void execute_token(Job* job, WorkerBase& worker) noexcept;
  [[nodiscard]] std::unique_lock<Mutex> lock() noexcept;
  /// With the mutex held.
  [[nodiscard]] bool has_jobs() const noexcept;
  [[nodiscard]] Job* take_oldest() noexcept;
  void wake_one() noexcept;
  void unlist(Waiter& waiter) noexcept;
  static void drop_token(WorkerBase& worker, Region& region) noexcept;

  const PoolBase& pool_;
  const std::uint64_t id_;
  Mutex mutex_;                 // guards the next two
  std::unique_ptr<Jobs> jobs_;  // made by the first push: many regions have none
  Waiter* waiting_ = nullptr;
  Atomic<std::size_t> owners_{1};  // isolate(), and the tokens
};

/// Confines a worker to a new region for as long as this object lives.
class Confinement {
 public:
  /// Throws std::bad_alloc.
  BLITZ_API explicit Confinement(WorkerBase& worker);
  BLITZ_API ~Confinement();
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

 private:
  WorkerBase& worker_;
  Region* outer_;
  Region* region_;
};

}  // namespace blitz::detail
