#include "bench/peers/openmp.hpp"

#include "bench/reduce/workload.hpp"

namespace bench {
namespace {

void run(Reduce& work, OpenMpPeer&) {
  const double* const values = work.values.data();
  const std::size_t size = work.values.size();
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < size; ++i) sum += values[i];
  work.sum += sum;
}

const Register<run> registered("openmp_simd");

}  // namespace
}  // namespace bench
