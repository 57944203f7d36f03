#include "bench/peers/rayon.hpp"

#include "bench/nqueens/workload.hpp"

extern "C" std::uint64_t bench_rayon_nqueens(const bench::rayon::Pool*, std::uint32_t all);

namespace bench {
namespace {

template <unsigned Count>
void run(NQueens<Count>& work, RayonPeer& peer) {
  work.solutions += bench_rayon_nqueens(peer.pool, work.empty.all);
}

const Register<run<12>> twelve("rayon");
const Register<run<13>> thirteen("rayon");
const Register<run<14>> fourteen("rayon");

}  // namespace
}  // namespace bench
