#include "bench/peers/rayon.hpp"

#include "bench/grain/workload.hpp"

extern "C" void bench_rayon_grain(const bench::rayon::Pool*, std::uint64_t* results, std::size_t count,
                                  std::uint64_t steps);

namespace bench {
namespace {

template <class P>
struct Rayon {
  template <std::uint64_t Nanoseconds>
  static void run(Grain<Nanoseconds>& work, P& peer) {
    bench_rayon_grain(peer.pool, work.results.data(), work.kItems, work.steps());
  }
};

const RegisterGrains<Rayon<RayonPeer>> from_main("rayon");
const RegisterGrains<Rayon<RayonInsidePeer>> inside("rayon_inside");

}  // namespace
}  // namespace bench
