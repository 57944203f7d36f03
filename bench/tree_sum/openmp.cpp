#include "bench/peers/openmp.hpp"

#include "bench/tree_sum/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE std::uint64_t tree_sum(std::uint64_t node, unsigned height) {
  if (height == 1) return node_value(node);
  std::uint64_t b = 0;
#pragma omp task shared(b) firstprivate(node, height)
  b = tree_sum(2 * node + 1, height - 1);
  const std::uint64_t a = tree_sum(2 * node, height - 1);
#pragma omp taskwait
  return node_value(node) + a + b;
}

template <class W>
void run(W& work, OpenMpPeer&) {
  std::uint64_t result = 0;
#pragma omp parallel
#pragma omp single
  result = tree_sum(W::kRoot, work.height);
  work.sum += result;
}

const Register<run<TreeSum>> large("openmp_tasks");
const Register<run<TreeSmall>> small("openmp_tasks");

}  // namespace
}  // namespace bench
