#include "bench/peers/openmp.hpp"

#include "bench/burst/workload.hpp"

namespace bench {
namespace {

struct OpenMp {
  template <unsigned Milliseconds>
  static void run(Burst<Milliseconds>& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < Burst<Milliseconds>::kItems; ++i) work.add(i);
  }
};

const RegisterBursts<OpenMp> registered("openmp_static");

}  // namespace
}  // namespace bench
