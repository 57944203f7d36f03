#include "bench/peers/rayon.hpp"

#include "bench/nested/workload.hpp"

extern "C" void bench_rayon_nested(const bench::rayon::Pool*, std::uint64_t* grid, std::size_t rows,
                                   std::size_t columns);

namespace bench {
namespace {

template <unsigned Threads>
void run(Nested<Threads>& work, RayonPeer& peer) {
  work.call_from_outside(
      [&work, &peer](std::uint64_t* grid) { bench_rayon_nested(peer.pool, grid, work.rows, work.columns); });
}

const Register<run<1>> from_one("rayon");
const Register<run<4>> from_four("rayon");

}  // namespace
}  // namespace bench
