#include "bench/peers/blitz.hpp"

#include "bench/saxpy/workload.hpp"

namespace bench {
namespace {

void run(Saxpy& work, BlitzPeer& peer) {
  peer.pool.parallel_for(std::size_t{0}, work.x.size(),
                         [x = work.x.data(), y = work.y.data()](std::size_t i) { y[i] += Saxpy::kA * x[i]; });
}

const Register<run> registered("blitz");

}  // namespace
}  // namespace bench
