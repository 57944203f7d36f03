#include "bench/peers/blitz.hpp"

#include "bench/triad/workload.hpp"

namespace bench {
namespace {

void run(Triad& work, BlitzPeer& peer) {
  peer.pool.parallel_for(std::size_t{0}, work.a.size(),
                         [a = work.a.data(), b = work.b.data(), c = work.c.data(),
                          s = work.next_scalar()](std::size_t i) { a[i] = b[i] + s * c[i]; });
}

const Register<run> registered("blitz");

}  // namespace
}  // namespace bench
