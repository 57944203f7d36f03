#include "bench/peers/rayon.hpp"

#include "bench/matmul/workload.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) { RayonPeer::join(a, b); };

void run(Matmul& work, RayonPeer& peer) {
  peer.install([&work] { multiply(work, work.whole(), kFork); });
}

const Register<run> registered("rayon");

}  // namespace
}  // namespace bench
