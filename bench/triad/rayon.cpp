#include "bench/peers/rayon.hpp"

#include "bench/triad/workload.hpp"

extern "C" void bench_rayon_triad(const bench::rayon::Pool*, double s, const double* b, const double* c, double* a,
                                  std::size_t count);

namespace bench {
namespace {

void run(Triad& work, RayonPeer& peer) {
  bench_rayon_triad(peer.pool, work.next_scalar(), work.b.data(), work.c.data(), work.a.data(), work.a.size());
}

const Register<run> registered("rayon");

}  // namespace
}  // namespace bench
