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

void run(Matmul& work, OpenMpPeer&) {
#pragma omp parallel
#pragma omp single
  multiply(work, work.whole(), kFork);
}

const Register<run> registered("openmp_tasks");

}  // namespace
}  // namespace bench
