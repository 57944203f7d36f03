/// OfferedJob: a job of a join, in the frame of its caller, whose worker takes it back or waits for its thief.
#pragma once

#include <cstdint>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/job/latch.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

/// WorkerBase::push and take_back, for code that does not know workers.
BLITZ_API void push_on(WorkerBase& worker, Job* job);
[[nodiscard]] BLITZ_API bool take_back_from(WorkerBase& worker, Job* job) noexcept;

/// A worker of whatever policy as the owner of a join. It finds a job by its address: all places but kNowhere are alike.
class AnyOwner {
 public:
  explicit AnyOwner(WorkerBase& worker) noexcept : tag_{worker} {}
  [[nodiscard]] WorkerBase& worker() const noexcept { return tag_.worker; }
  [[nodiscard]] const OwnerTag& tag() const noexcept { return tag_; }
  /// Throws std::bad_alloc, and has then not taken the job.
  std::int64_t offer_half(Job* job) {
    push_on(tag_.worker, job);
    return 0;
  }
  [[nodiscard]] bool take_back(std::int64_t place, Job* job) noexcept {
    return place != kNowhere && take_back_from(tag_.worker, job);
  }

 private:
  const OwnerTag tag_;
};

/// A job of a join: it lies in the join's frame, on offer in the queue of the worker that joins, its owner.
///
/// An Owner is a HotWorker or an AnyOwner. In a wait of `a` the owner may run the job, and then push another one at its
/// place. So it forgets the place before it runs the job, and take_back need not probe the latch. A timed offer has no place
/// from the start: such a fork ends in ForkEnd, and the others need no test for it.
class OfferedJob : public Job {
 public:
  OfferedJob(const OfferedJob&) = delete;
  OfferedJob& operator=(const OfferedJob&) = delete;

  /// `owner` is the calling worker. Throws std::bad_alloc, and is then not on offer.
  template <class Owner>
  BLITZ_ALWAYS_INLINE void offer(Owner& owner) {
    latch_.set_owner(owner.tag());
    place_ = owner.offer_half(this);
  }
  /// Whether it was found at once, and is the owner's to run; otherwise see ForkEnd.
  template <class Owner>
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool take_back(Owner& owner) noexcept {
    return owner.take_back(place_, this);
  }

 protected:
  explicit OfferedJob(Execute function) noexcept : Job(function) {}
  ~OfferedJob() = default;

  /// Called first, and last, by the worker that executes the job: a thief, or the owner in a wait.
  void begin(const WorkerBase& worker) noexcept {
    if (latch_.is_for(worker)) place_ = kNowhere;
  }
  void end() noexcept { latch_.set(); }

  /// The end of a fork whose half was not found at once: lives until the half has ended.
  class ForkEnd {
   public:
    /// Runs the jobs on top of the half, or waits for its thief.
    BLITZ_COLD BLITZ_API ForkEnd(OfferedJob& half, WorkerBase& owner) noexcept;
    ForkEnd(const ForkEnd&) = delete;
    ForkEnd& operator=(const ForkEnd&) = delete;
    BLITZ_API ~ForkEnd();

    /// True: the half was not stolen, and is the owner's to run. False: it has been run.
    [[nodiscard]] bool reclaimed() const noexcept { return reclaimed_; }

   private:
    OfferedJob& half_;
    WorkerBase& owner_;
    const bool reclaimed_;
  };

 private:
  WorkerLatch latch_;
  std::int64_t place_;  // for the owner alone
};

}  // namespace blitz::detail
