#include "bench/peers/openmp.hpp"

#include "bench/mandelbrot/workload.hpp"

namespace bench {
namespace {

void run_static(Mandelbrot& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
  for (std::size_t y = 0; y < work.side; ++y) work.add_row(y);
}

void run_dynamic(Mandelbrot& work, OpenMpPeer&) {
#pragma omp parallel for schedule(dynamic)
  for (std::size_t y = 0; y < work.side; ++y) work.add_row(y);
}

const Register<run_static> by_static("openmp_static");
const Register<run_dynamic> by_dynamic("openmp_dynamic");

}  // namespace
}  // namespace bench
