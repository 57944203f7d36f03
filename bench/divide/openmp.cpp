#include "bench/peers/openmp.hpp"

#include "bench/divide/workloads.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) {
#pragma omp task shared(a)
  a();
  b();
#pragma omp taskwait
};

struct Tasks {
  template <class W>
  static void run(W& work, OpenMpPeer& peer) {
    peer.single([&work] { divide(work, kFork); });
  }
};

const RegisterStyle<kDivide, Tasks, OpenMpPeer> tasks("openmp_tasks");

}  // namespace
}  // namespace bench
