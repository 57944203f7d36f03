#include "bench/peers/blitz.hpp"

#include "bench/integrate/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE double integral(const Interval& whole, double tolerance) {
  const auto half = halves(whole);
  if (fine_enough(whole, half, tolerance)) return half[0].area + half[1].area;
  const auto [a, b] = blitz::join([&half, tolerance] { return integral(half[0], tolerance); },
                                  [&half, tolerance] { return integral(half[1], tolerance); });
  return a + b;
}

void run(Integrate& work, BlitzPeer& peer) {
  work.add(peer.pool.install([&work] { return integral(work.whole, work.tolerance); }));
}

const Register<run> registered("blitz");

}  // namespace
}  // namespace bench
