#include "bench/peers/openmp.hpp"

#include "bench/fan_out/workload.hpp"

namespace bench {
namespace {

template <bool Cold>
void run(FanOut<Cold>& work, OpenMpPeer&) {
  const std::size_t size = work.visits.size();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < size; ++i) work.body(work.visits[i]);
}

const Register<run<false>> hot("openmp_static");
const Register<run<true>> cold("openmp_static");

}  // namespace
}  // namespace bench
