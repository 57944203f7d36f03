#include "bench/peers/rayon.hpp"

#include "bench/nqueens/workload.hpp"

extern "C" std::uint64_t bench_rayon_nqueens(const bench::rayon::Pool*, std::uint32_t all);

namespace bench {
namespace {

void run(NQueens& work, RayonPeer& peer) { work.solutions += bench_rayon_nqueens(peer.pool, work.empty.all); }

const Register<run> registered("rayon");

}  // namespace
}  // namespace bench
