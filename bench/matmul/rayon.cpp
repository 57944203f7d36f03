#include "bench/peers/rayon.hpp"

#include "bench/matmul/workload.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) { RayonPeer::join(a, b); };

template <bool Large>
void run(SizedMatmul<Large>& work, RayonPeer& peer) {
  peer.install([&work] { multiply(work, work.whole(), kFork); });
}

const Register<run<false>> small("rayon");
const Register<run<true>> large("rayon");

}  // namespace
}  // namespace bench
