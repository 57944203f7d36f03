#include "bench/peers/openmp.hpp"

#include "bench/skewed/workload.hpp"

namespace bench {
namespace {

void run_loop_static(SkewedLoop& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < work.size(); ++i) work.add(i);
}

void run_loop_dynamic(SkewedLoop& work, OpenMpPeer&) {
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < work.size(); ++i) work.add(i);
}

void run_reduce_static(SkewedReduce& work, OpenMpPeer&) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < work.size(); ++i) sum += work.item(i);
  work.sum += sum;
}

void run_reduce_dynamic(SkewedReduce& work, OpenMpPeer&) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (std::size_t i = 0; i < work.size(); ++i) sum += work.item(i);
  work.sum += sum;
}

const Register<run_loop_static> loop_static("openmp_static");
const Register<run_loop_dynamic> loop_dynamic("openmp_dynamic");
const Register<run_reduce_static> reduce_static("openmp_static");
const Register<run_reduce_dynamic> reduce_dynamic("openmp_dynamic");

}  // namespace
}  // namespace bench
