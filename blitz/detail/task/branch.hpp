/// The callables of a join of many. They are stored in its frame. All except the first are on offer at the same time.
///
/// A Branch knows the type of its callable. Its base, BranchJob, does not, so the rare paths, and the whole join of very many,
/// are compiled once, in the library.
///
/// The frame's worker is the owner and calls every function except execute_it. The worker that finds the job calls that one: a
/// thief, or the owner in a wait. The job belongs to this worker until its latch is set, and afterwards to the owner, which
/// takes the outcome.
#pragma once

#include <cstddef>
#include <type_traits>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/detail/job/offered_job.hpp"

namespace blitz::detail {

/// A callable given as F, and room for its result until all have finished. Call defines how it is called, see join.hpp.
template <class Call, class F>
class BranchCall {
 public:
  using Value = typename Call::template Value<F>;

  explicit BranchCall(std::remove_reference_t<F>& f) noexcept : f_(keep<F>(f)) {
    if constexpr (!ResultRoom<Value>::kIsTrivial) made_ = false;
  }
  BranchCall(const BranchCall&) = delete;
  BranchCall& operator=(const BranchCall&) = delete;
  ~BranchCall() {
    if constexpr (!ResultRoom<Value>::kIsTrivial) {
      if (made_) value_.destroy();
    }
  }

  /// Throws the exceptions of the callable.
  BLITZ_ALWAYS_INLINE void run_here(bool migrated = false) {
    value_.make([&]() BLITZ_LAMBDA_INLINE -> Value { return Call::template call<F>(f_, migrated); });
    if constexpr (!ResultRoom<Value>::kIsTrivial) made_ = true;
  }
  /// Only after it has run without an exception.
  [[nodiscard]] Value&& value() noexcept { return value_.get(); }

 private:
  Kept<F> f_;
  ResultRoom<Value> value_;
  bool made_;  // only for values that must be destroyed
};

/// A callable on offer, without its type.
class BranchJob : public OfferedJob {
 public:
  using Run = void (*)(BranchJob& job, bool migrated);

  explicit BranchJob(Run run) noexcept : OfferedJob(&execute_it), run_(run) {}

  /// If take_back did not find it, because it is deeper in the queue or was stolen. Runs it, or waits. Throws its exception.
  BLITZ_COLD BLITZ_API void finish(WorkerBase& owner);

  void run_here() { run_(*this, false); }

  /// For an owner that has an exception after `steps` steps. The steps are: each of the `count` jobs is offered, from right to
  /// left, then each is finished, from left to right. If all were offered, this finishes the jobs after the failed step, and
  /// discards their exceptions. If the queue could not grow, it finishes only those that another worker has begun.
  BLITZ_COLD BLITZ_API static void abandon(BranchJob* const* jobs, std::size_t count, std::size_t steps,
                                           WorkerBase& owner) noexcept;

 protected:
  ~BranchJob() = default;

 private:
  BLITZ_API static void execute_it(Job* job, WorkerBase& worker) noexcept;

  Run run_;
  JobResult<Unit> outcome_;  // written by execute_it: whether it threw, and the exception
};

template <class Call, class F>
class Branch final : public BranchJob, public BranchCall<Call, F> {
 public:
  explicit Branch(std::remove_reference_t<F>& f) noexcept : BranchJob(&run), BranchCall<Call, F>(f) {}

  /// After the owner's own part. Throws the exceptions of the callable.
  template <class Owner>
  BLITZ_ALWAYS_INLINE void run_or_wait(Owner& owner) {
    if (take_back(owner)) [[likely]] {
      BranchCall<Call, F>::run_here();
    } else {
      finish(owner.worker());
    }
  }

 private:
  static void run(BranchJob& job, bool migrated) { static_cast<Branch&>(job).BranchCall<Call, F>::run_here(migrated); }
};

/// The whole join of many, on the calling worker. The others are offered and the first runs. Then the others are taken back
/// from left to right, unless they were stolen. If several throw, the leftmost exception is rethrown.
template <class Owner, class First, class... Rest>
BLITZ_ALWAYS_INLINE void run_branches_on(Owner& owner, First& first, Rest&... rest) {
  std::size_t steps = 0;
  int none = 0;
  const auto offer = [&](BranchJob& job) BLITZ_LAMBDA_INLINE -> int& {
    job.offer(*opaque(&owner));
    ++steps;
    return none;
  };
  try {
    // An assignment evaluates its right side first: the last is offered first, because the owner takes back the newest.
    (offer(rest) = ... = 0);
    first.run_here();
    ((++steps, rest.run_or_wait(*opaque(&owner))), ...);
  } catch (...) {
    BranchJob* const jobs[] = {&rest...};
    BranchJob::abandon(jobs, sizeof...(Rest), steps, owner.worker());
    throw;
  }
}

/// Like the one above, for callables without their types; `first(data)` calls the first.
template <class Owner>
void run_branches_on(Owner& owner, void (*first)(void*), void* data, BranchJob* const* rest, std::size_t count) {
  std::size_t steps = 0;
  try {
    for (BranchJob* const* job = rest + count; job != rest; ++steps) (*--job)->offer(owner);
    first(data);
    for (BranchJob* const* next = rest; next != rest + count; ++next) {
      ++steps;
      BranchJob& job = **next;
      if (job.take_back(owner)) [[likely]] {
        job.run_here();
      } else {
        job.finish(owner.worker());
      }
    }
  } catch (...) {
    BranchJob::abandon(rest, count, steps, owner.worker());
    throw;
  }
}

}  // namespace blitz::detail
