/// OfferedJob: a job of a join, in the frame of the caller. Its worker takes it back or waits for the thief.
#pragma once

#include <cstdint>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/job/latch.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

/// WorkerBase::push and take_back, for code that does not include workers.
BLITZ_API void push_on(WorkerBase& worker, Job* job);
[[nodiscard]] BLITZ_API bool take_back_from(WorkerBase& worker, Job* job) noexcept;

/// A worker of any policy as the owner of a join. It finds a job by its address, so all places except kNowhere are alike.
class AnyOwner {
 public:
  explicit AnyOwner(WorkerBase& worker) noexcept : tag_{worker} {}
  [[nodiscard]] WorkerBase& worker() const noexcept { return tag_.worker; }
  [[nodiscard]] const OwnerTag& tag() const noexcept { return tag_; }
  /// Throws std::bad_alloc; the job is then not pushed.
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

/// A job of a join. It is stored in the join's frame and is on offer in the queue of its owner, the worker that joins.
///
/// An Owner is a HotWorker or an AnyOwner. In a wait of `a` the owner may run the job, and then push another one at its place.
/// So it forgets the place before it runs the job, and take_back need not probe the latch. A timed offer has no place from the
/// start: such a fork ends in ForkEnd, and the other forks need no test for it.
class OfferedJob : public Job {
 public:
  OfferedJob(const OfferedJob&) = delete;
  OfferedJob& operator=(const OfferedJob&) = delete;

  /// `owner` is the calling worker. Throws std::bad_alloc; the job is then not on offer.
  template <class Owner>
  BLITZ_ALWAYS_INLINE void offer(Owner& owner) {
    latch_.set_owner(owner.tag());
    place_ = owner.offer_half(this);
  }
  /// Returns true if the job was found immediately; the owner must then run it. Otherwise see ForkEnd.
  template <class Owner>
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool take_back(Owner& owner) noexcept {
    return owner.take_back(place_, this);
  }

 protected:
  explicit OfferedJob(Execute function) noexcept : Job(function) {}
  ~OfferedJob() = default;

  /// The worker that executes the job, a thief or the owner in a wait, calls begin first and end last.
  void begin(const WorkerBase& worker) noexcept {
    if (latch_.is_for(worker)) place_ = kNowhere;
  }
  void end() noexcept { latch_.set(); }

  /// The end of a fork if take_back did not find its half: lives until the half has ended.
  class ForkEnd {
   public:
    /// Runs the jobs on top of the half, or waits for the thief.
    BLITZ_COLD BLITZ_API ForkEnd(OfferedJob& half, WorkerBase& owner) noexcept;
    ForkEnd(const ForkEnd&) = delete;
    ForkEnd& operator=(const ForkEnd&) = delete;
    BLITZ_API ~ForkEnd();

    /// True: the half was not stolen, and the owner must run it. False: it has run.
    [[nodiscard]] bool reclaimed() const noexcept { return reclaimed_; }

   private:
    OfferedJob& half_;
    WorkerBase& owner_;
    const bool reclaimed_;
  };

 private:
  WorkerLatch latch_;
  std::int64_t place_;  // only for the owner
};

}  // namespace blitz::detail
