#include "blitz/core/worker.hpp"

namespace blitz::detail {

constinit thread_local WorkerBase* current_worker = nullptr;

bool reclaim(WorkerBase& worker, Job* popped, Job& mine, CoreLatch& done) noexcept {
  while (popped != &mine) {
    if (done.probe()) {
      // It was taken and is done; what was popped instead is nobody's but this worker's to run.
      if (popped != nullptr) popped->execute(popped, worker);
      return false;
    }
    if (popped == nullptr) {
      worker.wait_until(done);
      return false;
    }
    popped->execute(popped, worker);
    popped = worker.take_newest();
  }
  return true;
}

}  // namespace blitz::detail
