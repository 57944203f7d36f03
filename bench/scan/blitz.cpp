#include "bench/peers/blitz.hpp"

#include "bench/scan/workload.hpp"

namespace bench {
namespace {

void run(Scan& work, BlitzPeer& peer) {
  work.run_in_two_passes(
      [&peer](std::size_t count, const auto& f) { peer.pool.parallel_for(std::size_t{0}, count, f); });
}

const Register<run> registered("blitz");

}  // namespace
}  // namespace bench
