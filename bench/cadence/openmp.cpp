#include "bench/peers/openmp.hpp"

#include "bench/cadence/workload.hpp"

namespace bench {
namespace {

void run_loop(CadenceLoop& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < work.items(); ++i) work.add(i);
}

void run_join(CadenceJoin& work, OpenMpPeer&) {
#pragma omp parallel sections
  {
    work.first_half();
#pragma omp section
    work.second_half();
  }
}

void run_tree(CadenceTree& work, OpenMpPeer&) {
#pragma omp parallel
#pragma omp single
  work.add_all([](auto&& a, auto&& b) {
#pragma omp task shared(b)
    b();
    a();
#pragma omp taskwait
  });
}

const Register<run_loop> loop("openmp_static");
const Register<run_join> join("openmp_sections");
const Register<run_tree> tree("openmp_tasks");

}  // namespace
}  // namespace bench
