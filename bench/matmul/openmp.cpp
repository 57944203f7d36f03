#include "bench/peers/openmp.hpp"

#include "bench/matmul/workload.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) {
#pragma omp task shared(a)
  a();
  b();
#pragma omp taskwait
};

template <bool Large>
void run(SizedMatmul<Large>& work, OpenMpPeer&) {
#pragma omp parallel
#pragma omp single
  multiply(work, work.whole(), kFork);
}

const Register<run<false>> small("openmp_tasks");
const Register<run<true>> large("openmp_tasks");

}  // namespace
}  // namespace bench
