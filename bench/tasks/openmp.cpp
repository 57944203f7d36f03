#include "bench/peers/openmp.hpp"

#include "bench/tasks/workloads.hpp"

namespace bench {
namespace {

struct Tasks {
  static void run(Spawn& work, OpenMpPeer& peer) {
    peer.single([&work] {
      std::uint32_t* const counters = work.counters.data();
      const std::size_t size = work.counters.size();
      for (std::size_t i = 0; i < size; ++i) {
#pragma omp task firstprivate(i)
        ++counters[i];
      }
#pragma omp taskwait
    });
  }
};

struct Static {
  static void run(FanOut& work, OpenMpPeer&) {
    const std::size_t size = work.counters.size();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < size; ++i) work.task(work.counters[i]);
  }
};

const RegisterStyle<kTasks, Tasks, OpenMpPeer> tasks("openmp_tasks");
const RegisterStyle<kTasks, Static, OpenMpPeer> by_static("openmp_static");

}  // namespace
}  // namespace bench
