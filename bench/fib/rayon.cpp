#include "bench/peers/rayon.hpp"

#include "bench/fib/workload.hpp"

extern "C" std::uint64_t bench_rayon_fib(const bench::rayon::Pool*, std::uint32_t n);

namespace bench {
namespace {

void run(Fib& work, RayonPeer& peer) { work.sum += bench_rayon_fib(peer.pool, work.n); }

const Register<run> registered("rayon");

}  // namespace
}  // namespace bench
