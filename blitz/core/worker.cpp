#include "blitz/core/worker.hpp"

namespace blitz::detail {

constinit thread_local WorkerBase* current_worker = nullptr;

bool reclaim(WorkerBase& worker, Job& mine, CoreLatch& done) noexcept {
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
