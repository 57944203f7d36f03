#include "bench/peers/openmp.hpp"

#include "bench/fib/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t b = 0;
#pragma omp task shared(b) firstprivate(n)
  b = fib(n - 2);
  const std::uint64_t a = fib(n - 1);
#pragma omp taskwait
  return a + b;
}

void run(Fib& work, OpenMpPeer&) {
  std::uint64_t result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(work.n);
  work.sum += result;
}

const Register<run> registered("openmp_tasks");

}  // namespace
}  // namespace bench
