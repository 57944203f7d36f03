#include "blitz/detail/task/branch.hpp"

namespace blitz::detail {

void BranchJob::execute_it(Job* job, WorkerBase& worker) noexcept {
  auto& self = *static_cast<BranchJob*>(job);
  self.begin(worker);
  self.outcome_.run([&] {
    self.run_(self, true);
    return Unit{};
  });
  self.end();
}

void BranchJob::finish(WorkerBase& owner) {
  const ForkEnd end(*this, owner);
  if (end.reclaimed()) {
    run_here();
  } else {
    outcome_.take();
  }
}

void BranchJob::abandon(BranchJob* const* jobs, std::size_t count, std::size_t steps, WorkerBase& owner) noexcept {
  const bool all_offered = steps >= count;
  for (std::size_t i = all_offered ? steps - count : count - steps; i < count; ++i) {
    BranchJob& job = *jobs[i];
    const ForkEnd end(job, owner);
    if (!end.reclaimed()) {
      job.outcome_.discard();
    } else if (all_offered) {
      try {
        job.run_here();
      } catch (...) {  // The owner has an exception that is further left.
      }
    }
  }
}

}  // namespace blitz::detail
