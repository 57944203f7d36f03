#include "bench/peers/serial.hpp"

#include "bench/ping_pong/workload.hpp"

namespace bench {
namespace {

template <std::size_t Pairs>
void run(PingPong<Pairs>& work, SerialPeer&) {
  const auto strokes = static_cast<std::uint64_t>(work.units()) / Pairs;
  for (Rally& rally : work.rallies) {
    rally.left = strokes;
    for (unsigned side = 0; rally.hit(side); side = 1 - side) {
    }
  }
}

const Register<run<1>> one_pair("serial");
const Register<run<8>> eight_pairs("serial");

}  // namespace
}  // namespace bench
