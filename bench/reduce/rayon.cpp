#include "bench/peers/rayon.hpp"

#include "bench/reduce/workload.hpp"

extern "C" double bench_rayon_reduce(const bench::rayon::Pool*, const double* values, std::size_t count);

namespace bench {
namespace {

void run(Reduce& work, RayonPeer& peer) {
  work.sum += bench_rayon_reduce(peer.pool, work.values.data(), work.values.size());
}

const Register<run> registered("rayon");

}  // namespace
}  // namespace bench
