#include "bench/peers/rayon.hpp"

#include "bench/memory/workloads.hpp"

extern "C" {
void bench_rayon_saxpy(const bench::rayon::Pool*, float a, const float* x, float* y, std::size_t count);
void bench_rayon_triad(const bench::rayon::Pool*, double s, const double* b, const double* c, double* a,
                       std::size_t count);
double bench_rayon_reduce(const bench::rayon::Pool*, const double* values, std::size_t count);
}

namespace bench {
namespace {

struct Loops {
  static void run(Saxpy& work, RayonPeer& peer) {
    bench_rayon_saxpy(peer.pool, Saxpy::kA, work.x.data(), work.y.data(), work.x.size());
  }
  static void run(Triad& work, RayonPeer& peer) {
    bench_rayon_triad(peer.pool, work.next_scalar(), work.b.data(), work.c.data(), work.a.data(), work.a.size());
  }
  static void run(Reduce& work, RayonPeer& peer) {
    work.sum += bench_rayon_reduce(peer.pool, work.values.data(), work.values.size());
  }
  static void run(Scan& work, RayonPeer& peer) {
    work.run_in_two_passes([&peer](std::size_t count, const auto& f) { peer.for_each_index(count, f); });
  }
};

const RegisterStyle<kMemory, Loops, RayonPeer> registered("rayon");

}  // namespace
}  // namespace bench
