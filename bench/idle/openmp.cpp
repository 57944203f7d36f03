#include "bench/peers/openmp.hpp"

#include "bench/idle/workloads.hpp"

namespace bench {
namespace {

struct Static {
  static void run(Wake& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < Wake::kPieces; ++i) work.piece(i);
  }
  static void run(Burst& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < Burst::kItems; ++i) work.add(i);
  }
};

const RegisterStyle<kIdle, Static, OpenMpPeer> by_static("openmp_static");

}  // namespace
}  // namespace bench
