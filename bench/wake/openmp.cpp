#include "bench/peers/openmp.hpp"

#include "bench/wake/workload.hpp"

namespace bench {
namespace {

void run(Wake& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < Wake::kPieces; ++i) work.piece(i);
}

const Register<run> registered("openmp_static");

}  // namespace
}  // namespace bench
