#include "bench/peers/openmp.hpp"

#include "bench/saxpy/workload.hpp"

namespace bench {
namespace {

void run(Saxpy& work, OpenMpPeer&) {
  const std::size_t size = work.x.size();
  const float* const x = work.x.data();
  float* const y = work.y.data();
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < size; ++i) y[i] += Saxpy::kA * x[i];
}

const Register<run> registered("openmp_static");

}  // namespace
}  // namespace bench
