#include "blitz/core/worker.hpp"

#include <utility>

namespace blitz::detail {

constinit thread_local WorkerBase* current_worker = nullptr;

namespace {

[[maybe_unused]] const bool forks_handled = at_fork({
    .child =
        [] {
          // The thread runs no worker any more; confine() clears CurrentWorker<P>::worker.
          if (WorkerBase* const worker = std::exchange(current_worker, nullptr)) worker->confine(worker->region());
        },
});

}  // namespace

std::uint64_t isolation_here() noexcept {
  const Region* const region = current_worker != nullptr ? current_worker->region() : nullptr;
  return region != nullptr ? region->id() : 0;
}

bool reclaim(WorkerBase& worker, Job& mine, CoreLatch& done) noexcept {
  if (Region* const region = worker.region()) {
    if (region->remove(worker, mine)) return true;
    worker.wait_until(done);
    return false;
  }
  while (!done.probe()) {
    Job* const newest = worker.take_newest();
    if (newest == &mine) return true;
    if (newest == nullptr) {
      worker.wait_until(done);
      return false;
    }
    newest->execute(newest, worker);
  }
  return false;
}

}  // namespace blitz::detail
