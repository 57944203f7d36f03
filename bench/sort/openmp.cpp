#include "bench/peers/openmp.hpp"

#include "bench/sort/algorithms.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) {
#pragma omp task shared(a)
  a();
  b();
#pragma omp taskwait
};

void run_quicksort(Quicksort& work, OpenMpPeer&) {
#pragma omp parallel
#pragma omp single
  quicksort(work, kFork);
}
void run_mergesort(Mergesort& work, OpenMpPeer&) {
#pragma omp parallel
#pragma omp single
  mergesort(work, kFork);
}

const Register<run_quicksort> quick("openmp_tasks");
const Register<run_mergesort> merge("openmp_tasks");

}  // namespace
}  // namespace bench
