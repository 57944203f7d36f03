#include "bench/peers/rayon.hpp"

#include "bench/scan/workload.hpp"

namespace bench {
namespace {

void run(Scan& work, RayonPeer& peer) {
  work.run_in_two_passes([&peer](std::size_t count, const auto& f) { peer.for_each_index(count, f); });
}

const Register<run> registered("rayon");

}  // namespace
}  // namespace bench
