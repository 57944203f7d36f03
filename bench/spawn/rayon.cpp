#include "bench/peers/rayon.hpp"

#include "bench/spawn/workload.hpp"

extern "C" void bench_rayon_spawn_all(const bench::rayon::Pool*, std::uint32_t* counters, std::size_t count);

namespace bench {
namespace {

void run(Spawn& work, RayonPeer& peer) { bench_rayon_spawn_all(peer.pool, work.counters.data(), work.counters.size()); }

const Register<run> registered("rayon");

}  // namespace
}  // namespace bench
