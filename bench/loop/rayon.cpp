#include "bench/peers/rayon.hpp"

#include "bench/loop/workload.hpp"

extern "C" void bench_rayon_loop(const bench::rayon::Pool*, std::uint32_t* visits, std::size_t count);

namespace bench {
namespace {

template <std::size_t Items, class P>
void run(Loop<Items>& work, P& peer) {
  bench_rayon_loop(peer.pool, work.visits.data(), work.size);
}

const Register<run<2, RayonPeer>> two("rayon");
const Register<run<2, RayonInsidePeer>> two_inside("rayon_inside");
const Register<run<1000, RayonPeer>> thousand("rayon");
const Register<run<1000, RayonInsidePeer>> thousand_inside("rayon_inside");

}  // namespace
}  // namespace bench
