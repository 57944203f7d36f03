#include "bench/peers/blitz.hpp"

#include "bench/loop/workload.hpp"

namespace bench {
namespace {

template <std::size_t Items>
void run(Loop<Items>& work, BlitzPeer& peer) {
  peer.pool.parallel_for(std::size_t{0}, work.size, [visits = work.visits.data()](std::size_t i) { visits[i] += 1; });
}

const Register<run<2>> two("blitz");
const Register<run<1000>> thousand("blitz");

}  // namespace
}  // namespace bench
