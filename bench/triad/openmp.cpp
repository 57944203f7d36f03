#include "bench/peers/openmp.hpp"

#include "bench/triad/workload.hpp"

namespace bench {
namespace {

void run(Triad& work, OpenMpPeer&) {
  const std::size_t size = work.a.size();
  const double* const b = work.b.data();
  const double* const c = work.c.data();
  double* const a = work.a.data();
  const double s = work.next_scalar();
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < size; ++i) a[i] = b[i] + s * c[i];
}

const Register<run> registered("openmp_static");

}  // namespace
}  // namespace bench
