#include "bench/peers/rayon.hpp"

#include "bench/ping_pong/workload.hpp"

namespace bench {
namespace {

template <std::size_t Pairs>
void run(PingPong<Pairs>& work, RayonPeer& peer) {
  work.begin([&peer](const auto& stroke) { peer.spawn(stroke); });
  work.wait();
}

const Register<run<1>> one_pair("rayon");
const Register<run<8>> eight_pairs("rayon");

}  // namespace
}  // namespace bench
