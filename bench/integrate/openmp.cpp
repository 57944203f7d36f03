#include "bench/peers/openmp.hpp"

#include "bench/integrate/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE double integral(const Interval& whole, double tolerance) {
  const auto half = halves(whole);
  if (fine_enough(whole, half, tolerance)) return half[0].area + half[1].area;
  double b = 0;
#pragma omp task shared(b, half) firstprivate(tolerance)
  b = integral(half[1], tolerance);
  const double a = integral(half[0], tolerance);
#pragma omp taskwait
  return a + b;
}

void run(Integrate& work, OpenMpPeer&) {
  double result = 0;
#pragma omp parallel
#pragma omp single
  result = integral(work.whole, work.tolerance);
  work.add(result);
}

const Register<run> registered("openmp_tasks");

}  // namespace
}  // namespace bench
