#include "bench/peers/openmp.hpp"

#include "bench/spawn/workload.hpp"

namespace bench {
namespace {

void run(Spawn& work, OpenMpPeer&) {
  std::uint32_t* const counters = work.counters.data();
  const std::size_t size = work.counters.size();
#pragma omp parallel
#pragma omp single
  {
    for (std::size_t i = 0; i < size; ++i) {
#pragma omp task firstprivate(i)
      ++counters[i];
    }
#pragma omp taskwait
  }
}

const Register<run> registered("openmp_tasks");

}  // namespace
}  // namespace bench
