#include "bench/peers/rayon.hpp"

#include "bench/fan_out/workload.hpp"

extern "C" void bench_rayon_spawn_all(const bench::rayon::Pool*, std::uint32_t* counters, std::size_t count);

namespace bench {
namespace {

template <bool Cold>
void run_for(FanOut<Cold>& work, RayonPeer& peer) {
  peer.for_each_index(work.visits.size(), [&work](std::size_t i) { work.body(work.visits[i]); });
}

void run_scope(FanOut<false>& work, RayonPeer& peer) {
  bench_rayon_spawn_all(peer.pool, work.visits.data(), work.visits.size());
}

const Register<run_for<false>> hot("rayon");
const Register<run_scope> hot_scope("rayon_scope");
const Register<run_for<true>> cold("rayon");

}  // namespace
}  // namespace bench
