#include "bench/peers/openmp.hpp"

#include "bench/scan/workload.hpp"

namespace bench {
namespace {

void run(Scan& work, OpenMpPeer&) {
  work.run_in_two_passes([](std::size_t count, const auto& f) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; ++i) f(i);
  });
}

const Register<run> registered("openmp_static");

}  // namespace
}  // namespace bench
