#include "bench/peers/blitz.hpp"

#include "bench/matmul/workload.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) { blitz::join(a, b); };

template <bool Large>
void run(SizedMatmul<Large>& work, BlitzPeer& peer) {
  peer.pool.install([&work] { multiply(work, work.whole(), kFork); });
}

const Register<run<false>> small("blitz");
const Register<run<true>> large("blitz");

}  // namespace
}  // namespace bench
