#include "bench/peers/rayon.hpp"

#include "bench/integrate/workload.hpp"

// Rust never fuses a multiplication with an addition. A C++ compiler may, where the processor can: then the last bits
// of the results differ, and there is nothing to compare.
#ifndef __FP_FAST_FMA

extern "C" double bench_rayon_integrate(const bench::rayon::Pool*, const bench::Interval& whole, double tolerance);

namespace bench {
namespace {

void run(Integrate& work, RayonPeer& peer) { work.add(bench_rayon_integrate(peer.pool, work.whole, work.tolerance)); }

const Register<run> registered("rayon");

}  // namespace
}  // namespace bench

#endif
