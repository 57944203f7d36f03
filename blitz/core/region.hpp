/// A region of isolate(): a set of jobs that only its own workers run while they wait.
///
/// A worker in a region is *confined*: while it waits, it runs jobs of the region and no others, and stands apart when
/// there are none (see waiting.hpp). What it offers goes into the region, and a token for it on the worker's own queue.
/// A worker with nothing on its stack that takes the token enters the region and runs the region's oldest job. So all
/// jobs that a job of the region makes are of the region, on any worker.
///
/// One mutex guards everything. In a forked child a thread of the parent may hold it; then the child is ended.
///
/// Who may call what: push, remove, take_newest, wait, a confined worker; the token, any worker.
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
  /// It has one owner, which calls release(). Throws std::bad_alloc.
  explicit Region(PoolBase& pool);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  /// Adds a job, and a token to the worker's own queue. If it throws std::bad_alloc, it has not taken the job.
  void push(WorkerBase& worker, Job* job);
  /// Removes `job` if it is still here; returns whether it was.
  [[nodiscard]] bool remove(WorkerBase& worker, const Job& job) noexcept;
  [[nodiscard]] Job* take_newest(WorkerBase& worker) noexcept;
  [[nodiscard]] bool empty() noexcept;
  /// Runs jobs of the region until the latch is set, and stands apart while there are none.
  void wait(WorkerBase& worker, CoreLatch& latch) noexcept;

  /// At the end of this region within another: moves the jobs that nobody has waited for to the outer region, whose
  /// workers would not find them here.
  void leave_to(Region& outer, WorkerBase& worker) noexcept;

  /// Differs from that of every other region, past ones included. Never 0.
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

  void hold() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    // Release and acquire: all uses of the region happen before its destruction.
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  struct Token;
  struct Jobs;
  struct Waiter {
    std::size_t slot;
    Waiter* next;
    bool listed;
  };

  ~Region();

  static void execute_token(Job* job, WorkerBase& worker) noexcept;
  [[nodiscard]] std::unique_lock<Mutex> lock() noexcept;
  // With the mutex held, except take_oldest and drop_token.
  [[nodiscard]] bool has_jobs() const noexcept;
  [[nodiscard]] Job* take_oldest() noexcept;
  void wake_one() noexcept;
  void unlist(Waiter& waiter) noexcept;
  static void drop_token(WorkerBase& worker, Region& region) noexcept;

  PoolBase& pool_;
  const std::uint64_t id_;
  Mutex mutex_;                 // guards the next two
  std::unique_ptr<Jobs> jobs_;  // made by the first push, which many regions never see
  Waiter* waiting_ = nullptr;
  Atomic<std::size_t> owners_{1};  // isolate() and the tokens
};

/// Confines a worker to a new region while this object lives.
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
