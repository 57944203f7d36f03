#include "bench/peers/blitz.hpp"

#include "bench/matmul/workload.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) { blitz::join(a, b); };

void run(Matmul& work, BlitzPeer& peer) {
  peer.pool.install([&work] { multiply(work, work.whole(), kFork); });
}

const Register<run> registered("blitz");

}  // namespace
}  // namespace bench
