#include "bench/peers/rayon.hpp"

#include "bench/saxpy/workload.hpp"

extern "C" void bench_rayon_saxpy(const bench::rayon::Pool*, float a, const float* x, float* y, std::size_t count);

namespace bench {
namespace {

void run(Saxpy& work, RayonPeer& peer) {
  bench_rayon_saxpy(peer.pool, Saxpy::kA, work.x.data(), work.y.data(), work.x.size());
}

const Register<run> registered("rayon");

}  // namespace
}  // namespace bench
