#include "bench/peers/openmp.hpp"

#include "bench/grain/workload.hpp"

namespace bench {
namespace {

struct OpenMp {
  template <std::uint64_t Nanoseconds>
  static void run(Grain<Nanoseconds>& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < Grain<Nanoseconds>::kItems; ++i) work.add(i);
  }
};

const RegisterGrains<OpenMp> registered("openmp_static");

}  // namespace
}  // namespace bench
