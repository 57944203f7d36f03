#include "bench/peers/openmp.hpp"

#include "bench/loop/workload.hpp"

namespace bench {
namespace {

template <std::size_t Items>
void run(Loop<Items>& work, OpenMpPeer&) {
  auto* const visits = work.visits.data();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < Items; ++i) visits[i] += 1;
}

const Register<run<2>> two("openmp_static");
const Register<run<1000>> thousand("openmp_static");

}  // namespace
}  // namespace bench
