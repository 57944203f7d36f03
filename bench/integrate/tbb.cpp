#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#include "bench/integrate/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE double by_invoke(const Interval& whole, double tolerance) {
  const auto half = halves(whole);
  if (fine_enough(whole, half, tolerance)) return half[0].area + half[1].area;
  double a = 0;
  double b = 0;
  tbb::parallel_invoke([&a, &half, tolerance] { a = by_invoke(half[0], tolerance); },
                       [&b, &half, tolerance] { b = by_invoke(half[1], tolerance); });
  return a + b;
}

BENCH_NOINLINE double by_group(const Interval& whole, double tolerance) {
  const auto half = halves(whole);
  if (fine_enough(whole, half, tolerance)) return half[0].area + half[1].area;
  double b = 0;
  tbb::task_group group;
  group.run([&b, &half, tolerance] { b = by_group(half[1], tolerance); });
  const double a = by_group(half[0], tolerance);
  group.wait();
  return a + b;
}

void run_invoke(Integrate& work, TbbPeer&) { work.add(by_invoke(work.whole, work.tolerance)); }
void run_group(Integrate& work, TbbPeer&) { work.add(by_group(work.whole, work.tolerance)); }

const Register<run_invoke> invoke("tbb_invoke");
const Register<run_group> group("tbb_group");

}  // namespace
}  // namespace bench
