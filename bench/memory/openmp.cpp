#include "bench/peers/openmp.hpp"

#include "bench/memory/workloads.hpp"

namespace bench {
namespace {

struct Static {
  static void run(Saxpy& work, OpenMpPeer&) {
    const std::size_t size = work.x.size();
    const float* const x = work.x.data();
    float* const y = work.y.data();
#pragma omp parallel for simd schedule(static)
    for (std::size_t i = 0; i < size; ++i) y[i] += Saxpy::kA * x[i];
  }
  static void run(Triad& work, OpenMpPeer&) {
    const std::size_t size = work.a.size();
    const double* const b = work.b.data();
    const double* const c = work.c.data();
    double* const a = work.a.data();
    const double s = work.next_scalar();
#pragma omp parallel for simd schedule(static)
    for (std::size_t i = 0; i < size; ++i) a[i] = b[i] + s * c[i];
  }
  static void run(Scan& work, OpenMpPeer&) {
    work.run_in_two_passes([](std::size_t count, const auto& f) {
#pragma omp parallel for schedule(static)
      for (std::size_t i = 0; i < count; ++i) f(i);
    });
  }
};

struct Simd {
  static void run(Reduce& work, OpenMpPeer&) {
    const double* const values = work.values.data();
    const std::size_t size = work.values.size();
    double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (std::size_t i = 0; i < size; ++i) sum += values[i];
    work.sum += sum;
  }
};

const RegisterStyle<kMemory, Static, OpenMpPeer> by_static("openmp_static");
const RegisterStyle<kMemory, Simd, OpenMpPeer> simd("openmp_simd");

}  // namespace
}  // namespace bench
